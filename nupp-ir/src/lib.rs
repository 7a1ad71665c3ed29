//! The representation of a Nupp kernel.
//!
//! The base of this crate is what a program embeds of a kernel, the table of operations with their
//! meaning, and the functions of the library. The feature `whole` adds Source IR, which every stage of
//! the compiler works on; it is a crate of its own so that those stages compile beside each other.

pub mod artifact;
pub mod ir;
pub mod limits;
pub mod math;
pub mod scalar;
pub mod scatter;
