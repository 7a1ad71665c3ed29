//! Loops: `while`, `repeat ... until`, the counted `for`, `break` and `continue`.
//!
//! The `until` of a `repeat` sees the body's locals, so a `continue` that skips the declaration of
//! one that it reads is refused. A counted loop's bounds are int32; in a controller they may be
//! uint32 and the last may be `n + k` or `n - k`, which is added without wrapping.

use super::func::{Func, LoopFrame, Zone};
use super::hint::Hint;
use super::literal::Literal;
use super::types::{F32, I32, U32};
use super::{Checked, Checker, Reported, fold};
use crate::diag::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind, LocalId, StmtKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use nupp_ir::ir::entity::Scalar;

impl Checker<'_> {
    pub(super) fn while_stmt(
        &mut self,
        func: &mut Func,
        cond: &ast::Expr,
        body: &ast::Block,
    ) -> Checked<StmtKind> {
        let cond = self.truth(func, cond);
        func.loops.push(LoopFrame::default());
        let body = self.scoped(func, body);
        func.loops.pop();
        Ok(StmtKind::While(cond?, body))
    }

    pub(super) fn repeat_stmt(
        &mut self,
        func: &mut Func,
        body: &ast::Block,
        cond: &ast::Expr,
    ) -> Checked<StmtKind> {
        func.push_scope();
        func.loops.push(LoopFrame::default());
        let body = self.block(func, body);
        let frame = func.loops.pop().unwrap_or_default();
        let cond = self.truth(func, cond);
        func.pop_scope();
        let cond = cond?;
        let mut read = Vec::new();
        locals_of(&cond, &mut read);
        for (at, declared) in frame.continues {
            let skipped = read
                .iter()
                .find(|id| id.index() >= declared && id.index() < func.locals.len());
            let Some(skipped) = skipped.copied().filter(|id| declares(&body, *id)) else {
                continue;
            };
            let name = func.locals[skipped.index()].name.clone();
            let message = format!(
                "this `continue` skips the declaration of `{}`, which the `until` reads",
                name.text
            );
            let help = format!(
                "declare `{}` before the `continue`, or before the loop",
                name.text
            );
            self.report(
                Diagnostic::new(Code::ContinueSkips, at, message)
                    .help(help)
                    .note(Some(name.at), format!("`{}` is declared here", name.text)),
            );
        }
        Ok(StmtKind::Repeat(body, cond))
    }

    pub(super) fn break_stmt(&mut self, func: &Func, at: SrcSpan) -> Checked<StmtKind> {
        if !func.loops.is_empty() {
            return Ok(StmtKind::Break);
        }
        Err(self.outside_loop(func, "break", at))
    }

    pub(super) fn continue_stmt(&mut self, func: &mut Func, at: SrcSpan) -> Checked<StmtKind> {
        let declared = func.locals.len();
        match func.loops.last_mut() {
            Some(frame) => frame.continues.push((at, declared)),
            // At the top level of a map it ends the lane.
            None if func.zone == Zone::Map => {}
            None => return Err(self.outside_loop(func, "continue", at)),
        }
        Ok(StmtKind::Continue)
    }

    fn outside_loop(&mut self, func: &Func, word: &str, at: SrcSpan) -> Reported {
        match func.zone {
            Zone::Phase => self.refuse(
                Code::ControlCrossesPhase,
                at,
                format!("`{word}` cannot leave a phase: all lanes meet at its end"),
                "put the rest of the phase into an `if`; decide about the loop in the controller",
            ),
            Zone::Map => self.refuse(
                Code::LoopControl,
                at,
                "`break` cannot end a map's loop: each element is a lane of its own",
                "write `continue` to end this lane",
            ),
            _ => self.refuse(
                Code::LoopControl,
                at,
                format!("`{word}` stands in no loop"),
                "put it into a `while`, `repeat` or `for`, or what follows it into an `if`",
            ),
        }
    }

    pub(super) fn for_stmt(
        &mut self,
        func: &mut Func,
        var: &ast::Name,
        [lo, hi]: [&ast::Expr; 2],
        body: &ast::Block,
    ) -> Checked<StmtKind> {
        self.refuse_taken(var);
        let unsigned = func.zone == Zone::Controller
            && [lo, hi]
                .iter()
                .any(|bound| self.hint(func, bound) == Hint::Known(U32));
        let ty = if unsigned { U32 } else { I32 };
        let first = self.bound(func, lo, ty).and_then(|lo| {
            if unsigned && is_sum(&lo) {
                return Err(self.first_bound_sum(&lo));
            }
            Ok(lo)
        });
        let last = self.last_bound(func, hi, ty);
        func.push_scope();
        let id = func.declare(var, ty, false);
        let natural =
            matches!(&first, Ok(lo) if fold::bits(lo).is_some_and(|bits| bits as i32 >= 0));
        func.facts[id.index()].counter = ty == I32 && natural;
        if let Ok((hi, 0)) = &last
            && let Some(bits) = fold::bits(hi)
        {
            func.facts[id.index()].most = bits as i32;
        }
        func.loops.push(LoopFrame::default());
        let body = self.block(func, body);
        func.loops.pop();
        func.pop_scope();
        Ok(StmtKind::For {
            var: id,
            lo: first?,
            hi: last?,
            body,
        })
    }

    fn last_bound(&mut self, func: &mut Func, hi: &ast::Expr, ty: Ty) -> Checked<(Expr, i64)> {
        if ty != U32 {
            return Ok((self.bound(func, hi, ty)?, 0));
        }
        // `n + k` and `n - k` keep the constant apart, so that nothing wraps.
        let (base, by) = match &hi.kind {
            ast::ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), _, base, by)
                if self.is_exact(func, by) && !self.is_exact(func, base) =>
            {
                let by = self.bound(func, by, ty)?;
                let by = i64::from(fold::bits(&by).unwrap_or(0));
                (&**base, if *op == BinaryOp::Add { by } else { -by })
            }
            _ => (hi, 0),
        };
        let value = self.bound(func, base, ty)?;
        if is_sum(&value) {
            return Err(self.long_sum(hi.at));
        }
        Ok((value, by))
    }

    fn long_sum(&mut self, at: SrcSpan) -> Reported {
        let text = self.quote(at);
        self.refuse(
            Code::ForBound,
            at,
            format!("`{text}` might wrap: a uint32 bound is a value, or one with a constant added"),
            format!("name it first, modulo 2^32: `local last = {text}`"),
        )
    }

    fn first_bound_sum(&mut self, value: &Expr) -> Reported {
        let text = self.quote(value.at);
        self.refuse(
            Code::ForBound,
            value.at,
            format!("`{text}` might wrap, and a loop's first value is taken as it is"),
            format!("name it first, modulo 2^32: `local first = {text}`"),
        )
    }

    /// A bound of a counted loop of type `ty`.
    fn bound(&mut self, func: &mut Func, bound: &ast::Expr, ty: Ty) -> Checked<Expr> {
        if let Some(literal) = self.exact(func, bound) {
            return self.literal_bound(&literal?, ty, bound.at);
        }
        match self.hint(func, bound) {
            Hint::Known(found) if found != ty => Err(self.wrong_bound(bound, found)),
            _ => self.value(func, bound, Some(ty)),
        }
    }

    fn literal_bound(&mut self, literal: &Literal, ty: Ty, at: SrcSpan) -> Checked<Expr> {
        let text = self.quote(at);
        let whole = literal.value.to_int().filter(|_| !literal.float_only);
        let Some(value) = whole else {
            return Err(self.refuse(
                Code::ForBound,
                at,
                format!("`{text}` is no integer, and a counted loop has step one"),
                "write an integer, or a `while` loop with a float",
            ));
        };
        let (scalar, range, help) = match ty {
            U32 => (
                Scalar::U32,
                0..=i128::from(u32::MAX),
                "start at 0 or above: the other bound is uint32, and so is the variable",
            ),
            _ => (
                Scalar::I32,
                i128::from(i32::MIN)..=i128::from(i32::MAX),
                "count with a `while` loop over a `uint32`: `while cursor < n do ... end`",
            ),
        };
        if range.contains(&value) {
            return Ok(super::types::constant(scalar, value as u32, at));
        }
        let message = format!("`{text}` is outside {} to {}", range.start(), range.end());
        Err(self.refuse(Code::ForBound, at, message, help))
    }

    fn wrong_bound(&mut self, bound: &ast::Expr, found: Ty) -> Reported {
        let text = self.quote(bound.at);
        let have = self.type_name(found);
        let (message, help) = match found {
            U32 => (
                format!("`{text}` is uint32, and a counted loop runs over int32"),
                match &bound.kind {
                    ast::ExprKind::Unary(UnaryOp::Len, ..) => format!(
                        "walk it with a cursor: \
                         `local c: uint32 = 0 while c < {text} do ... c = c + 1 end`"
                    ),
                    _ => format!("write `i32.wrap({text})`, or a `while` loop over a `uint32`"),
                },
            ),
            I32 => (
                format!("`{text}` is int32, and the other bound is uint32"),
                format!("write `u32.wrap({text})`"),
            ),
            F32 => (
                format!("`{text}` is `{have}`, and a counted loop's bounds are int32"),
                format!("write `i32.saturate({text})`, or a `while` loop"),
            ),
            Ty::Scalar(_) | Ty::Struct(_) => (
                format!("`{text}` is `{have}`, and a counted loop's bounds are int32"),
                "write an int32 or an integer".to_owned(),
            ),
        };
        self.refuse(Code::ForBound, bound.at, message, help)
    }
}

