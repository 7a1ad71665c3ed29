//! Nupp for Rust.
#[doc(hidden)]
pub mod rt;
pub use rt::{GuardError, KernelError, KernelSpec, ScatterError};

/// The items of a kernel that need `rayon`.
#[doc(hidden)]
#[cfg(feature = "rayon")]
#[macro_export]
macro_rules! __rayon {
    ($($items:tt)*) => { $($items)* };
}

/// The items of a kernel that need `rayon`: none without it.
#[doc(hidden)]
#[cfg(not(feature = "rayon"))]
#[macro_export]
macro_rules! __rayon {
    ($($items:tt)*) => {};
}
