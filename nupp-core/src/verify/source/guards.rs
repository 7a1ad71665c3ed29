//! What a kernel's guards say of span lengths, as sums that are at most 0.
//!
//! Only what holds whenever the guard holds is taken; from a disjunction that is nothing.

use super::linear::{Linear, Term};
use crate::ir::kernel::{CmpOp, LengthCond, LengthSum};

/// Sums that are at most 0 when the condition is true (or, where the flag is false, false).
///
/// The condition nests no deeper than the declarations' check allows.
pub fn implied(cond: &LengthCond, truth: bool, out: &mut Vec<Linear>) {
    match cond {
        LengthCond::Not(inner) => implied(inner, !truth, out),
        LengthCond::And(a, b) if truth => {
            implied(a, truth, out);
            implied(b, truth, out);
        }
        LengthCond::Or(a, b) if !truth => {
            implied(a, truth, out);
            implied(b, truth, out);
        }
        LengthCond::And(..) | LengthCond::Or(..) => {}
        LengthCond::Cmp { op, lhs, rhs } => {
            let op = if truth { *op } else { negated(*op) };
            if let (Some(a), Some(b)) = (sum(lhs), sum(rhs)) {
                compared(op, &a, &b, out);
            }
        }
    }
}

/// The comparison that holds when this one does not.
fn negated(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}

/// Sums that are at most 0 when `a op b`, in exact integers.
fn compared(op: CmpOp, a: &Linear, b: &Linear, out: &mut Vec<Linear>) {
    let mut add = |less: &Linear, more: &Linear, apart: i128| {
        out.extend(less.minus(more).and_then(|sum| sum.plus(apart)));
    };
    match op {
        CmpOp::Eq => {
            add(a, b, 0);
            add(b, a, 0);
        }
        CmpOp::Ne => {}
        CmpOp::Lt => add(a, b, 1),
        CmpOp::Le => add(a, b, 0),
        CmpOp::Gt => add(b, a, 1),
        CmpOp::Ge => add(b, a, 0),
    }
}

fn sum(authored: &LengthSum) -> Option<Linear> {
    let start = Linear::constant(0).plus(i128::from(authored.constant));
    authored.terms.iter().fold(start, |sum, &(factor, span)| {
        sum?.combine(1, &Linear::term(Term::Length(span)), i128::from(factor))
    })
}
