//! From the typed tree to Source IR; proves each access on the way.
//!
//! It may assume what `check` guarantees: names are resolved, types agree, no helper calls itself.
//! It leaves structured SSA in which no local is mutable, no helper is called and no early exit is
//! left, and in which each access carries the certificate that proved it. All mistakes of all
//! kernels are reported at once.
//!
//! `state` holds what is known while a kernel is lowered, `number` gives equal computations one
//! value, `expr` evaluates, `branch` joins, `seq` orders statements and removes early exits,
//! `pieces` keeps long rows of them flat, `repeat` makes loops, `turns` looks at scatters in them, `access` makes places, `controller`
//! makes phases and nodes.

mod access;
mod branch;
mod controller;
mod decl;
mod exits;
mod expr;
mod group;
mod number;
mod pieces;
mod repeat;
mod seq;
mod state;
pub(crate) mod suggest;
mod turns;
mod why;
mod why_form;

#[cfg(test)]
mod tests;

use nupp_core::ir::kernel::Kernel;
use nupp_front::diag::Diagnostic;
use nupp_front::hir;

/// Lowers and proves every kernel of a block.
///
/// # Errors
///
/// Every access, guard and form that could not be proved, over all kernels, in source order.
pub fn lower(program: &hir::Program) -> Result<Vec<Kernel>, Vec<Diagnostic>> {
    let mut kernels = Vec::new();
    let mut mistakes = Vec::new();
    for kernel in &program.kernels {
        match state::Lower::new(program, kernel).kernel() {
            Ok(done) => kernels.push(done),
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() {
        Ok(kernels)
    } else {
        Err(mistakes)
    }
}
