//! Constants: exact values, and the type each takes where it is used.
//!
//! A number has no type of its own: it is kept exactly and rounded once, for the type its context
//! needs. A constant expression is one made of numbers, constants without a type, `+ - * /` and
//! unary `-`; its arithmetic is exact where no type is asked of its parts: in a `const`, and as the
//! argument of `f32.narrow`, `u32.wrap` and `i32.wrap`.

use super::func::Func;
use super::number::{Exact, NumberError, decimal};
use super::types::{constant, scalar_name};
use super::{Checked, Checker, Item, fold};
use crate::diag::Code;
use crate::hir::{Expr, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, ExprKind, NumberValue, UnaryOp};
use nupp_ir::ir::entity::Scalar;

/// An exact constant.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// Its value.
    pub value: Exact,
    /// Only float takes it: it was made with a point, an exponent or a division.
    pub float_only: bool,
}

/// The value of a block-level constant.
#[derive(Clone, Debug)]
pub(super) enum ConstValue {
    /// Typed at each use.
    Exact(Literal),
    /// With a type.
    Typed(Scalar, u32),
}

impl Checker<'_> {
    /// The exact value, where the expression is a constant expression; reports arithmetic that has
    /// no result.
    pub(super) fn exact(&mut self, func: &Func, expr: &ast::Expr) -> Option<Checked<Literal>> {
        match &expr.kind {
            ExprKind::Number(number) => Some(self.number(number, expr.at)),
            ExprKind::Name(name) => self.exact_name(func, name).map(Ok),
            ExprKind::Unary(UnaryOp::Neg, _, of) => Some(self.exact(func, of)?.map(|of| Literal {
                value: of.value.neg(),
                float_only: of.float_only,
            })),
            ExprKind::Binary(op, at, a, b) => {
                let make = exact_op(*op)?;
                // Both sides are looked at before either is reported, so that a side that is no
                // constant leaves no diagnostic behind.
                if !self.is_exact(func, a) || !self.is_exact(func, b) {
                    return None;
                }
                let (a, b) = (self.exact(func, a)?, self.exact(func, b)?);
                let (Ok(a), Ok(b)) = (a, b) else {
                    return Some(Err(super::Reported));
                };
                Some(match make(&a.value, &b.value) {
                    Ok(value) => Ok(Literal {
                        value,
                        float_only: a.float_only || b.float_only || *op == BinaryOp::Div,
                    }),
                    Err(error) => Err(self.number_error(error, expr.at, *at)),
                })
            }
            _ => None,
        }
    }

    /// Whether [`Checker::exact`] answers something; reports nothing.
    pub(super) fn is_exact(&self, func: &Func, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(_) => true,
            ExprKind::Name(name) => self.exact_name(func, name).is_some(),
            ExprKind::Unary(UnaryOp::Neg, _, of) => self.is_exact(func, of),
            ExprKind::Binary(op, _, a, b) => {
                exact_op(*op).is_some() && self.is_exact(func, a) && self.is_exact(func, b)
            }
            _ => false,
        }
    }

    /// A number or constant without a type, with any minus signs before it.
    pub(super) fn signed_literal(
        &mut self,
        func: &Func,
        expr: &ast::Expr,
    ) -> Option<Checked<Literal>> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Name(_) => self.exact(func, expr),
            ExprKind::Unary(UnaryOp::Neg, _, of) => {
                Some(self.signed_literal(func, of)?.map(|of| Literal {
                    value: of.value.neg(),
                    float_only: of.float_only,
                }))
            }
            _ => None,
        }
    }

    fn exact_name(&self, func: &Func, name: &str) -> Option<Literal> {
        if func.lookup(name).is_some() {
            return None;
        }
        match self.items.get(name) {
            Some((Item::Const(ConstValue::Exact(literal)), _)) => Some(literal.clone()),
            _ => None,
        }
    }

    fn number(&mut self, number: &ast::Number, at: SrcSpan) -> Checked<Literal> {
        match &number.value {
            NumberValue::Int(value) => Ok(Literal {
                value: Exact::nat(*value),
                float_only: false,
            }),
            NumberValue::Float(text) => match decimal(text) {
                Ok(value) => Ok(Literal {
                    value,
                    float_only: true,
                }),
                Err(error) => Err(self.number_error(error, at, at)),
            },
        }
    }

    fn number_error(&mut self, error: NumberError, at: SrcSpan, op: SrcSpan) -> super::Reported {
        match error {
            NumberError::DivisionByZero => self.refuse(
                Code::ConstantArithmetic,
                op,
                format!(
                    "`{}` divides by zero, so this constant has no value",
                    self.quote(at)
                ),
                "write a divisor other than 0; infinity is `f32.fromBits(0x7f800000)`",
            ),
            NumberError::TooLong => self.refuse(
                Code::NumberTooLong,
                at,
                format!(
                    "the exact value of this constant takes more than {} bits",
                    super::number::MAX_BITS
                ),
                "give an earlier constant a type, which rounds it: `const NAME: float = ...`",
            ),
            NumberError::Malformed => self.refuse(
                Code::LiteralRange,
                at,
                format!("`{}` is no number", self.quote(at)),
                "write digits with an optional point and exponent: `1.5e3`",
            ),
        }
    }

    /// An exact constant as a value of type `want`.
    pub(super) fn typed(&mut self, literal: &Literal, want: Ty, at: SrcSpan) -> Checked<Expr> {
        let text = self.quote(at);
        let scalar = match want {
            Ty::Scalar(Scalar::Bool) | Ty::Struct(_) => {
                let name = self.type_name(want);
                let help = match want {
                    Ty::Scalar(_) => "write a comparison, or `true` or `false`".to_owned(),
                    Ty::Struct(_) => format!("build one: `{name}(...)`"),
                };
                let message = format!("`{text}` is a number, and `{name}` is needed here");
                return Err(self.refuse(Code::WrongType, at, message, help));
            }
            Ty::Scalar(scalar) => scalar,
        };
        let name = scalar_name(scalar);
        if scalar == Scalar::F32 {
            return match literal.value.to_f32() {
                Some(bits) => Ok(constant(scalar, bits, at)),
                None => Err(self.refuse(
                    Code::LiteralRange,
                    at,
                    format!("`{text}` is too large for `float`"),
                    "write at most 3.4028235e38, or `f32.fromBits(0x7f800000)` for infinity",
                )),
            };
        }
        if literal.float_only {
            let whole = literal.value.to_int().filter(|v| fits(scalar, *v));
            let help = match whole {
                Some(value) => format!("write `{value}`"),
                None => format!(
                    "write an integer, or `{}.wrap({text})`",
                    super::types::library_name(scalar)
                ),
            };
            let message = format!("`{text}` is a float, and `{name}` is needed here");
            return Err(self.refuse(Code::WrongType, at, message, help));
        }
        match literal.value.to_int().filter(|v| fits(scalar, *v)) {
            Some(value) => Ok(constant(scalar, value as u32, at)),
            None => {
                let range = match scalar {
                    Scalar::I32 => "-2147483648 to 2147483647",
                    _ => "0 to 4294967295",
                };
                let library = super::types::library_name(scalar);
                let message = format!("`{name}` cannot hold `{text}`");
                let help =
                    format!("it holds {range}; `{library}.wrap({text})` is the value modulo 2^32");
                Err(self.refuse(Code::LiteralRange, at, message, help))
            }
        }
    }

    /// A constant natural number, for sizes and counts; nothing where the expression is none.
    pub(super) fn constant_u32(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
    ) -> Option<Checked<u32>> {
        if let Some(literal) = self.exact(func, expr) {
            return Some(
                literal
                    .and_then(|l| self.typed(&l, super::types::U32, expr.at))
                    .map(|value| fold::bits(&value).unwrap_or(0)),
            );
        }
        match self.value(func, expr, None) {
            Ok(value) => match (fold::bits(&value), value.ty) {
                (Some(bits), Ty::Scalar(Scalar::U32)) => Some(Ok(bits)),
                (Some(bits), Ty::Scalar(Scalar::I32)) if bits as i32 >= 0 => Some(Ok(bits)),
                _ => None,
            },
            Err(reported) => Some(Err(reported)),
        }
    }
}

fn fits(scalar: Scalar, value: i128) -> bool {
    match scalar {
        Scalar::I32 => i32::try_from(value).is_ok(),
        Scalar::U32 => u32::try_from(value).is_ok(),
        Scalar::F32 | Scalar::Bool => false,
    }
}

type ExactOp = fn(&Exact, &Exact) -> Result<Exact, NumberError>;

fn exact_op(op: BinaryOp) -> Option<ExactOp> {
    match op {
        BinaryOp::Add => Some(Exact::add),
        BinaryOp::Sub => Some(Exact::sub),
        BinaryOp::Mul => Some(Exact::mul),
        BinaryOp::Div => Some(Exact::div),
        _ => None,
    }
}
