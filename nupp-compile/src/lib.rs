//! From the typed tree of a kernel to all that is made of it.
//!
//! `lower` makes Source IR and `proof` proves each access on the way; `cpu` plans the CPU function and
//! `rust` prints it. `driver` runs all stages over one block, for the macro and the command line.

extern crate proc_macro;

pub mod cpu;
pub mod driver;
pub mod lower;
pub mod proof;
pub mod rust;
