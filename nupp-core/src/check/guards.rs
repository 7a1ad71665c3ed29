//! Guards: `assert(condition, "message")` or `if condition then error("message") end`, first in a
//! kernel.
//!
//! On a GPU kernel a guard relates span lengths: sums of lengths times constants, in exact
//! integers, joined by `and`, `or`, `not`. On a CPU kernel it may be any boolean of uniforms and
//! lengths. Whether guards contradict each other is for the proofs.

use super::func::{Binding, Func};
use super::library::{self, Module};
use super::paths::Path;
use super::{Checked, Checker, Reported};
use crate::diag::Code;
use crate::hir::{self, GuardDef, GuardExpr, LengthExpr, ParamId};
use crate::ir::kernel::CmpOp;
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, ExprKind, StmtKind, UnaryOp};
use crate::syntax::print;

/// Larger constants in a guard are refused, so that no sum of lengths overflows 64 bits.
const MOST: i64 = 1 << 40;

/// Why an expression is no sum of lengths.
enum Miss {
    /// It is reported.
    Reported,
    /// It reads this local or uniform.
    Name(String),
    /// Something else, here.
    Form(SrcSpan),
    /// A constant past [`MOST`], here.
    Large(SrcSpan),
}

/// A guard as found.
struct Found<'g> {
    cond: &'g ast::Expr,
    message: Option<&'g ast::Expr>,
    /// `if cond then error(...) end`: the guard is that it is false.
    negated: bool,
}

