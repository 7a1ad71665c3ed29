//! Compute kernels that give the same bits on the CPU and on any GPU, floats included.
//!
//! A [`nupp!`] block holds kernels in the Nupp language. While Rust compiles it, each kernel is
//! proved: every access is in bounds, no two lanes race, every barrier is met by all lanes. What
//! cannot be proved does not compile, and the message says what to write instead. A kernel
//! `scale` becomes
//!
//! - a function `scale`: its CPU definition, in safe Rust, compiled for several vector widths of
//!   which the widest that the machine has is taken when it runs;
//! - a module `scale` with `cpu_parallel` (the same bits, on all cores, where the proofs make the
//!   parts disjoint), `SPEC` (what is embedded of the kernel), and, with the feature `gpu`,
//!   `compile`, which makes a typed kernel for a [`Context`].
//!
//! ```
//! nupp::nupp! {
//!     @aot(target = "gpu")
//!     local function axpy(
//!         exclusive y: span.WriteSpan<float>,
//!         borrows x: span.Span<float>,
//!         a: float
//!     ): nil
//!         assert(#x == #y, "x and y differ in length")
//!         for index = 1, #y do
//!             y[index] = f32.fma(a, x[index], y[index])
//!         end
//!     end
//! }
//!
//! let mut y = [1.0_f32, 2.0];
//! axpy(&mut y, &[10.0, 20.0], 0.5)?;
//! assert_eq!(y, [6.0, 12.0]);
//!
//! let refused = axpy(&mut y, &[10.0], 0.5).expect_err("lengths differ");
//! assert!(refused.to_string().contains("x and y differ in length"));
//! # Ok::<(), nupp::KernelError>(())
//! ```
//!
//! `nupp::reduce` and `nupp::scan` are sums, least and greatest values, dot products and running sums of any
//! length, in one frozen order.
//!
//! # Features
//!
//! `gpu` (default): the wgpu runtime. `rayon` (default): `cpu_parallel`. Without either the crate
//! needs no GPU code and no threads. `reduce` (default): sums and scans of any length. `half`: buffers
//! of `half::f16` and `half::bf16`.
//!
//! # Environment
//!
//! `NUPP_DEVICE=<backend>[:<part of the adapter's name>]` chooses a device; `NUPP_CPU=baseline`,
//! `avx2` or `avx512` forces a vector width.

#[doc(hidden)]
pub mod rt;

/// The 16-bit floats that buffers may hold.
#[cfg(feature = "half")]
pub use half;
#[cfg(feature = "gpu")]
pub use nupp_gpu::{
    Arithmetic, Backend, BindError, Buffer, BufferError, CacheError, CompileError, Context,
    ContextOptions, CostsError, Device, DeviceError, DeviceInfo, DispatchError, Download, Element,
    Evidence, Finding, FloatControls, FormReason, ModuleForm, OpenError, ProbeError, Profile,
    RawKernel, Route, Slot, SlotMut, Standing, StillHeld, Stored, SyncError, Synchronize,
    TransferError, View, ViewError, adapters, available,
};
pub use nupp_layout::{Layout, LayoutError};
pub use rt::{GuardError, KernelError, KernelSpec, ScatterError};

/// The README's kernel compiles as it stands there.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// A block of kernels, structs, constants and helpers in the Nupp language; `docs/language.md` says
/// what may stand in it, and the crate's documentation what it becomes.
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

#[cfg(feature = "reduce")]
mod blocks;
#[cfg(feature = "reduce")]
pub mod reduce;
#[cfg(feature = "reduce")]
pub mod scan;
