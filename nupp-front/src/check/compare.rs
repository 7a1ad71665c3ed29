//! Comparisons.
//!
//! There is `==`, `<` and `<=`; the others are these turned round or negated. An int32 and a uint32
//! compare by mathematical value. Two constants without a type compare exactly.

use std::cmp::Ordering;

use super::func::{Binding, Func};
use super::hint::Hint;
use super::library::named;
use super::ops::At;
use super::types::{BOOL, F32, I32, U32, constant, has_call, is_integer};
use super::{Checked, Checker, fold};
use crate::diag::Code;
use crate::hir::{Expr, Ty};
use crate::syntax::ast::{self, BinaryOp};
use nupp_ir::ir::entity::Scalar;
use nupp_ir::ir::op::ScalarOp as S;

impl Checker<'_> {
    /// Whether an int32 made of counted-loop variables is never negative and never wraps, so that
    /// it may as well be compared as uint32; any other is compared by its value.
    fn is_natural(&mut self, func: &mut Func, expr: &ast::Expr) -> bool {
        let (least, most) = self.reach(func, expr);
        least >= 0 && most <= i64::from(i32::MAX)
    }

    /// The least and the greatest number that a sum or product of counted-loop variables and
    /// numbers may be, wide where nothing is known.
    fn reach(&mut self, func: &mut Func, expr: &ast::Expr) -> (i64, i64) {
        let wide = (i64::MIN, i64::MAX);
        match &expr.kind {
            ast::ExprKind::Name(name) if self.hint_name(func, name) == Hint::Counter => {
                match func.lookup(name) {
                    Some(Binding::Local(id)) => (0, func.facts[id.index()].most.into()),
                    _ => wide,
                }
            }
            ast::ExprKind::Binary(
                op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul),
                _,
                a,
                b,
            ) => {
                let ((a, b), (c, d)) = (self.reach(func, a), self.reach(func, b));
                // A part that may wrap makes the whole unknown.
                let fits = |n: i64| i32::try_from(n).is_ok();
                if ![a, b, c, d].into_iter().all(fits) {
                    return wide;
                }
                match op {
                    BinaryOp::Add => (a + c, b + d),
                    BinaryOp::Sub => (a - d, b - c),
                    _ => {
                        let all = [a * c, a * d, b * c, b * d];
                        let least = all.into_iter().fold(i64::MAX, i64::min);
                        (least, all.into_iter().fold(i64::MIN, i64::max))
                    }
                }
            }
            _ if self.is_exact(func, expr) => {
                let number = self.exact(func, expr).and_then(|n| n.ok()?.value.to_int());
                let number = number.and_then(|n| i64::try_from(n).ok());
                number.map_or(wide, |n| (n, n))
            }
            _ => wide,
        }
    }

    /// A comparison.
    pub(super) fn compare(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        op: At<BinaryOp>,
        [a, b]: [&ast::Expr; 2],
    ) -> Checked<Expr> {
        if self.is_exact(func, a)
            && self.is_exact(func, b)
            && let (Some(a), Some(b)) = (self.exact(func, a), self.exact(func, b))
        {
            let holds = order_holds(op.0, a?.value.compare(&b?.value));
            return Ok(constant(Scalar::Bool, u32::from(holds), expr.at));
        }
        self.refuse_chain(func, expr, op.0, [a, b])?;
        self.refuse_special_comparison(func, expr, op.0, [a, b])?;
        let (ta, tb) = (self.hint(func, a).ty(), self.hint(func, b).ty());
        let both = ta.zip(tb);
        if let Some((ta, tb)) = both {
            let counter = [a, b]
                .into_iter()
                .any(|side| self.hint(func, side) == Hint::Counter && self.is_natural(func, side));
            if ta != tb && is_integer(ta) && is_integer(tb) && !counter {
                let (left, right) = (self.value(func, a, None), self.value(func, b, None));
                return Ok(mixed(func, op.0, left?, right?));
            }
        }
        if let Some(made) = self.compare_outside(func, op.0, [a, b]) {
            return made;
        }
        self.refuse_mixed(func, expr, op.0, [a, b])?;
        let ty = self.operand_type(func, &[a, b], None, expr.at)?;
        let left = self.value(func, a, Some(ty));
        let right = self.value(func, b, Some(ty));
        let (left, right) = (left?, right?);
        let equality = matches!(op.0, BinaryOp::Eq | BinaryOp::Ne);
        match ty {
            BOOL if equality => {
                let differ = fold::op(S::BoolXor, vec![left, right]);
                Ok(if op.0 == BinaryOp::Ne {
                    differ
                } else {
                    fold::not(differ)
                })
            }
            F32 | I32 | U32 => Ok(compared(func, op.0, ty, left, right)),
            _ => {
                let message = format!(
                    "`{}` is not defined on `{}`",
                    op.0.text(),
                    self.type_name(ty)
                );
                let help = if ty == BOOL {
                    "compare booleans with `==` and `~=`"
                } else {
                    "compare field by field: `a.x == b.x and a.y == b.y`"
                };
                Err(self.refuse(Code::OperatorType, op.1, message, help))
            }
        }
    }
}

