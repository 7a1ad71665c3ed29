//! Source IR: what a proved kernel means, in structured SSA.
//!
//! There are no mutable variables: an `if` yields results and a loop has parameters, so a fact
//! about a value can never go stale. There is no `break`, `continue` or `return`: the front end
//! turns them into conditions. One instruction is one operation, in the order it was written.
//! The flow types are generic over their leaves, so that Device IR (`crate::device::ir`) shares
//! them. Only `crate::verify` makes a [`crate::verify::Verified`] of a kernel.

#[cfg(feature = "whole")]
pub mod build;
#[cfg(feature = "whole")]
pub mod codec;
pub mod entity;
#[cfg(feature = "whole")]
pub mod flow;
#[cfg(feature = "whole")]
pub mod kernel;
pub mod op;
#[cfg(feature = "whole")]
pub mod place;
#[cfg(feature = "text")]
pub mod print;
#[cfg(all(feature = "whole", any(test, feature = "samples")))]
pub mod samples;
#[cfg(feature = "whole")]
pub mod scope;
#[cfg(feature = "whole")]
pub mod value_map;
