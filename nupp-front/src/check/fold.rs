//! Makes operations, and does at once those whose operands are constants.
//!
//! A result that is NaN is left to run time: which operation made it can matter to a reader of the
//! code, and no constant of the language is NaN. Everything else is the same for constants as for
//! any value, so doing it early changes no bit.

use super::types::{BOOL, constant};
use crate::hir::{Expr, ExprKind, Ty};
use crate::span::SrcSpan;
use nupp_ir::ir::entity::Scalar;
use nupp_ir::ir::op::ScalarOp;
use nupp_ir::scalar::apply;

/// The bits of a constant.
pub(super) fn bits(expr: &Expr) -> Option<u32> {
    match expr.kind {
        ExprKind::Const(bits) => Some(bits),
        _ => None,
    }
}

/// `op(args)`; it stands where its arguments stand.
pub(super) fn op(op: ScalarOp, args: Vec<Expr>) -> Expr {
    let at = args
        .iter()
        .map(|arg| arg.at)
        .reduce(SrcSpan::to)
        .unwrap_or_default();
    let result = op.result();
    let constants: Option<Vec<u32>> = args.iter().map(bits).collect();
    if let Some(constants) = constants {
        let value = apply(op, &constants);
        if result != Scalar::F32 || !f32::from_bits(value).is_nan() {
            return constant(result, value, at);
        }
    }
    Expr {
        ty: Ty::Scalar(result),
        kind: ExprKind::Op(op, args),
        at,
    }
}

/// `not x`.
pub(super) fn not(x: Expr) -> Expr {
    op(ScalarOp::BoolNot, vec![x])
}

/// `a and b`, `b` evaluated only where `a` is true.
pub(super) fn and(a: Expr, b: Expr) -> Expr {
    let at = a.at.to(b.at);
    match bits(&a) {
        Some(0) => Expr { at, ..a },
        Some(_) => b,
        None => Expr {
            ty: BOOL,
            kind: ExprKind::And(Box::new(a), Box::new(b)),
            at,
        },
    }
}

/// `a or b`, `b` evaluated only where `a` is false.
pub(super) fn or(a: Expr, b: Expr) -> Expr {
    let at = a.at.to(b.at);
    match bits(&a) {
        Some(0) => b,
        Some(_) => Expr { at, ..a },
        None => Expr {
            ty: BOOL,
            kind: ExprKind::Or(Box::new(a), Box::new(b)),
            at,
        },
    }
}

/// `yes` where `cond` is true, else `no`; only the chosen one is evaluated. Both have one type.
pub(super) fn select(cond: Expr, yes: Expr, no: Expr) -> Expr {
    match bits(&cond) {
        Some(0) => no,
        Some(_) => yes,
        None => Expr {
            ty: yes.ty,
            at: cond.at.to(yes.at).to(no.at),
            kind: ExprKind::Select(Box::new(cond), Box::new(yes), Box::new(no)),
        },
    }
}
