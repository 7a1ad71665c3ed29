//! Why a kernel cannot be lowered.
//!
//! The front end refuses all of it at the author's tokens; this is for kernels that come from elsewhere,
//! or were damaged on the way.

use crate::ir::entity::Value;

/// Why a kernel has no module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// It was declared for the CPU.
    CpuOnly {
        /// Its name.
        kernel: String,
    },
    /// An exclusive scan whose combination has no identity to put into slot 0.
    NoIdentity {
        /// Its name.
        kernel: String,
    },
    /// The kernel holds a value that is used before it is defined, which `verify` refuses.
    Undefined {
        /// Its name.
        kernel: String,
        /// The value.
        value: Value,
    },
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CpuOnly { kernel } => write!(f, "kernel `{kernel}` is for the CPU only"),
            Self::NoIdentity { kernel } => write!(
                f,
                "an exclusive scan of kernel `{kernel}` combines by a function that has no identity"
            ),
            Self::Undefined { kernel, value } => {
                write!(f, "kernel `{kernel}` uses {value} before it is defined")
            }
        }
    }
}

impl std::error::Error for LowerError {}
