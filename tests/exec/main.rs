//! Differential tests: each kernel on every executor, by bits.

mod generated;
mod harness;
mod maps;
mod planted;
mod uniforms;
