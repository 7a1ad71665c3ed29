//! The Nupp kernel compiler.
//!
//! The base of this crate holds Source IR and what is embedded of a kernel. The feature `device` adds
//! the verifiers and interpreters, the lowering to a device and the SPIR-V and WGSL printers; it has
//! no I/O, no GPU and no global state, and builds for wasm32. The feature `front` adds what turns
//! tokens into verified Source IR and prints the Rust expansion. `ARCHITECTURE.md` draws the whole
//! picture.

#[cfg(feature = "front")]
extern crate proc_macro;

pub mod artifact;
#[cfg(feature = "device")]
pub mod device;
#[cfg(feature = "device")]
pub mod emit;
#[cfg(feature = "device")]
pub mod eval;
pub mod ir;
pub mod limits;
pub mod math;
#[cfg(feature = "device")]
pub mod verify;

#[cfg(feature = "front")]
pub mod check;
#[cfg(feature = "front")]
pub mod cpu;
#[cfg(feature = "front")]
pub mod diag;
#[cfg(feature = "front")]
pub mod driver;
#[cfg(feature = "front")]
pub mod hir;
#[cfg(feature = "front")]
pub mod lower;
#[cfg(feature = "front")]
pub mod proof;
#[cfg(feature = "front")]
pub mod span;
#[cfg(feature = "front")]
pub mod syntax;
