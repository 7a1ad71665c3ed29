//! Guards: `assert(condition, "message")` or `if condition then error("message") end`, first in a
//! kernel.
//!
//! On a GPU kernel a guard relates span lengths: sums of lengths times constants, in exact
//! integers, joined by `and`, `or`, `not`. On a CPU kernel it may be any boolean of uniforms and
//! lengths. Whether guards contradict each other is for the proofs.

use super::func::Func;
use super::lengths::Miss;
use super::{Checked, Checker, Reported};
use crate::diag::Code;
use crate::hir::{self, GuardDef, GuardExpr};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, ExprKind, StmtKind, UnaryOp};
use crate::syntax::print;
use nupp_ir::ir::kernel::CmpOp;

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
        let text = match &cond.kind {
            ExprKind::Binary(op, ..) => *op,
            _ => BinaryOp::Eq,
        };
        self.refuse_chain(func, cond, text, [a, b])?;
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