impl Checker<'_> {
    /// The guards of a kernel, and the statements after them.
    pub(super) fn guards<'k>(
        &mut self,
        func: &mut Func,
        body: &'k ast::Block,
        cpu_only: bool,
    ) -> (Vec<GuardDef>, &'k [ast::Stmt]) {
        let mut made = Vec::new();
        for (i, stmt) in body.stmts.iter().enumerate() {
            match self.find_guard(stmt) {
                None => return (made, &body.stmts[i..]),
                Some(Ok(found)) => made.extend(self.guard(func, &found, stmt.at, cpu_only)),
                Some(Err(Reported)) => {}
            }
        }
        (made, &[])
    }

    fn find_guard<'g>(&mut self, stmt: &'g ast::Stmt) -> Option<Checked<Found<'g>>> {
        if let StmtKind::If(arms, rest) = &stmt.kind {
            let (cond, body) = arms.first()?;
            let args = called(body.stmts.first()?, "error")?;
            if arms.len() > 1 || rest.is_some() || body.stmts.len() > 1 || args.len() > 1 {
                return Some(Err(self.refuse(
                    Code::GuardForm,
                    stmt.at,
                    "a guard's `if` holds its `error` and nothing else",
                    "write `if condition then error(\"message\") end`",
                )));
            }
            return Some(Ok(Found {
                cond,
                message: args.first(),
                negated: true,
            }));
        }
        if called(stmt, "error").is_some() {
            return Some(Err(self.refuse(
                Code::GuardForm,
                stmt.at,
                "this `error` always happens",
                "write when: `if #a ~= #b then error(\"lengths differ\") end`",
            )));
        }
        let args = called(stmt, "assert")?;
        let ([cond] | [cond, _]) = args else {
            return Some(Err(self.refuse(
                Code::GuardForm,
                stmt.at,
                "`assert` takes a condition, and a message if you like",
                "write `assert(#a == #b, \"message\")`",
            )));
        };
        Some(Ok(Found {
            cond,
            message: args.get(1),
            negated: false,
        }))
    }

    fn guard(
        &mut self,
        func: &mut Func,
        found: &Found<'_>,
        at: SrcSpan,
        cpu_only: bool,
    ) -> Option<GuardDef> {
        let message = match found.message.map(|m| (&m.kind, m.at)) {
            None => None,
            Some((ExprKind::Str(text), _)) => Some(text.clone()),
            Some((_, at)) => {
                self.refuse(
                    Code::GuardForm,
                    at,
                    "a guard's message is a string literal",
                    "write it in double quotes: `\"lengths differ\"`; the lengths are added to it",
                );
                None
            }
        };
        let cond = self.guard_cond(func, found.cond, cpu_only).ok()?;
        let (cond, text) = if found.negated {
            let written = inverted(found.cond);
            (GuardExpr::Not(Box::new(cond)), print::expr(&written))
        } else {
            (cond, print::expr(found.cond))
        };
        Some(GuardDef {
            cond,
            message,
            text,
            at,
        })
    }

    fn guard_cond(
        &mut self,
        func: &mut Func,
        cond: &ast::Expr,
        cpu_only: bool,
    ) -> Checked<GuardExpr> {
        match &cond.kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), _, a, b) => {
                let a = self.guard_cond(func, a, cpu_only);
                let b = self.guard_cond(func, b, cpu_only);
                let (a, b) = (Box::new(a?), Box::new(b?));
                Ok(if *op == BinaryOp::And {
                    GuardExpr::And(a, b)
                } else {
                    GuardExpr::Or(a, b)
                })
            }
            ExprKind::Unary(UnaryOp::Not, _, of) => Ok(GuardExpr::Not(Box::new(
                self.guard_cond(func, of, cpu_only)?,
            ))),
            ExprKind::Binary(op, _, a, b) => match comparison(*op) {
                Some(op) => self.guard_relation(func, cond, (op, a, b), cpu_only),
                None => self.guard_scalar(func, cond, Miss::Form(cond.at), cpu_only),
            },
            _ => {
                let miss = match self.lengths(func, cond) {
                    Ok(_) => Miss::Form(cond.at),
                    Err(miss) => miss,
                };
                self.guard_scalar(func, cond, miss, cpu_only)
            }
        }
    }

    fn guard_relation(
        &mut self,
        func: &mut Func,
        cond: &ast::Expr,
        (op, a, b): (CmpOp, &ast::Expr, &ast::Expr),
        cpu_only: bool,
    ) -> Checked<GuardExpr> {
        let (lhs, rhs) = (self.lengths(func, a), self.lengths(func, b));
        match (lhs, rhs) {
            (Ok(lhs), Ok(rhs)) if !lhs.terms.is_empty() || !rhs.terms.is_empty() => {
                Ok(GuardExpr::Cmp { op, lhs, rhs })
            }
            (Err(Miss::Reported), _) | (_, Err(Miss::Reported)) => Err(Reported),
            (Err(miss), _) | (_, Err(miss)) => self.guard_scalar(func, cond, miss, cpu_only),
            (Ok(_), Ok(_)) => self.guard_scalar(func, cond, Miss::Form(cond.at), cpu_only),
        }
    }

    /// A condition that is no relation of lengths: any boolean on a CPU kernel, else refused.
    fn guard_scalar(
        &mut self,
        func: &mut Func,
        cond: &ast::Expr,
        miss: Miss,
        cpu_only: bool,
    ) -> Checked<GuardExpr> {
        if cpu_only {
            let value = self.truth(func, cond)?;
            if !reads_memory(&value) {
                return Ok(GuardExpr::Scalar(Box::new(value)));
            }
            return Err(self.refuse(
                Code::GuardForm,
                cond.at,
                "a guard does not read elements: it is checked before anything runs",
                "relate lengths and uniforms only: `assert(#a == #b and factor >= 0.0)`",
            ));
        }
        Err(match miss {
            Miss::Reported => Reported,
            Miss::Name(name) => self.refuse(
                Code::GuardUniform,
                cond.at,
                format!(
                    "this guard depends on `{name}`, and a GPU kernel's guards relate span lengths \
                     only: they are checked when buffers are bound"
                ),
                format!(
                    "check `{name}` in Rust before the dispatch, or make the kernel `@aot` alone"
                ),
            ),
            Miss::Large(at) => {
                let text = self.quote(at);
                self.refuse(
                    Code::GuardForm,
                    at,
                    format!("`{text}` is too large for a guard"),
                    "lengths are below 4294967296; a constant may be at most 2^40",
                )
            }
            Miss::Form(at) => {
                let text = self.quote(at);
                let message = if at == cond.at {
                    format!("`{text}` is no relation of span lengths")
                } else {
                    format!("`{text}` is no sum of span lengths and integers")
                };
                self.refuse(
                    Code::GuardForm,
                    at,
                    message,
                    "compare lengths, with constant factors and terms: \
                     `assert(#a == #b)`, `assert(4 * #a <= #b + 1)`",
                )
            }
        })
    }

    /// An exact sum of lengths.
    fn lengths(&mut self, func: &Func, expr: &ast::Expr) -> Result<LengthExpr, Miss> {
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
        let path = callee
            .path()
            .and_then(|names| self.path(Some(func), &names));
        let Some(Path::Member(module, name)) = path else {
            return Err(Miss::Form(at));
        };
        let wraps = module == Module::U32 && library::is_conversion(module, &name.text).is_some();
        if let (true, [arg]) = (wraps, args) {
            if let ExprKind::Unary(UnaryOp::Len, ..) = arg.kind {
                return self.lengths(func, arg);
            }
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

/// The arguments of a call of this bare name.
fn called<'s>(stmt: &'s ast::Stmt, name: &str) -> Option<&'s [ast::Expr]> {
    let StmtKind::Call(call) = &stmt.kind else {
        return None;
    };
    let ExprKind::Call(callee, args) = &call.kind else {
        return None;
    };
    matches!(&callee.kind, ExprKind::Name(called) if called == name).then_some(args)
}

