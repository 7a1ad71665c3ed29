//! What the tests of bits share.
//!
//! `typed` evaluates the typed tree directly, with mutable locals and calls, so that it shares
//! nothing with lowering; `generate` makes kernels; `inputs` fills spans with the values that
//! break arithmetic, `grouped` those of a workgroup kernel; `compare` is the comparer that every test
//! of bits uses.

pub mod compare;
pub mod generate;
pub mod grouped;
pub mod inputs;
pub mod random;
pub mod typed;
