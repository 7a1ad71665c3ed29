//! Running sums of any length, with the same bits on the CPU and on every device.
//!
//! Blocks of 256 are scanned each on its own; their totals are scanned by the same rule, inclusively;
//! then every block but the first becomes `offset + local`, where the offset is the scanned total
//! of the block before. `docs/reduce.md` has the definition. An exclusive scan begins with +0.0 or
//! 0. Integers wrap.
//!
//! The functions here record a scan on a device and return; [`cpu`] has their twins, and a [`Plan`]
//! is for buffers that are scanned again and again.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut starts = [0_u32; 4];
//! nupp::scan::cpu::exclusive(&mut starts, &[3, 1, 4, 1])?;
//! assert_eq!(starts, [0, 3, 4, 8]);
//! # Ok(()) }
//! ```

pub mod cpu;
#[cfg(feature = "gpu")]
mod device;

pub use crate::blocks::Number;
#[cfg(feature = "gpu")]
pub use device::{Plan, ScanError, exclusive, inclusive};
