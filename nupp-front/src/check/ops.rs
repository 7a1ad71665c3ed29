//! Operators: the type their operands share, and the operations they are.
//!
//! Numbers beside a typed value take its type; two typed values must agree, since nothing converts
//! by itself. Comparisons are in `compare`, the logical operators in `logic`.

use super::func::{Binding, Func};
use super::hint::Hint;
use super::types::{BOOL, F32, I32, U32, is_integer};
use super::{Checked, Checker, fold};
use crate::diag::Code;
use crate::hir::{Expr, ExprKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use nupp_ir::ir::op::ScalarOp as S;

/// An operator and where it stands.
pub(super) type At<T> = (T, SrcSpan);

impl Checker<'_> {
    /// The type two operands share, without regard to whether both have it.
    ///
    /// `want` decides where the operands are numbers; `at` is what is reported as ambiguous.
    pub(super) fn operand_type(
        &mut self,
        func: &mut Func,
        operands: &[&ast::Expr],
        want: Option<Ty>,
        at: SrcSpan,
    ) -> Checked<Ty> {
        let hints = operands.iter().map(|operand| self.hint(func, operand));
        match hints.reduce(Hint::join).unwrap_or(Hint::Unknown) {
            Hint::Known(ty) => Ok(ty),
            Hint::Float => Ok(F32),
            Hint::Counter if want == Some(U32) => Ok(U32),
            Hint::Counter => Ok(I32),
            Hint::Int => match want {
                Some(want @ (F32 | I32 | U32)) => Ok(want),
                _ => Err(self.ambiguous(at)),
            },
            Hint::Unknown => {
                let mut found = Err(super::Reported);
                for operand in operands {
                    if self.hint(func, operand) == Hint::Unknown {
                        found = self.value(func, operand, None).map(|value| value.ty);
                    }
                }
                found
            }
        }
    }

    /// Reports two operands whose types are both known and differ.
    pub(super) fn refuse_mixed(
        &mut self,
        func: &Func,
        expr: &ast::Expr,
        op: BinaryOp,
        [a, b]: [&ast::Expr; 2],
    ) -> Checked<()> {
        let (ha, hb) = (self.hint(func, a), self.hint(func, b));
        let (Some(ta), Some(tb)) = (ha.ty(), hb.ty()) else {
            return Ok(());
        };
        if ta == tb
            || ha.join(hb) == Hint::Known(U32)
                && is_integer(ta)
                && is_integer(tb)
                && [ha, hb].contains(&Hint::Counter)
        {
            return Ok(());
        }
        let (text_a, text_b) = (self.quote(a.at), self.quote(b.at));
        let message = format!(
            "the operands of `{}` have different types: `{text_a}` is `{}` and `{text_b}` is `{}`",
            op.text(),
            self.type_name(ta),
            self.type_name(tb),
        );
        // A conversion to float keeps more than one from it.
        let help = if ta == F32 || tb != F32 {
            self.conversion(&text_b, tb, ta)
        } else {
            self.conversion(&text_a, ta, tb)
        };
        Err(self.refuse(Code::MixedTypes, expr.at, message, help))
    }

    /// A binary operator.
    pub(super) fn binary(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        op: At<BinaryOp>,
        [a, b]: [&ast::Expr; 2],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        match op.0 {
            BinaryOp::Or => self.or(func, expr, [a, b], want),
            BinaryOp::And => self.and(func, [a, b]),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => self.compare(func, expr, op, [a, b]),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(func, expr, op, [a, b], want),
            BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::BitAnd
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div => self.arithmetic(func, expr, op, [a, b], want),
        }
    }

    fn arithmetic(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        op: At<BinaryOp>,
        [a, b]: [&ast::Expr; 2],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        self.refuse_mixed(func, expr, op.0, [a, b])?;
        // Numbers alone divide as floats, unless an integer is asked for, which is refused.
        let divides = op.0 == BinaryOp::Div && !matches!(want, Some(I32 | U32));
        let want = if divides { Some(F32) } else { want };
        let booleans = want == Some(BOOL);
        let ty = self.operand_type(func, &[a, b], want, expr.at)?;
        if ty == BOOL {
            return Err(self.wrong_operator(op, ty, [a, b], booleans));
        }
        let left = self.value(func, a, Some(ty));
        let right = self.value(func, b, Some(ty));
        let (left, right) = (left?, right?);
        match arithmetic_op(op.0, ty) {
            Some(made) => Ok(fold::op(made, vec![left, right])),
            None => Err(self.wrong_operator(op, ty, [a, b], booleans)),
        }
    }

    fn wrong_operator(
        &mut self,
        (op, at): At<BinaryOp>,
        ty: Ty,
        [a, b]: [&ast::Expr; 2],
        booleans: bool,
    ) -> super::Reported {
        let (a, b) = (self.quote(a.at), self.quote(b.at));
        if op == BinaryOp::Div && is_integer(ty) {
            let library = if ty == U32 { "u32" } else { "i32" };
            return self.refuse(
                Code::IntegerDivision,
                at,
                "`/` divides floats only, since integers have more than one quotient",
                format!("write `{library}.div({a}, {b})`"),
            );
        }
        let name = self.type_name(ty);
        let help = match (op, ty) {
            (BinaryOp::BitAnd, BOOL) => format!("write `{a} and {b}`"),
            (BinaryOp::BitOr, BOOL) => format!("write `{a} or {b}`"),
            (BinaryOp::BitXor, BOOL) => format!("write `{a} ~= {b}`"),
            (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, F32) => {
                "work on its bits: `f32.toBits(x)`, and back with `f32.fromBits`".to_owned()
            }
            (_, Ty::Struct(_)) => "take fields of both: `a.x + b.x`".to_owned(),
            (_, BOOL) if booleans => {
                format!("booleans are combined with `and`, `or` and `not`: `not {a}`")
            }
            (_, Ty::Scalar(_)) => {
                format!("turn it into a number first: `gpu.select({a}, 1, 0)`")
            }
        };
        let message = format!("`{}` is not defined on `{name}`", op.text());
        self.refuse(Code::OperatorType, at, message, help)
    }

    fn shift(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        op: At<BinaryOp>,
        [a, b]: [&ast::Expr; 2],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        // A counted-loop variable is int32, and so is its shift: to the right it keeps the sign of
        // what `i - 1` may be.
        let counter = self.hint(func, a) == Hint::Counter;
        let ty = if counter {
            I32
        } else {
            self.operand_type(func, &[a], want, expr.at)?
        };
        let left = self.value(func, a, Some(ty));
        let count = self.count(func, b);
        let (left, count) = (left?, count?);
        let made = match (op.0, ty) {
            (BinaryOp::Shl, U32) => S::U32Shl,
            (BinaryOp::Shl, I32) => S::I32Shl,
            (_, U32) => S::U32Shr,
            (_, I32) => S::I32Shr,
            _ => {
                let message = format!(
                    "`{}` is not defined on `{}`",
                    op.0.text(),
                    self.type_name(ty)
                );
                return Err(self.refuse(
                    Code::OperatorType,
                    op.1,
                    message,
                    "shift an `int32` or `uint32`; a float's bits are `f32.toBits(x)`",
                ));
            }
        };
        let shifted = fold::op(made, vec![left, count]);
        Ok(if counter && want == Some(U32) {
            fold::op(S::U32FromI32, vec![shifted])
        } else {
            shifted
        })
    }

    /// A shift count, of either integer type, as uint32.
    pub(super) fn count(&mut self, func: &mut Func, expr: &ast::Expr) -> Checked<Expr> {
        let value = match self.hint(func, expr) {
            Hint::Int | Hint::Counter => self.value(func, expr, Some(U32))?,
            _ => self.value(func, expr, None)?,
        };
        match value.ty {
            U32 => Ok(value),
            I32 => Ok(fold::op(S::U32FromI32, vec![value])),
            _ => self.expect(func, value, U32),
        }
    }

    /// A unary operator.
    pub(super) fn unary(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        op: At<UnaryOp>,
        of: &ast::Expr,
        want: Option<Ty>,
    ) -> Checked<Expr> {
        match op.0 {
            UnaryOp::Not => Ok(fold::not(self.truth(func, of)?)),
            UnaryOp::Len => self.length(func, of, expr.at),
            UnaryOp::Neg | UnaryOp::BitNot => {
                let want = if op.0 == UnaryOp::Neg && want == Some(U32) {
                    None
                } else {
                    want
                };
                let ty = self.operand_type(func, &[of], want, expr.at)?;
                let value = self.value(func, of, Some(ty))?;
                let text = self.quote(of.at);
                let made = match (op.0, ty) {
                    (UnaryOp::Neg, F32) => S::F32Neg,
                    (UnaryOp::Neg, I32) => S::I32Neg,
                    (UnaryOp::BitNot, I32) => S::I32Not,
                    (UnaryOp::BitNot, U32) => S::U32Not,
                    _ => {
                        let help = match (op.0, ty) {
                            (UnaryOp::Neg, U32) => format!("write `0 - {text}`, modulo 2^32"),
                            (_, BOOL) => format!("write `not {text}`"),
                            (_, F32) => format!("work on its bits: `~f32.toBits({text})`"),
                            _ => "take a field of it".to_owned(),
                        };
                        let message = format!(
                            "unary `{}` is not defined on `{}`",
                            op.0.text(),
                            self.type_name(ty)
                        );
                        return Err(self.refuse(Code::OperatorType, op.1, message, help));
                    }
                };
                Ok(fold::op(made, vec![value]))
            }
        }
    }

    fn length(&mut self, func: &Func, of: &ast::Expr, at: SrcSpan) -> Checked<Expr> {
        if let ast::ExprKind::Name(name) = &of.kind {
            match func.lookup(name) {
                Some(Binding::Span(span)) => {
                    return Ok(Expr {
                        ty: U32,
                        kind: ExprKind::Length(span),
                        at,
                    });
                }
                Some(Binding::Poison) => return Err(super::Reported),
                None if !self.items.contains_key(name) => {
                    return Err(self.unknown_span(func, name, of.at));
                }
                _ => {}
            }
        }
        let text = self.quote(of.at);
        Err(self.refuse(
            Code::OperatorType,
            at,
            format!("`#` gives the length of a span, and `{text}` is none"),
            "write the name of a span parameter; a scratch array's size is the constant it was \
             declared with",
        ))
    }
}

fn arithmetic_op(op: BinaryOp, ty: Ty) -> Option<S> {
    Some(match (op, ty) {
        (BinaryOp::Add, F32) => S::F32Add,
        (BinaryOp::Sub, F32) => S::F32Sub,
        (BinaryOp::Mul, F32) => S::F32Mul,
        (BinaryOp::Div, F32) => S::F32Div,
        (BinaryOp::Add, I32) => S::I32Add,
        (BinaryOp::Sub, I32) => S::I32Sub,
        (BinaryOp::Mul, I32) => S::I32Mul,
        (BinaryOp::BitAnd, I32) => S::I32And,
        (BinaryOp::BitOr, I32) => S::I32Or,
        (BinaryOp::BitXor, I32) => S::I32Xor,
        (BinaryOp::Add, U32) => S::U32Add,
        (BinaryOp::Sub, U32) => S::U32Sub,
        (BinaryOp::Mul, U32) => S::U32Mul,
        (BinaryOp::BitAnd, U32) => S::U32And,
        (BinaryOp::BitOr, U32) => S::U32Or,
        (BinaryOp::BitXor, U32) => S::U32Xor,
        _ => return None,
    })
}
