//! Inputs whose true value lies too near the middle of two floats for double-float arithmetic,
//! with their values, by bits, ascending by input.
//!
//! They belong to the exact sequence of operations: a change of a constant or of a sequence is a
//! reason to find them again over all 2^32 inputs (`docs/testing.md`). An input that only one of
//! the two forms of `mul_add` gets wrong stands here too; its value is right for either.

pub mod arc;
pub mod circular;
pub mod exponential;
pub mod hyperbolic;
pub mod logarithm;
pub mod root;
