//! Printers of the representations: text and words made from verified kernels and modules.
//!
//! `spirv` and `wgsl` print Device IR. They share three rooms, so that the two cannot drift
//! apart: `prim` is the table of operations that both targets have, `expand` turns each scalar
//! operation of Device IR into those exactly, and `walk` orders instructions, conditions and loops.
//! A printer only adds how one of those is written in its target. The same module gives the same
//! bytes, always.
//!
//! Words of the uniform block are read at `row + workgroup_id.z`, and that number is 0 in every
//! launch. A driver may compile a module again for the values that words at constant places hold
//! (Mesa's software driver does), which would fold the opaque zero away and, to find such words,
//! follows every path from a condition back to them: over the sums of a software operation on
//! uniforms that takes longer than anyone waits.

mod expand;
mod prim;
#[cfg(feature = "text")]
pub mod report;
pub mod spirv;
mod walk;
#[cfg(feature = "text")]
pub mod wgsl;

#[cfg(test)]
mod tests;
