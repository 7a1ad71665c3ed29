//! Nupp for Rust.
#[doc(hidden)]
pub mod rt;

#[cfg(feature = "gpu")]
pub use nupp_gpu::{
    Backend, BindError, Buffer, BufferError, CompileError, Context, ContextOptions, DeviceError,
    DeviceInfo, DispatchError, Download, Element, ModuleForm, OpenError, Slot, SlotMut, StillHeld,
    SyncError, Synchronize, TransferError, adapters, available,
};
pub use rt::{GuardError, KernelError, KernelSpec, ScatterError};

/// A block of kernels; `docs/language.md` says what may stand in it.
#[macro_export]
macro_rules! nupp {
    ($($block:tt)*) => {
        $crate::rt::expand! { ($crate) $($block)* }
    };
}

/// The items of a kernel that need `gpu`.
#[doc(hidden)]
#[cfg(feature = "gpu")]
#[macro_export]
macro_rules! __gpu {
    ($($items:tt)*) => { $($items)* };
}

/// The items of a kernel that need `gpu`: none without it.
#[doc(hidden)]
#[cfg(not(feature = "gpu"))]
#[macro_export]
macro_rules! __gpu {
    ($($items:tt)*) => {};
}

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
