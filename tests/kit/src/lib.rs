//! What the tests of bits share.
//!
//! `typed` evaluates the typed tree directly, with mutable locals and calls, so that it shares
//! nothing with lowering; `generate` makes kernels; `inputs` fills spans with the values that
//! break arithmetic, `grouped` those of a workgroup kernel; `compare` is the comparer that every test
//! of bits uses; `embed` makes what the macro would embed of a kernel that it did not see; `resident`
//! is the memory in use, `threads` counts threads, `alone` runs a test in a process of its own.

pub mod alone;
pub mod compare;
pub mod embed;
pub mod generate;
pub mod grouped;
pub mod inputs;
pub mod mapped;
pub mod operations;
pub mod random;
pub mod resident;
pub mod threads;
pub mod typed;
