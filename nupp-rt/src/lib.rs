//! What generated CPU functions call.
//!
//! Nothing here is part of the public interface but the error types that the facade `nupp` re-exports:
//! generated code names these items through `nupp::rt`, and they change with the emitter. It is a
//! crate of its own so that it compiles beside the compiler.
//! It owns the compiled widths and their run-time detection, the scalar operations that
//! are more than one Rust operator, the check of the floating environment, and the splitting of
//! work over threads. All of it gives the bits that `docs/numerics.md` promises, in every width.

mod env;
mod error;
mod isa;
mod math;
mod memory;
mod ops;
#[cfg(feature = "rayon")]
mod parallel;
mod width;

pub use bytemuck::{Pod, Zeroable};
pub use core::marker::Copy;
pub use core::option::Option::{None, Some};
pub use core::result::Result::{self, Err, Ok};

pub use env::check as check_environment;
pub use error::{GuardError, KernelError, ScatterError, guard_failed};
pub use isa::{Baseline, Isa};
pub use math::*;
pub use memory::{
    Owners, all_below, at_offset, block, block_mut, groups_ceil, groups_floor, index, lane_of,
    lanes, length, load, mask, number, part, run_from, split, store, store_run, stretch, term,
    window,
};
pub use ops::*;
#[cfg(feature = "rayon")]
pub use parallel::{Split, parallel};
pub use width::{LaneBody, serial, testing};

pub use nupp_ir::artifact::{
    BindingSpec, GuardOp, GuardSpec, KernelKind, KernelSpec, ModuleSpec, UniformSpec,
};
pub use nupp_ir::ir::entity::Scalar;
