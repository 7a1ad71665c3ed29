//! The meaning of each operation, and the interpreters of both representations: the oracle that every
//! other executor is held to.

#[cfg(feature = "interpreters")]
pub mod device;
pub use nupp_ir::scalar;
#[cfg(feature = "interpreters")]
pub mod source;
