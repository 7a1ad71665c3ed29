//! Exact sums of span lengths: what the two sides of a guard are made of.
//!
//! `constant + factor * #span + ...` in exact integers, never modulo 2^32; anything else is a
//! [`Miss`] that says why.

use super::func::{Binding, Func};
use super::library::{self, Module};
use super::paths::Path;
use super::{Checker, Reported};
use crate::hir::{LengthExpr, ParamId};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

/// Larger constants in a guard are refused, so that no sum of lengths overflows 64 bits.
const MOST: i64 = 1 << 40;

/// Why an expression is no sum of lengths.
pub(super) enum Miss {
    /// It is reported.
    Reported,
    /// It reads this local or uniform.
    Name(String),
    /// Something else, here.
    Form(SrcSpan),
    /// A constant past [`MOST`], here.
    Large(SrcSpan),
}

impl Checker<'_> {
    /// An exact sum of lengths.
    pub(super) fn lengths(&mut self, func: &Func, expr: &ast::Expr) -> Result<LengthExpr, Miss> {
        if let Some(literal) = self.exact(func, expr) {
            let literal = literal.map_err(|Reported| Miss::Reported)?;
            if literal.float_only {
                return Err(Miss::Form(expr.at));
            }
            let value = literal
                .value
                .to_int()
                .and_then(|value| i64::try_from(value).ok());
            let small = value.filter(|value| value.abs() <= MOST);
            return Ok(LengthExpr {
                terms: Vec::new(),
                constant: small.ok_or(Miss::Large(expr.at))?,
            });
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Len, _, of) => Ok(LengthExpr {
                terms: vec![(1, self.length_of(func, of)?)],
                constant: 0,
            }),
            ExprKind::Unary(UnaryOp::Neg, _, of) => {
                scaled(self.lengths(func, of)?, -1).ok_or(Miss::Large(expr.at))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), _, a, b) => {
                let (a, b) = (self.lengths(func, a)?, self.lengths(func, b)?);
                let sum = match op {
                    BinaryOp::Add => added(a, b),
                    BinaryOp::Sub => scaled(b, -1).and_then(|b| added(a, b)),
                    _ if a.terms.is_empty() => scaled(b, a.constant),
                    _ if b.terms.is_empty() => scaled(a, b.constant),
                    _ => return Err(Miss::Form(expr.at)),
                };
                sum.ok_or(Miss::Large(expr.at))
            }
            ExprKind::Call(callee, args) => self.wrapped_length(func, expr.at, callee, args),
            ExprKind::Name(name) => Err(match func.lookup(name) {
                Some(Binding::Local(_)) => Miss::Name(name.clone()),
                Some(Binding::Poison) => Miss::Reported,
                None if !self.items.contains_key(name) => {
                    self.unknown_name(func, name, expr.at);
                    Miss::Reported
                }
                _ => Miss::Form(expr.at),
            }),
            ExprKind::Binary(_, _, a, b) => {
                self.lengths(func, a)?;
                self.lengths(func, b)?;
                Err(Miss::Form(expr.at))
            }
            _ => Err(Miss::Form(expr.at)),
        }
    }

    /// `u32.wrap(#s)` is `#s`; of any other call, the first argument that reads a uniform.
    fn wrapped_length(
        &mut self,
        func: &Func,
        at: SrcSpan,
        callee: &ast::Expr,
        args: &[ast::Expr],
    ) -> Result<LengthExpr, Miss> {
        if let ExprKind::Field(base, name) = &callee.kind
            && let ExprKind::Name(span) = &base.kind
            && let Some(Binding::Span(_)) = func.lookup(span)
        {
            self.span_method(func, base, name, args, at);
            return Err(Miss::Reported);
        }
        let path = callee
            .path()
            .and_then(|names| self.path(Some(func), &names));
        let Some(Path::Member(module, name)) = path else {
            return Err(Miss::Form(at));
        };
        let wraps = module == Module::U32 && library::is_conversion(module, &name.text).is_some();
        if let (true, [arg]) = (wraps, args)
            && let ExprKind::Unary(UnaryOp::Len, ..) = arg.kind
        {
            return self.lengths(func, arg);
        }
        for arg in args {
            self.lengths(func, arg)?;
        }
        Err(Miss::Form(at))
    }

    fn length_of(&mut self, func: &Func, of: &ast::Expr) -> Result<ParamId, Miss> {
        let ExprKind::Name(name) = &of.kind else {
            return Err(Miss::Form(of.at));
        };
        match func.lookup(name) {
            Some(Binding::Span(id)) => Ok(id),
            Some(Binding::Poison) => Err(Miss::Reported),
            None if !self.items.contains_key(name) => {
                self.unknown_span(func, name, of.at);
                Err(Miss::Reported)
            }
            _ => Err(Miss::Form(of.at)),
        }
    }
}

/// `sum * by`, where no part passes [`MOST`].
fn scaled(mut sum: LengthExpr, by: i64) -> Option<LengthExpr> {
    let small = |value: Option<i64>| value.filter(|value| value.abs() <= MOST);
    sum.constant = small(sum.constant.checked_mul(by))?;
    for (factor, _) in &mut sum.terms {
        *factor = small(factor.checked_mul(by))?;
    }
    sum.terms.retain(|(factor, _)| *factor != 0);
    Some(sum)
}

/// `a + b`, where no part passes [`MOST`].
fn added(mut a: LengthExpr, b: LengthExpr) -> Option<LengthExpr> {
    a.constant = Some(a.constant + b.constant).filter(|value| value.abs() <= MOST)?;
    for (factor, span) in b.terms {
        match a.terms.iter_mut().find(|(_, other)| *other == span) {
            Some((sum, _)) => *sum = Some(*sum + factor).filter(|value| value.abs() <= MOST)?,
            None => a.terms.push((factor, span)),
        }
    }
    a.terms.retain(|(factor, _)| *factor != 0);
    Some(a)
}
