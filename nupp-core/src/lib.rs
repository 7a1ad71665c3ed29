//! The Nupp kernel compiler behind its front end.
//!
//! The base of this crate is what a program embeds of a kernel, and the functions of the library. The
//! feature `device` adds the IR whole, the verifiers, the lowering to a device and the SPIR-V printer;
//! `interpreters` adds those, and `text` adds WGSL and what people read. There is no I/O, no GPU and no
//! global state, and it builds for wasm32. `nupp-front` turns tokens into verified
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
