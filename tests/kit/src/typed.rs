//! A direct evaluator of the typed tree: mutable locals, real calls, real early exits.
//!
//! It shares nothing with lowering, proofs or the intermediate representations but the meaning of
//! one scalar operation, which has tests of its own. So where lowering gets a flag, a loop
//! parameter or a short circuit wrong, this disagrees.

mod trees;
mod values;

use nupp_core::ir::entity::Scalar;
use nupp_core::ir::kernel::{CmpOp, Elem};
use nupp_front::hir::{
    ArrayRef, Block, Expr, Function, GuardExpr, KernelDef, LengthExpr, ParamId, ParamKind, Program,
    Shape, Stmt, StmtKind, Target, Ty, Workgroups,
};

/// Why an evaluation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The guard in this position is false.
    Guard(usize),
    /// An access outside a span or scratch array, which the proofs exclude.
    OutOfBounds(String),
    /// More steps than a test should take.
    TooLong,
}

type Words = Vec<u32>;

enum Flow {
    Next,
    Break,
    Continue,
    Return(Words),
}

struct State<'a> {
    program: &'a Program,
    spans: &'a mut [Words],
    scratch: Vec<(u32, Words)>,
    steps: u64,
}

struct Phases {
    size: u32,
}

/// One function's locals, and what its span and scratch parameters stand for.
struct Frame<'a> {
    func: &'a Function,
    locals: Vec<Words>,
    spans: Vec<usize>,
    arrays: Vec<usize>,
}

/// Runs a kernel over spans of words (elements field by field, spans and uniforms in declaration
/// order each).
pub fn run(
    program: &Program,
    kernel: &KernelDef,
    spans: &mut [Words],
    uniforms: &[u32],
) -> Result<(), Failure> {
    let mut frame = Frame {
        func: &kernel.func,
        locals: vec![Vec::new(); kernel.func.locals.len()],
        spans: vec![usize::MAX; kernel.func.params.len()],
        arrays: vec![usize::MAX; kernel.func.params.len()],
    };
    let (mut span, mut uniform) = (0, 0);
    for (position, param) in kernel.func.params.iter().enumerate() {
        match param.kind {
            ParamKind::Value(_, local) => {
                frame.locals[local.index()] = vec![uniforms[uniform]];
                uniform += 1;
            }
            ParamKind::Span(..) => {
                frame.spans[position] = span;
                span += 1;
            }
            ParamKind::Scratch(_) => {}
        }
    }
    let mut state = State {
        program,
        spans,
        scratch: Vec::new(),
        steps: 0,
    };
    for (position, guard) in kernel.guards.iter().enumerate() {
        if !state.guard(&mut frame, &guard.cond)? {
            return Err(Failure::Guard(position));
        }
    }
    match &kernel.shape {
        Shape::Map { primary, index, .. } => {
            for lane in 1..=state.length(&frame, *primary) {
                frame.locals[index.index()] = vec![lane];
                state.block(&mut frame, &kernel.func.body)?;
            }
            Ok(())
        }
        Shape::Workgroups(groups) => state.workgroups(&mut frame, groups),
    }
}

fn compare(op: CmpOp, a: i128, b: i128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
    }
}

fn integer(ty: Ty, word: u32) -> i64 {
    if ty == Ty::Scalar(Scalar::I32) {
        i64::from(word as i32)
    } else {
        i64::from(word)
    }
}

