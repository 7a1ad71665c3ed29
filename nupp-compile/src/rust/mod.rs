//! Prints the Rust of a kernel: its CPU function, and the module of the same name beside it.
//!
//! The text names this project through `nupp_crate` alone, which the driver replaces by the path
//! that the facade's macro passes, and only in signatures and `use` lines; the printed form of the
//! command line has `::nupp` there. It is safe code without warnings: what no effect needs is not
//! printed (`cpu::liveness`).

mod body;
mod embedded;
mod fun;
mod groups;
mod guards;
mod item;
mod lanes;
mod loops;
mod map;
mod memory;
mod ops;
mod run;
mod scalar;
mod spec;
mod structs;
mod trees;
mod whole;
mod writer;

pub use embedded::{Binding, Canonical, Embedded, LengthGuard};
pub use item::{KernelItem, kernel, stand_in};
pub use ops::ident;
pub use spec::artifact;
pub use structs::{StructItem, structure};

/// How the text names this project's facade.
pub const CRATE: &str = "nupp_crate";
