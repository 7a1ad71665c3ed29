//! Any number of values to one: sums, least and greatest values, dot products, with the same bits
//! on the CPU and on every device.
//!
//! The order of the operations is fixed by the length alone: blocks of 256, each folded by a tree
//! of strides 128, 64, … 1, then the same over the blocks' results, in order, until one remains.
//! `docs/reduce.md` has the definition. No values sum to +0.0 or 0; their least value is +infinity
//! or the greatest of the type, their greatest −infinity or the least of the type.
//!
//! The functions here run on a device and wait; [`cpu`] has their twins, and a [`Plan`] is for
//! buffers that are reduced again and again.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let values: Vec<f32> = (0..100_000).map(|i| 1.0 / (i as f32 + 1.0)).collect();
//! let on_cpu = nupp::reduce::cpu::sum(&values)?;
//! # #[cfg(feature = "gpu")] {
//! let context = nupp::Context::open()?;
//! let buffer = context.buffer::<f32>(values.len())?;
//! context.upload(&buffer, &values)?;
//! let on_gpu = nupp::reduce::sum(&context, &buffer)?;
//! assert_eq!(on_cpu.to_bits(), on_gpu.to_bits());
//! # }
//! # Ok(()) }
//! ```

pub mod cpu;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod error;

pub use crate::blocks::Number;
#[cfg(feature = "gpu")]
pub use device::{Plan, dot, dot_async, max, max_async, min, min_async, sum, sum_async};
#[cfg(feature = "gpu")]
pub use error::ReduceError;
