//! Source IR: what a proved kernel means, in structured SSA.
//!
//! There are no mutable variables: an `if` yields results and a loop has parameters, so a fact
//! about a value can never go stale. There is no `break`, `continue` or `return`: the front end
//! turns them into conditions. One instruction is one operation, in the order it was written.
//! The flow types are generic over their leaves, so that Device IR (`crate::device::ir`) shares
//! them. Only `crate::verify` makes a [`crate::verify::Verified`] of a kernel.

#[cfg(feature = "device")]
pub mod build;
#[cfg(feature = "device")]
pub mod codec;
pub mod entity;
#[cfg(feature = "device")]
pub mod flow;
#[cfg(feature = "device")]
pub mod kernel;
pub mod op;
#[cfg(feature = "device")]
pub mod place;
#[cfg(feature = "text")]
pub mod print;
#[cfg(all(feature = "device", any(test, feature = "samples")))]
pub mod samples;
#[cfg(feature = "device")]
pub mod scope;
#[cfg(feature = "device")]
pub mod value_map;
