//! Values of expressions, and calls of helpers.

use super::{Failure, Flow, Frame, State, Words};
use nupp_core::eval::scalar::apply;
use nupp_front::hir::{Arg, Expr, ExprKind, ParamKind};

impl State<'_> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'_>,
        helper: usize,
        args: &[Arg],
    ) -> Result<Words, Failure> {
        let program = self.program;
        let func = &program.helpers[helper];
        let mut inner = Frame {
            func,
            locals: vec![Vec::new(); func.locals.len()],
            spans: vec![usize::MAX; func.params.len()],
            arrays: vec![usize::MAX; func.params.len()],
        };
        for (position, (param, arg)) in func.params.iter().zip(args).enumerate() {
            match (param.kind, arg) {
                (ParamKind::Value(_, local), Arg::Value(e)) => {
                    inner.locals[local.index()] = self.expr(frame, e)?
                }
                (ParamKind::Span(..), Arg::Span(span)) => {
                    inner.spans[position] = frame.spans[span.index()]
                }
                (ParamKind::Scratch(_), Arg::Array(array)) => {
                    inner.arrays[position] = Self::array(frame, *array)
                }
                _ => return Err(Failure::OutOfBounds("an argument of another kind".into())),
            }
        }
        match self.block(&mut inner, &func.body)? {
            Flow::Return(value) => Ok(value),
            Flow::Next | Flow::Break | Flow::Continue => Ok(Vec::new()),
        }
    }

    pub(super) fn expr(&mut self, frame: &mut Frame<'_>, e: &Expr) -> Result<Words, Failure> {
        Ok(match &e.kind {
            ExprKind::Const(bits) => vec![*bits],
            ExprKind::Local(local) => frame.locals[local.index()].clone(),
            ExprKind::Length(span) => vec![self.length(frame, *span)],
            ExprKind::Op(op, args) => {
                let mut words = [0; 3];
                for (word, arg) in words.iter_mut().zip(args) {
                    *word = self.expr(frame, arg)?[0];
                }
                vec![apply(*op, &words[..args.len()])]
            }
            ExprKind::And(a, b) => {
                let left = self.expr(frame, a)?;
                if left[0] == 0 {
                    left
                } else {
                    self.expr(frame, b)?
                }
            }
            ExprKind::Or(a, b) => {
                let left = self.expr(frame, a)?;
                if left[0] != 0 {
                    left
                } else {
                    self.expr(frame, b)?
                }
            }
            ExprKind::Select(c, a, b) => {
                let chosen = if self.expr(frame, c)?[0] != 0 { a } else { b };
                self.expr(frame, chosen)?
            }
            ExprKind::Load(span, index) => {
                let index = self.expr(frame, index)?[0];
                let width = self.fields(e.ty).len();
                let words = &self.spans[frame.spans[span.index()]];
                let found = (index as usize)
                    .checked_sub(1)
                    .and_then(|i| words.get(i * width..(i + 1) * width));
                let name = &frame.func.params[span.index()].name.text;
                found
                    .ok_or_else(|| Failure::OutOfBounds(format!("{name}[{index}]")))?
                    .to_vec()
            }
            ExprKind::SlotLoad(array, index) => {
                let index = self.expr(frame, index)?[0] as usize;
                let (width, words) = &self.scratch[Self::array(frame, *array)];
                let width = *width as usize;
                let found = words.get(index * width..(index + 1) * width);
                found
                    .ok_or_else(|| Failure::OutOfBounds(format!("scratch slot {index}")))?
                    .to_vec()
            }
            ExprKind::Field(inner, field) => vec![self.expr(frame, inner)?[*field as usize]],
            ExprKind::Struct(_, fields) => {
                let mut words = Vec::with_capacity(fields.len());
                for field in fields {
                    words.extend(self.expr(frame, field)?);
                }
                words
            }
            ExprKind::Call(helper, args) => self.call(frame, helper.index(), args)?,
            ExprKind::Let(local, value, rest) => {
                frame.locals[local.index()] = self.expr(frame, value)?;
                self.expr(frame, rest)?
            }
        })
    }
}
