//! Why a reduction or a scan on a device failed: the step that failed, with that step's error.
//!
//! Both families have the same steps; a scan reads nothing back.

use std::fmt;

use crate::{BindError, BufferError, CompileError, DispatchError, TransferError};

/// A reduction on a device failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReduceError {
    /// Its buffers could not be made.
    Buffer(BufferError),
    /// The device cannot run its kernels, or cannot give their bits.
    Compile(CompileError),
    /// The buffers do not fit: another context, or two lengths in a dot product.
    Bind(BindError),
    /// A dispatch was refused.
    Dispatch(DispatchError),
    /// The result could not be read back, or the value of no elements written.
    Transfer(TransferError),
}

impl fmt::Display for ReduceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReduceError::Buffer(error) => error.fmt(f),
            ReduceError::Compile(error) => error.fmt(f),
            ReduceError::Bind(error) => error.fmt(f),
            ReduceError::Dispatch(error) => error.fmt(f),
            ReduceError::Transfer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReduceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text above is theirs, so what is below it comes next.
        match self {
            ReduceError::Buffer(error) => error.source(),
            ReduceError::Compile(error) => error.source(),
            ReduceError::Bind(error) => error.source(),
            ReduceError::Dispatch(error) => error.source(),
            ReduceError::Transfer(error) => error.source(),
        }
    }
}

impl From<BufferError> for ReduceError {
    fn from(error: BufferError) -> Self {
        ReduceError::Buffer(error)
    }
}

impl From<CompileError> for ReduceError {
    fn from(error: CompileError) -> Self {
        ReduceError::Compile(error)
    }
}

impl From<BindError> for ReduceError {
    fn from(error: BindError) -> Self {
        ReduceError::Bind(error)
    }
}

impl From<DispatchError> for ReduceError {
    fn from(error: DispatchError) -> Self {
        ReduceError::Dispatch(error)
    }
}

impl From<TransferError> for ReduceError {
    fn from(error: TransferError) -> Self {
        ReduceError::Transfer(error)
    }
}
