//! Why a CPU function refused its arguments. Nothing has been written when one of these is
//! returned, `Scatter` excepted.

use std::fmt;

pub use nupp_ir::scatter::ScatterError;

/// Why a kernel's CPU function did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// A guard of the kernel does not hold.
    Guard(GuardError),
    /// A slice has more elements than a uint32 can count.
    TooLong {
        /// The span, by its authored name.
        span: &'static str,
        /// How many elements the slice has.
        length: usize,
    },
    /// The groups that the lengths ask for have more than 2^32 lanes.
    TooManyLanes {
        /// Groups.
        groups: u64,
        /// Lanes a group.
        size: u32,
    },
    /// This thread's floating-point unit does not compute as IEEE 754 asks: another library has
    /// set it to flush subnormals, or to round elsewhere than to nearest.
    Environment {
        /// What is wrong with it.
        fault: &'static str,
    },
    /// `NUPP_CPU` asks for something that this machine or this build does not have.
    Width {
        /// The value of `NUPP_CPU`.
        asked: String,
        /// What there is.
        available: &'static str,
    },
    /// A declared scatter wrote one element twice.
    Scatter(ScatterError),
    /// A proved access left its span: a fault of Nupp. Please report it.
    Fault,
}

/// A guard that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardError {
    /// The kernel.
    pub kernel: &'static str,
    /// The authored message, if there is one.
    pub message: Option<&'static str>,
    /// The condition as written.
    pub condition: &'static str,
    /// The spans of the kernel and their lengths, in declaration order.
    pub lengths: Vec<(&'static str, u32)>,
}

/// Makes the error of a guard that does not hold.
#[cold]
pub fn guard_failed(
    kernel: &'static str,
    message: Option<&'static str>,
    condition: &'static str,
    lengths: &[(&'static str, u32)],
) -> KernelError {
    KernelError::Guard(GuardError {
        kernel,
        message,
        condition,
        lengths: lengths.to_vec(),
    })
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kernel `{}`: the guard `{}` does not hold",
            self.kernel, self.condition
        )?;
        for (at, (name, length)) in self.lengths.iter().enumerate() {
            let lead = if at == 0 { " (" } else { ", " };
            write!(f, "{lead}#{name} is {length}")?;
        }
        if !self.lengths.is_empty() {
            f.write_str(")")?;
        }
        match self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Guard(error) => error.fmt(f),
            KernelError::TooLong { span, length } => write!(
                f,
                "`{span}` has {length} elements; a span holds at most {}",
                u32::MAX
            ),
            KernelError::TooManyLanes { groups, size } => write!(
                f,
                "{groups} groups of {size} lanes are more than 2^32 lanes"
            ),
            KernelError::Environment { fault } => write!(
                f,
                "the floating-point environment of this thread {fault}, so a kernel cannot give its bits; \
                 something else in this program has changed it"
            ),
            KernelError::Width { asked, available } => {
                write!(
                    f,
                    "NUPP_CPU={asked} is not available here; there is {available}"
                )
            }
            KernelError::Scatter(error) => error.fmt(f),
            KernelError::Fault => f.write_str(
                "a proved access left its span; this is a fault of Nupp, please report it",
            ),
        }
    }
}

impl std::error::Error for GuardError {}
impl std::error::Error for KernelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            KernelError::Guard(error) => Some(error),
            KernelError::Scatter(error) => Some(error),
            KernelError::TooLong { .. }
            | KernelError::TooManyLanes { .. }
            | KernelError::Environment { .. }
            | KernelError::Width { .. }
            | KernelError::Fault => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_worded_as_bind_words_it() {
        let failed =
            |message, lengths: &[_]| guard_failed("copy", message, "#a == #c", lengths).to_string();
        assert_eq!(
            failed(Some("a c"), &[("a", 4), ("c", 3)]),
            "kernel `copy`: the guard `#a == #c` does not hold (#a is 4, #c is 3): a c"
        );
        assert_eq!(
            failed(None, &[]),
            "kernel `copy`: the guard `#a == #c` does not hold"
        );
    }
}
