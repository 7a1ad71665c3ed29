//! Interpreters of both representations: the oracle that every other executor is held to.

pub mod device;
pub mod scalar;
pub mod source;
