//! Two lanes of a declared scatter that met: what the CPU function and a device say of it, in the same
//! words. It is here, and not with either of them, because neither knows the other and a program may
//! compare the two.

use std::fmt;

/// Two lanes of a declared scatter that met. The fields count from zero; as text the error counts
/// as the kernel does: elements and a map's `index` from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterError {
    /// The span.
    pub span: &'static str,
    /// The zero-based element.
    pub slot: u32,
    /// The lane (by its zero-based number over the whole dispatch) that wrote first.
    pub first: u32,
    /// The lane that wrote again.
    pub second: u32,
    /// Lanes a group, in a workgroup kernel.
    pub lanes: Option<u32>,
}

impl fmt::Display for ScatterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lane = |f: &mut fmt::Formatter<'_>, number: u32| match self.lanes {
            None => write!(f, "index {}", u64::from(number) + 1),
            Some(lanes) => {
                let lanes = lanes.max(1);
                write!(f, "lane {} of group {}", number % lanes, number / lanes)
            }
        };
        lane(f, self.first)?;
        if self.first == self.second {
            f.write_str(" twice scatters")?;
        } else {
            f.write_str(" and ")?;
            lane(f, self.second)?;
            f.write_str(" both scatter")?;
        }
        write!(
            f,
            " to element {} of `{}`",
            u64::from(self.slot) + 1,
            self.span
        )
    }
}

impl std::error::Error for ScatterError {}