fn comparison(op: BinaryOp) -> Option<CmpOp> {
    Some(match op {
        BinaryOp::Eq => CmpOp::Eq,
        BinaryOp::Ne => CmpOp::Ne,
        BinaryOp::Lt => CmpOp::Lt,
        BinaryOp::Le => CmpOp::Le,
        BinaryOp::Gt => CmpOp::Gt,
        BinaryOp::Ge => CmpOp::Ge,
        _ => return None,
    })
}

/// The opposite of a condition, for the text of a guard: lengths have a total order.
fn inverted(cond: &ast::Expr) -> ast::Expr {
    let opposite = |op| {
        Some(match op {
            BinaryOp::Eq => BinaryOp::Ne,
            BinaryOp::Ne => BinaryOp::Eq,
            BinaryOp::Lt => BinaryOp::Ge,
            BinaryOp::Le => BinaryOp::Gt,
            BinaryOp::Gt => BinaryOp::Le,
            BinaryOp::Ge => BinaryOp::Lt,
            _ => return None,
        })
    };
    let kind = match &cond.kind {
        ExprKind::Binary(op, at, a, b) if only_lengths(a) && only_lengths(b) => {
            opposite(*op).map(|op| ExprKind::Binary(op, *at, a.clone(), b.clone()))
        }
        _ => None,
    };
    ast::Expr {
        kind: kind
            .unwrap_or_else(|| ExprKind::Unary(UnaryOp::Not, cond.at, Box::new(cond.clone()))),
        at: cond.at,
    }
}

/// Whether nothing in it can be NaN: lengths, integers and sums of them.
fn only_lengths(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(number) => matches!(number.value, ast::NumberValue::Int(_)),
        ExprKind::Unary(UnaryOp::Len, ..) => true,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _, a, b) => {
            only_lengths(a) && only_lengths(b)
        }
        _ => false,
    }
}

fn scaled(mut sum: LengthExpr, by: i64) -> Option<LengthExpr> {
    let small = |value: Option<i64>| value.filter(|value| value.abs() <= MOST);
    sum.constant = small(sum.constant.checked_mul(by))?;
    for (factor, _) in &mut sum.terms {
        *factor = small(factor.checked_mul(by))?;
    }
    sum.terms.retain(|(factor, _)| *factor != 0);
    Some(sum)
}

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

/// Whether evaluating it reads a span.
fn reads_memory(expr: &hir::Expr) -> bool {
    use hir::ExprKind as E;
    match &expr.kind {
        E::Const(_) | E::Local(_) | E::Length(_) => false,
        E::Op(_, args) | E::Struct(_, args) => args.iter().any(reads_memory),
        E::And(a, b) | E::Or(a, b) | E::Let(_, a, b) => reads_memory(a) || reads_memory(b),
        E::Select(a, b, c) => [a, b, c].into_iter().any(|e| reads_memory(e)),
        E::Load(..) | E::SlotLoad(..) => true,
        E::Field(of, _) => reads_memory(of),
        E::Call(_, args) => args.iter().any(|arg| match arg {
            hir::Arg::Value(value) => reads_memory(value),
            hir::Arg::Span(_) | hir::Arg::Array(_) => true,
        }),
    }
}
