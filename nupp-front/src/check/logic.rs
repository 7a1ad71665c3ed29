//! `and`, `or`, `not`, conditions, and the selection that `c and x or y` is.
//!
//! On booleans `and` and `or` are short-circuit logic; with numbers after them, the pattern
//! `c and x or y` selects, and anything else is refused.

use super::func::Func;
use super::hint::Hint;
use super::types::{BOOL, F32, U32};
use super::{Checked, Checker, fold};
use crate::diag::Code;
use crate::hir::{Expr, Ty};
use crate::syntax::ast::{self, BinaryOp};

impl Checker<'_> {
    /// `a and b`.
    pub(super) fn and(&mut self, func: &mut Func, [a, b]: [&ast::Expr; 2]) -> Checked<Expr> {
        let cond = self.truth(func, a);
        let hint = self.hint(func, b);
        if let Some(ty) = hint
            .ty()
            .filter(|ty| *ty != BOOL)
            .or((hint == Hint::Int).then_some(U32))
        {
            let at = b.at;
            let (a, b) = (self.quote(a.at), self.quote(b.at));
            let other = if ty == F32 { "0.0" } else { "0" };
            let message = format!("`and` takes booleans, and `{b}` is none");
            let help = format!("to select, write both sides: `{a} and {b} or {other}`");
            return Err(self.refuse(Code::WrongType, at, message, help));
        }
        let other = self.truth(func, b);
        Ok(fold::and(cond?, other?))
    }

    /// `a or b`, or the selection `c and x or y`.
    pub(super) fn or(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        [a, b]: [&ast::Expr; 2],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        if let ast::ExprKind::Binary(BinaryOp::And, _, cond, yes) = &a.kind {
            let hint = self.hint(func, yes).join(self.hint(func, b));
            let number = hint.ty().is_some_and(|ty| ty != BOOL) || hint == Hint::Int;
            if number {
                return self.select(func, expr, [cond, yes, b], want);
            }
        }
        let left = self.truth(func, a);
        let right = self.truth(func, b);
        Ok(fold::or(left?, right?))
    }

    /// `cond and yes or no`, or `gpu.select(cond, yes, no)`.
    pub(super) fn select(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        [cond, yes, no]: [&ast::Expr; 3],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        let cond = self.truth(func, cond);
        let ty = self.operand_type(func, &[yes, no], want, expr.at)?;
        if let Ty::Struct(_) = ty {
            let message = format!("a selection gives a scalar, not `{}`", self.type_name(ty));
            return Err(self.refuse(
                Code::WrongType,
                expr.at,
                message,
                "select each field, or assign in an `if`: `if c then pair = a else pair = b end`",
            ));
        }
        let yes = self.value(func, yes, Some(ty));
        let no = self.value(func, no, Some(ty));
        Ok(fold::select(cond?, yes?, no?))
    }

    /// A condition.
    pub(super) fn truth(&mut self, func: &mut Func, expr: &ast::Expr) -> Checked<Expr> {
        if self.is_exact(func, expr) {
            let text = self.quote(expr.at);
            return Err(self.refuse(
                Code::WrongType,
                expr.at,
                format!("`{text}` is a number, and `boolean` is needed here"),
                "write a comparison, or `true` or `false`",
            ));
        }
        self.value(func, expr, Some(BOOL))
    }
}
