//! Expressions: operands left to right, structs as one value a field, helpers inlined.

use super::exits::is_eager;
use super::state::{Frame, Lower, Val};
use nupp_core::ir::entity::{Scalar, ScratchId, Value};
use nupp_core::ir::kernel::SourceRegion;
use nupp_core::ir::op::ScalarOp;
use nupp_front::hir::{Arg, ArrayRef, Expr, ExprKind, HelperId, LocalId, ParamKind, Ty};
use nupp_front::span::SrcSpan;

impl<'a> Lower<'a> {
    /// A scalar expression.
    pub(super) fn scalar(&mut self, e: &'a Expr) -> Value {
        self.expr(e)[0]
    }

    /// Any expression, one value a field.
    pub(super) fn expr(&mut self, e: &'a Expr) -> Val {
        if !self.enter(e.at) {
            self.leave();
            return self.zeros(e.ty);
        }
        let val = self.expr_inside(e);
        self.leave();
        val
    }

    /// Zeros of a type: what stands in where a value is not needed or could not be proved.
    pub(super) fn zeros(&mut self, ty: Ty) -> Val {
        let fields = self.fields(ty);
        fields.into_iter().map(|ty| self.constant(ty, 0)).collect()
    }

    fn expr_inside(&mut self, e: &'a Expr) -> Val {
        match &e.kind {
            ExprKind::Const(bits) => {
                let ty = self.fields(e.ty)[0];
                vec![self.constant(ty, *bits)]
            }
            ExprKind::Local(id) => self.local(*id, e.ty),
            ExprKind::Length(id) => vec![self.length(self.span(*id))],
            ExprKind::Op(op, args) => {
                let args: Val = args.iter().map(|a| self.scalar(a)).collect();
                vec![self.op(*op, &args)]
            }
            ExprKind::And(a, b) => vec![self.short_circuit(a, b, true)],
            ExprKind::Or(a, b) => vec![self.short_circuit(a, b, false)],
            ExprKind::Select(c, x, y) => self.select(c, x, y),
            ExprKind::Load(id, index) => {
                let all = 0..self.fields(e.ty).len() as u32;
                self.read_span(*id, index, all, e.at)
            }
            ExprKind::SlotLoad(array, index) => {
                let all = 0..self.fields(e.ty).len() as u32;
                self.read_slot(*array, index, all, e.at)
            }
            ExprKind::Field(of, field) => self.field(of, *field, e.at),
            ExprKind::Struct(_, fields) => fields.iter().map(|f| self.scalar(f)).collect(),
            ExprKind::Call(id, args) => {
                let result = self.call(*id, args, e.at);
                match result {
                    Some(val) => val,
                    None => self.zeros(e.ty),
                }
            }
            ExprKind::Let(id, value, body) => {
                let val = self.expr(value);
                self.set(id.index(), val);
                self.expr(body)
            }
        }
    }

    fn local(&mut self, id: LocalId, ty: Ty) -> Val {
        if let Some(val) = self.get(id.index()) {
            return val.clone();
        }
        match self.uniform_locals.get(&id).copied() {
            Some(uniform) if self.frames.len() == 1 => vec![self.uniform(uniform)],
            _ => self.zeros(ty),
        }
    }

    /// One field: of a loaded struct only that field is read.
    fn field(&mut self, of: &'a Expr, field: u32, at: SrcSpan) -> Val {
        match &of.kind {
            ExprKind::Load(id, index) => self.read_span(*id, index, field..field + 1, at),
            ExprKind::SlotLoad(array, index) => self.read_slot(*array, index, field..field + 1, at),
            _ => vec![self.expr(of)[field as usize]],
        }
    }

