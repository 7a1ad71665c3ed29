//! Source IR: what a proved kernel means, in structured SSA.
//!
//! There are no mutable variables: an `if` yields results and a loop has parameters, so a fact
//! about a value can never go stale. There is no `break`, `continue` or `return`: the front end
//! turns them into conditions. One instruction is one operation, in the order it was written.
//! The flow types are generic over their leaves, so that Device IR (`crate::device::ir`) shares
//! them. Only `crate::verify` makes a [`crate::verify::Verified`] of a kernel.

pub mod build;
pub mod codec;
pub mod entity;
pub mod flow;
pub mod kernel;
pub mod op;
pub mod place;
pub mod print;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod scope;
#[cfg(feature = "device")]
pub mod value_map;
