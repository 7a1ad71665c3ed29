//! Nupp for Rust.
#[doc(hidden)]
pub mod rt;
pub use rt::{GuardError, KernelError, KernelSpec, ScatterError};
