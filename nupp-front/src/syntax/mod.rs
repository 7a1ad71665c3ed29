//! Tokens to syntax tree.
//!
//! `source` holds the token table of one block, from a macro's tokens or from text; `parse` makes
//! the `ast`, and `print` writes one back. Nothing here resolves a name or knows a type. Every
//! diagnostic points at tokens of the block, and no input makes this stage panic or run for ever.

pub mod ast;
mod atom;
mod blocks;
mod comment;
mod lex;
mod literal;
pub mod parse;
pub mod print;
mod scan;
pub mod source;

pub use parse::parse;
pub use source::{Place, Source};

#[cfg(test)]
mod tests;
