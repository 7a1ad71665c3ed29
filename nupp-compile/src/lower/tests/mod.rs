//! Lowering from source text: accepted kernels pass the verifier and give the bits of a Rust
//! reference in the interpreter, refused ones name a code and a place.

mod advice;
mod groups;
mod inequalities;
mod maps;
mod nesting;
mod refused;
mod refused_groups;
mod registers;
mod shapes;
mod turns;
mod typed;

use super::lower;
use nupp_core::eval::source::{LaneOrder, run};
use nupp_core::ir::kernel::Kernel;
use nupp_core::verify::source::verify;
use nupp_front::check::check;
use nupp_front::diag::Diagnostic;
use nupp_front::diag::testing::{assert_mistakes, show};
use nupp_front::hir::Program;
use nupp_front::syntax::{Source, parse};

fn program(text: &str) -> (Source, Program) {
    let source = Source::from_nupp(text);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{text}\ndoes not parse: {found:#?}");
    match check(&file, &source) {
        Ok(program) => (source, program),
        Err(found) => panic!("{text}\n{}", show(&source, &found)),
    }
}

/// The one kernel of a block, lowered.
#[track_caller]
fn lowered(text: &str) -> Kernel {
    let (source, program) = program(text);
    match lower(&program) {
        Ok(mut kernels) => kernels.remove(0),
        Err(found) => panic!("{text}\n{}", show(&source, &found)),
    }
}

/// Lowers, verifies and runs the one kernel of a block in each lane order; all give one result.
#[track_caller]
fn runs(text: &str, spans: &[Vec<u32>], uniforms: &[u32]) -> Vec<Vec<u32>> {
    let kernel = lowered(text);
    let shown = format!("{kernel:#?}");
    let kernel = verify(kernel).unwrap_or_else(|e| panic!("{text}\n{shown}\n{e}"));
    let orders = [LaneOrder::Ascending, LaneOrder::Reversed];
    let mut results = orders.map(|order| {
        let mut spans = spans.to_vec();
        run(&kernel, &mut spans, uniforms, order).unwrap_or_else(|e| panic!("{text}\n{e}"));
        spans
    });
    assert_eq!(
        results[0], results[1],
        "{text}\ndepends on the order of lanes"
    );
    std::mem::take(&mut results[0])
}

/// Asserts that a block's proofs fail with exactly these mistakes, each a code and the text it
/// stands at, and that messages and help are as they should be.
#[track_caller]
fn refused(text: &str, expected: &[(&str, &str)]) -> Vec<Diagnostic> {
    let (source, program) = program(text);
    let found = match lower(&program) {
        Ok(_) => panic!("{text}\nis accepted"),
        Err(found) => found,
    };
    assert_mistakes(&source, &found, expected);
    found
}

/// A map kernel over `output` and `input`, with these statements in its loop.
fn map(body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
         borrows input: span.Span<float>, factor: float, limit: uint32, low: int32, high: int32): \
         nil\nassert(#output == #input, \"lengths\")\nfor index = 1, #output do\n{body}\nend\nend\n"
    )
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// `i * 17 + 3`.
fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i * 17 + 3) as f32).collect()
}
