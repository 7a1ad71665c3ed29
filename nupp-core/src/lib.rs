//! The Nupp kernel compiler behind its front end.
//!
//! Verifiers of both representations, the lowering to a device and the SPIR-V printer; `interpreters`
//! adds those, and `text` adds WGSL and what people read. There is no I/O, no GPU and no global state,
//! and it builds for wasm32. The representation itself is `nupp-ir`; `nupp-front` and `nupp-compile`
//! turn tokens into it. `ARCHITECTURE.md` draws the whole picture.

pub use nupp_ir::{artifact, ir, limits, math, scatter};

pub mod device;
pub mod emit;
pub mod eval;
pub mod verify;