impl State<'_> {
    fn elem_fields(&self, elem: Elem) -> Vec<Scalar> {
        match elem {
            Elem::Scalar(ty) => vec![ty],
            Elem::Struct(id) => self.program.structs[id.index()]
                .fields
                .iter()
                .map(|f| f.1)
                .collect(),
        }
    }

    fn fields(&self, ty: Ty) -> Vec<Scalar> {
        match ty {
            Ty::Scalar(ty) => vec![ty],
            Ty::Struct(id) => self.elem_fields(Elem::Struct(id)),
        }
    }

    fn span_elem(frame: &Frame<'_>, param: ParamId) -> Elem {
        match frame.func.params[param.index()].kind {
            ParamKind::Span(elem, _) | ParamKind::Scratch(elem) => elem,
            ParamKind::Value(Ty::Scalar(ty), _) => Elem::Scalar(ty),
            ParamKind::Value(Ty::Struct(id), _) => Elem::Struct(id),
        }
    }

    fn length(&self, frame: &Frame<'_>, param: ParamId) -> u32 {
        let words = self.elem_fields(Self::span_elem(frame, param)).len();
        (self.spans[frame.spans[param.index()]].len() / words) as u32
    }

    fn sum(&self, frame: &Frame<'_>, sum: &LengthExpr) -> i128 {
        let term = |&(factor, span): &(i64, ParamId)| {
            i128::from(factor) * i128::from(self.length(frame, span))
        };
        i128::from(sum.constant) + sum.terms.iter().map(term).sum::<i128>()
    }

    fn guard(&mut self, frame: &mut Frame<'_>, guard: &GuardExpr) -> Result<bool, Failure> {
        Ok(match guard {
            GuardExpr::Cmp { op, lhs, rhs } => {
                compare(*op, self.sum(frame, lhs), self.sum(frame, rhs))
            }
            GuardExpr::And(a, b) => self.guard(frame, a)? && self.guard(frame, b)?,
            GuardExpr::Or(a, b) => self.guard(frame, a)? || self.guard(frame, b)?,
            GuardExpr::Not(a) => !self.guard(frame, a)?,
            GuardExpr::Scalar(e) => self.expr(frame, e)?[0] != 0,
        })
    }

    fn workgroups(&mut self, frame: &mut Frame<'_>, w: &Workgroups) -> Result<(), Failure> {
        self.block(frame, &w.prologue)?;
        let length = self.length(frame, w.span);
        let groups = if w.ceil {
            length.div_ceil(w.divisor)
        } else {
            length / w.divisor
        };
        for group in 0..groups {
            self.scratch = w
                .scratch
                .iter()
                .map(|s| (s.initial.len() as u32, s.initial.repeat(s.count as usize)))
                .collect();
            frame.locals[w.group.index()] = vec![group];
            let mut inner = Phases { size: w.size };
            self.controller(frame, &w.body, &mut inner)?;
        }
        Ok(())
    }

    /// Controller statements are ordinary ones, except that phases and trees run all lanes.
    fn controller(
        &mut self,
        frame: &mut Frame<'_>,
        block: &Block,
        phases: &mut Phases,
    ) -> Result<Flow, Failure> {
        self.stmts(frame, block, Some(phases))
    }

    fn block(&mut self, frame: &mut Frame<'_>, block: &Block) -> Result<Flow, Failure> {
        self.stmts(frame, block, None)
    }

    fn stmts(
        &mut self,
        frame: &mut Frame<'_>,
        block: &Block,
        mut phases: Option<&mut Phases>,
    ) -> Result<Flow, Failure> {
        for stmt in &block.stmts {
            match self.stmt(frame, stmt, phases.as_deref_mut())? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(
        &mut self,
        frame: &mut Frame<'_>,
        stmt: &Stmt,
        mut phases: Option<&mut Phases>,
    ) -> Result<Flow, Failure> {
        self.steps += 1;
        if self.steps > 200_000_000 {
            return Err(Failure::TooLong);
        }
        match &stmt.kind {
            StmtKind::Let(local, e) => {
                frame.locals[local.index()] = self.expr(frame, e)?;
                Ok(Flow::Next)
            }
            StmtKind::Assign(pairs) => self.assign(frame, pairs),
            StmtKind::If(arms, rest) => {
                for (cond, body) in arms {
                    if self.expr(frame, cond)?[0] != 0 {
                        return self.stmts(frame, body, phases);
                    }
                }
                self.stmts(frame, rest, phases)
            }
            StmtKind::While(cond, body) => {
                while self.expr(frame, cond)?[0] != 0 {
                    match self.stmts(frame, body, phases.as_deref_mut())? {
                        Flow::Break => break,
                        Flow::Return(v) => return Ok(Flow::Return(v)),
                        Flow::Next | Flow::Continue => {}
                    }
                    self.steps += 1;
                    if self.steps > 200_000_000 {
                        return Err(Failure::TooLong);
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Repeat(body, until) => loop {
                match self.stmts(frame, body, phases.as_deref_mut())? {
                    Flow::Break => return Ok(Flow::Next),
                    Flow::Return(v) => return Ok(Flow::Return(v)),
                    Flow::Next | Flow::Continue => {}
                }
                if self.expr(frame, until)?[0] != 0 {
                    return Ok(Flow::Next);
                }
                self.steps += 1;
                if self.steps > 200_000_000 {
                    return Err(Failure::TooLong);
                }
            },
            StmtKind::For { var, lo, hi, body } => {
                let (lo_word, hi_word) = (self.expr(frame, lo)?[0], self.expr(frame, &hi.0)?[0]);
                let (lo, hi) = (integer(lo.ty, lo_word), integer(hi.0.ty, hi_word) + hi.1);
                for turn in lo..=hi {
                    frame.locals[var.index()] = vec![turn as u32];
                    match self.stmts(frame, body, phases.as_deref_mut())? {
                        Flow::Break => break,
                        Flow::Return(v) => return Ok(Flow::Return(v)),
                        Flow::Next | Flow::Continue => {}
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Do(body) => self.stmts(frame, body, phases),
            StmtKind::Return(None) => Ok(Flow::Return(Vec::new())),
            StmtKind::Return(Some(e)) => Ok(Flow::Return(self.expr(frame, e)?)),
            StmtKind::Call(helper, args) => {
                self.call(frame, helper.index(), args)?;
                Ok(Flow::Next)
            }
            StmtKind::Scatter { span, index, value } => {
                let index = self.expr(frame, index)?[0];
                let value = self.expr(frame, value)?;
                self.store_element(frame, *span, index, 0, &value)?;
                Ok(Flow::Next)
            }
            StmtKind::Run { local, body } => {
                let size = phases.map_or(0, |p| p.size);
                for lane in 0..size {
                    frame.locals[local.index()] = vec![lane];
                    self.block(frame, body)?;
                }
                Ok(Flow::Next)
            }
            StmtKind::Tree { kind, array } => self.tree(frame, kind, *array as usize),
        }
    }

    /// As in Lua, every index and every right side is evaluated before the first store.
    fn assign(&mut self, frame: &mut Frame<'_>, pairs: &[(Target, Expr)]) -> Result<Flow, Failure> {
        let mut stores = Vec::with_capacity(pairs.len());
        for (target, value) in pairs {
            let index = match target {
                Target::Local(_) | Target::LocalField(..) => 0,
                Target::Element(_, index)
                | Target::ElementField(_, index, _)
                | Target::Slot(_, index)
                | Target::SlotField(_, index, _) => self.expr(frame, index)?[0],
            };
            stores.push((target, index, self.expr(frame, value)?));
        }
        for (target, index, value) in stores {
            match target {
                Target::Local(local) => frame.locals[local.index()] = value,
                Target::LocalField(local, field) => {
                    frame.locals[local.index()][*field as usize] = value[0]
                }
                Target::Element(span, _) => self.store_element(frame, *span, index, 0, &value)?,
                Target::ElementField(span, _, field) => {
                    self.store_element(frame, *span, index, *field, &value)?;
                }
                Target::Slot(array, _) => self.store_slot(frame, *array, index, 0, &value)?,
                Target::SlotField(array, _, field) => {
                    self.store_slot(frame, *array, index, *field, &value)?
                }
            }
        }
        Ok(Flow::Next)
    }

    fn store_element(
        &mut self,
        frame: &Frame<'_>,
        span: ParamId,
        index: u32,
        field: u32,
        value: &[u32],
    ) -> Result<(), Failure> {
        let fields = self.elem_fields(Self::span_elem(frame, span));
        let name = &frame.func.params[span.index()].name.text;
        let at = (index as usize)
            .checked_sub(1)
            .map(|i| i * fields.len() + field as usize);
        let words = &mut self.spans[frame.spans[span.index()]];
        for (k, &word) in value.iter().enumerate() {
            let place = at.and_then(|at| words.get_mut(at + k));
            let place = place.ok_or_else(|| Failure::OutOfBounds(format!("{name}[{index}]")))?;
            // A store is where NaN becomes visible.
            let float = fields[field as usize + k] == Scalar::F32;
            *place = if float && word & 0x7fff_ffff > 0x7f80_0000 {
                0x7fc0_0000
            } else {
                word
            };
        }
        Ok(())
    }

    fn array(frame: &Frame<'_>, array: ArrayRef) -> usize {
        match array {
            ArrayRef::Scratch(n) => n as usize,
            ArrayRef::Param(p) => frame.arrays[p.index()],
        }
    }

    fn store_slot(
        &mut self,
        frame: &Frame<'_>,
        array: ArrayRef,
        index: u32,
        field: u32,
        value: &[u32],
    ) -> Result<(), Failure> {
        let (width, words) = &mut self.scratch[Self::array(frame, array)];
        let at = index as usize * *width as usize + field as usize;
        for (k, &word) in value.iter().enumerate() {
            let place = words.get_mut(at + k);
            *place.ok_or_else(|| Failure::OutOfBounds(format!("scratch slot {index}")))? = word;
        }
        Ok(())
    }
}
