//! Printers of the representations: text and words made from verified kernels and modules.
//!
//! `spirv` and `wgsl` print Device IR. They share three rooms, so that the two cannot drift
//! apart: `prim` is the table of operations that both targets have, `expand` turns each scalar
//! operation of Device IR into those exactly, and `walk` orders instructions, conditions and loops.
//! A printer only adds how one of those is written in its target. The same module gives the same
//! bytes, always.

mod expand;
mod prim;
pub mod report;
#[cfg(feature = "front")]
pub mod rust;
pub mod spirv;
mod walk;
pub mod wgsl;

#[cfg(test)]
mod tests;