/// Whether it adds or subtracts at run time, so that it may have wrapped.
fn is_sum(value: &Expr) -> bool {
    use nupp_ir::ir::op::ScalarOp::{U32Add, U32Sub};
    matches!(value.kind, ExprKind::Op(U32Add | U32Sub, _))
}

/// The locals an expression reads.
fn locals_of(expr: &Expr, out: &mut Vec<LocalId>) {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Length(_) => {}
        ExprKind::Local(id) => out.push(*id),
        ExprKind::Op(_, args) | ExprKind::Struct(_, args) => {
            args.iter().for_each(|arg| locals_of(arg, out));
        }
        ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Let(_, a, b) => {
            locals_of(a, out);
            locals_of(b, out);
        }
        ExprKind::Select(a, b, c) => {
            locals_of(a, out);
            locals_of(b, out);
            locals_of(c, out);
        }
        ExprKind::Load(_, of) | ExprKind::SlotLoad(_, of) | ExprKind::Field(of, _) => {
            locals_of(of, out);
        }
        ExprKind::Call(_, args) => {
            for arg in args {
                if let crate::hir::Arg::Value(value) = arg {
                    locals_of(value, out);
                }
            }
        }
    }
}

/// Whether a block's own statements declare a local.
fn declares(block: &crate::hir::Block, id: LocalId) -> bool {
    let here = |stmt: &crate::hir::Stmt| matches!(stmt.kind, StmtKind::Let(made, _) if made == id);
    block.stmts.iter().any(here)
}