impl Checker<'_> {
    /// The order of a number and an integer of the type that does not hold it and that the other
    /// integer type does: `-1 < #s`. Equality is left to be refused, since it never holds.
    fn compare_outside(
        &mut self,
        func: &mut Func,
        op: BinaryOp,
        [a, b]: [&ast::Expr; 2],
    ) -> Option<Checked<Expr>> {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let (number, other) = if self.is_exact(func, a) {
            (a, b)
        } else {
            (b, a)
        };
        let ty = match self.hint(func, other).ty()? {
            U32 => I32,
            I32 => U32,
            _ => return None,
        };
        if !self.is_exact(func, number) || self.is_exact(func, other) {
            return None;
        }
        let known = self.diags.len();
        let value = self.exact(func, number).and_then(Result::ok);
        self.diags.truncate(known);
        let value = value.filter(|value| !value.float_only)?.value.to_int()?;
        let inside = |ty| match ty {
            U32 => u32::try_from(value).is_ok(),
            _ => i32::try_from(value).is_ok(),
        };
        let own = if ty == U32 { I32 } else { U32 };
        if inside(own) || !inside(ty) {
            return None;
        }
        let want = |side: &ast::Expr| if std::ptr::eq(side, number) { ty } else { own };
        let left = self.value(func, a, Some(want(a)));
        let right = self.value(func, b, Some(want(b)));
        Some(left.and_then(|left| Ok(mixed(func, op, left, right?))))
    }
}

/// Whether a comparison holds for two values in this order.
fn order_holds(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// A comparison of two values of one numeric type. `>` is `<` the other way round; where both
/// sides call helpers the left one is named first, so that it still runs first.
fn compared(func: &mut Func, op: BinaryOp, ty: Ty, a: Expr, b: Expr) -> Expr {
    let (eq, lt, le) = match ty {
        F32 => (S::F32Eq, S::F32Lt, S::F32Le),
        I32 => (S::I32Eq, S::I32Lt, S::I32Le),
        _ => (S::U32Eq, S::U32Lt, S::U32Le),
    };
    let turned = |func: &mut Func, op, a, b| {
        if has_call(&a) && has_call(&b) {
            named(func, a, |_, a| fold::op(op, vec![b, a]))
        } else {
            fold::op(op, vec![b, a])
        }
    };
    match op {
        BinaryOp::Eq => fold::op(eq, vec![a, b]),
        BinaryOp::Ne => fold::not(fold::op(eq, vec![a, b])),
        BinaryOp::Lt => fold::op(lt, vec![a, b]),
        BinaryOp::Le => fold::op(le, vec![a, b]),
        BinaryOp::Gt => turned(func, lt, a, b),
        _ => turned(func, le, a, b),
    }
}

/// A comparison of an int32 with a uint32, either way round, by mathematical value.
fn mixed(func: &mut Func, op: BinaryOp, a: Expr, b: Expr) -> Expr {
    named(func, a, |func, a| {
        named(func, b, |func, b| {
            let signed_left = a.ty == I32;
            let at = a.at.to(b.at);
            let zero = constant(Scalar::I32, 0, at);
            let signed = if signed_left { a.clone() } else { b.clone() };
            let negative = fold::op(S::I32Lt, vec![signed.clone(), zero.clone()]);
            let natural = fold::op(S::I32Le, vec![zero, signed]);
            let word = |value: Expr| match value.ty {
                I32 => fold::op(S::U32FromI32, vec![value]),
                _ => value,
            };
            let by_word = compared(func, op, U32, word(a), word(b));
            // A negative int32 is below every uint32.
            let below = matches!(op, BinaryOp::Lt | BinaryOp::Le);
            let above = matches!(op, BinaryOp::Gt | BinaryOp::Ge);
            if op == BinaryOp::Ne || (signed_left && below) || (!signed_left && above) {
                fold::or(negative, by_word)
            } else {
                fold::and(natural, by_word)
            }
        })
    })
}
