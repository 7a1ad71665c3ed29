//! The front end of the Nupp kernel compiler: from tokens to verified Source IR, and to Rust.
//!
//! `syntax` parses, `check` makes the typed tree (`hir`), `lower` makes Source IR and `proof` proves
//! each access on the way; `cpu` plans the CPU function and `rust` prints it. `driver` runs the
//! stages over one block. It is a crate of its own so that it compiles beside `nupp-core`, whose
//! representations it makes and whose verifiers judge what it made.

extern crate proc_macro;

pub mod check;
pub mod cpu;
pub mod diag;
pub mod driver;
pub mod hir;
pub mod lower;
pub mod proof;
pub mod rust;
pub mod span;
pub mod syntax;
