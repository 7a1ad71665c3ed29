//! The front end of the Nupp kernel compiler: from tokens to the typed tree.
//!
//! `syntax` parses and prints, `check` decides names, types and forms and makes the typed tree
//! (`hir`); `diag` holds what is said of mistakes. `nupp-compile` goes on from there.

extern crate proc_macro;

pub mod check;
pub mod diag;
pub mod hir;
pub mod span;
pub mod syntax;
