//! The Nupp kernel compiler behind its front end.
//!
//! The base of this crate holds Source IR and what is embedded of a kernel. The feature `device` adds
//! the verifiers and interpreters, the lowering to a device and the SPIR-V and WGSL printers; it has
//! no I/O, no GPU and no global state, and builds for wasm32. `nupp-front` turns tokens into verified
//! Source IR and prints the Rust expansion. `ARCHITECTURE.md` draws the whole picture.

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
