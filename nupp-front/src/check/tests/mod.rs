//! Tests of the check stage: what is accepted and as what, and each refusal at its tokens.

mod absent;
mod accepts;
mod foreign;
mod forms;
mod groups;
mod names;
mod robust;
mod types;

use super::check;
use crate::diag::Diagnostic;
use crate::diag::testing::{assert_mistakes, show};
use crate::hir::{self, Program};
use crate::syntax::{Source, parse};

/// Checks a block that parses.
fn checked(text: &str) -> (Source, Result<Program, Vec<Diagnostic>>) {
    let source = Source::from_nupp(text);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{text}\ndoes not parse: {found:#?}");
    let result = check(&file, &source);
    (source, result)
}

/// The program of a block without mistakes.
fn good(text: &str) -> Program {
    let (source, result) = checked(text);
    result.unwrap_or_else(|found| panic!("{text}\n{}", show(&source, &found)))
}

/// Asserts that a block has exactly these mistakes, each a code and the text it stands at.
#[track_caller]
fn refused(text: &str, expected: &[(&str, &str)]) {
    let (source, result) = checked(text);
    let found = match result {
        Ok(_) => panic!("{text}\nis accepted"),
        Err(found) => found,
    };
    assert_mistakes(&source, &found, expected);
}

/// A GPU map over `out: float` with `a: float`, `w: uint32` and uniforms `x: float`, `n: uint32`,
/// `k: int32`, around these statements.
fn lane(body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, \
         borrows a: span.Span<float>, borrows w: span.Span<uint32>, x: float, n: uint32, k: int32): nil\n\
         assert(#out == #a and #out == #w)\nfor index = 1, #out do\n{body}\nend\nend"
    )
}

/// The same with items before it.
fn with(items: &str, body: &str) -> String {
    format!("{items}\n{}", lane(body))
}

/// A workgroup kernel of 64 lanes over `out` and `a` around a controller's statements.
fn controller(body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, \
         borrows a: span.Span<float>, n: uint32): nil\n\
         gpu.workgroups(u32.div(u32.wrap(#a), 64), 64, function(groupIndex, phases)\n{body}\nend)\nend"
    )
}

/// The value of the statement `local it = e` in a lane.
fn value(expr: &str) -> hir::Expr {
    value_with("", expr)
}

/// The same with items before it.
fn value_with(items: &str, expr: &str) -> hir::Expr {
    let program = good(&with(items, &format!("local it = {expr}")));
    match program.kernels[0].func.body.stmts.last().map(|s| &s.kind) {
        Some(hir::StmtKind::Let(_, value)) => value.clone(),
        other => panic!("{other:?}"),
    }
}

/// The type and bits of a constant expression.
fn constant(expr: &str) -> (hir::Ty, u32) {
    let value = value(expr);
    match value.kind {
        hir::ExprKind::Const(bits) => (value.ty, bits),
        other => panic!("{expr} is {other:?}"),
    }
}