    /// `a and b` (`conjunction`) or `a or b`: the right side runs only where the left leaves the
    /// question open, unless running it always is harmless.
    fn short_circuit(&mut self, a: &'a Expr, b: &'a Expr, conjunction: bool) -> Value {
        let left = self.scalar(a);
        if is_eager(b) {
            let right = self.scalar(b);
            let op = if conjunction {
                ScalarOp::BoolAnd
            } else {
                ScalarOp::BoolOr
            };
            return self.op(op, &[left, right]);
        }
        let decided = self.boolean(!conjunction);
        let (open, right) = self.plain_region(left, conjunction, a, |this| vec![this.scalar(b)]);
        let closed = SourceRegion {
            insts: Vec::new(),
            yields: vec![decided],
        };
        let open = SourceRegion {
            yields: right,
            ..open
        };
        let (then, els) = if conjunction {
            (open, closed)
        } else {
            (closed, open)
        };
        self.world.b.if_(left, then, els)[0]
    }

    fn select(&mut self, c: &'a Expr, x: &'a Expr, y: &'a Expr) -> Val {
        let cond = self.scalar(c);
        if is_eager(x) && is_eager(y) {
            let (xs, ys) = (self.expr(x), self.expr(y));
            let pairs = xs.into_iter().zip(ys);
            return pairs.map(|(x, y)| self.select_op(cond, x, y)).collect();
        }
        let (then, xs) = self.plain_region(cond, true, c, |this| this.expr(x));
        let (els, ys) = self.plain_region(cond, false, c, |this| this.expr(y));
        let then = SourceRegion { yields: xs, ..then };
        let els = SourceRegion { yields: ys, ..els };
        self.world.b.if_(cond, then, els)
    }

    /// `c and x or y` of two values at hand.
    pub(super) fn select_op(&mut self, cond: Value, x: Value, y: Value) -> Value {
        if x == y {
            return x;
        }
        let op = match self.world.b.ty(x) {
            Scalar::F32 => ScalarOp::F32Select,
            Scalar::U32 => ScalarOp::U32Select,
            Scalar::I32 => ScalarOp::I32Select,
            Scalar::Bool => ScalarOp::BoolSelect,
        };
        self.op(op, &[cond, x, y])
    }

    /// A region without phases, built while `cond` is known.
    fn plain_region(
        &mut self,
        cond: Value,
        truth: bool,
        authored: &'a Expr,
        inside: impl FnOnce(&mut Self) -> Val,
    ) -> (SourceRegion, Val) {
        self.world.b.open();
        self.numbers.open();
        let val = self.given(cond, truth, Some(authored), inside);
        self.numbers.close();
        (self.world.b.close(Vec::new()), val)
    }

    /// The scratch array behind a reference in the current function.
    pub(super) fn array(&self, array: ArrayRef) -> ScratchId {
        match array {
            ArrayRef::Scratch(at) => ScratchId(at),
            ArrayRef::Param(id) => self
                .frame()
                .arrays
                .get(id.index())
                .copied()
                .flatten()
                .expect("check resolves scratch parameters"),
        }
    }

    /// Inlines a helper: its arguments are evaluated here, left to right, and its statements run
    /// with a frame of their own.
    pub(super) fn call(&mut self, id: HelperId, args: &'a [Arg], at: SrcSpan) -> Option<Val> {
        let func = &self.program.helpers[id.index()];
        let mut frame = Frame {
            func,
            env: vec![None; func.locals.len() + 2],
            spans: vec![None; func.params.len()],
            arrays: vec![None; func.params.len()],
            loops: 0,
            call: Some(at),
        };
        for (at, (arg, param)) in args.iter().zip(&func.params).enumerate() {
            match (arg, param.kind) {
                (Arg::Value(e), ParamKind::Value(_, local)) => {
                    frame.env[local.index()] = Some(self.expr(e));
                }
                (Arg::Span(id), _) => frame.spans[at] = Some(self.span(*id)),
                (Arg::Array(array), _) => frame.arrays[at] = Some(self.array(*array)),
                (Arg::Value(_), ParamKind::Span(..) | ParamKind::Scratch(_)) => {}
            }
        }
        if !self.enter(at) {
            self.leave();
            return None;
        }
        self.frames.push(frame);
        self.seq(&func.body.stmts, None, false);
        let result = self.frames.pop().and_then(|mut frame| {
            let slot = frame.result();
            frame.env[slot].take()
        });
        self.leave();
        result
    }
}
