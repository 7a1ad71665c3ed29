//! Differential tests: each kernel on every executor, by bits.

mod generated;
mod generated_groups;
mod groups;
mod harness;
mod maps;
mod planted;
mod sensitive;
mod steady;
mod uniforms;
