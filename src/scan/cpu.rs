//! Scans of slices on the CPU, with the bits of a device.
//!
//! The kernels are the device's, by their CPU definitions; with the feature `rayon` their blocks
//! are spread over the threads of the current pool, which changes no bit.

use crate::blocks::{BLOCK, CpuScan, Number};
use crate::rt::KernelError;

/// Writes to each element the sum of the input's elements up to and including its own.
///
/// # Errors
/// Where the slices differ in length or have more than 2^32 − 1 elements, or this thread's
/// floating-point environment has been changed.
pub fn inclusive<T: Number>(output: &mut [T], input: &[T]) -> Result<(), KernelError> {
    scan(T::inclusive().cpu, output, input)
}

/// Writes to each element the sum of the input's elements before its own.
///
/// # Errors
/// As [`inclusive`].
pub fn exclusive<T: Number>(output: &mut [T], input: &[T]) -> Result<(), KernelError> {
    scan(T::exclusive().cpu, output, input)
}

fn scan<T: Number>(blocks: CpuScan<T>, output: &mut [T], input: &[T]) -> Result<(), KernelError> {
    let mut totals = vec![T::zeroed(); input.len().div_ceil(BLOCK)];
    blocks(output, &mut totals, input)?;
    if totals.len() > 1 {
        let mut offsets = vec![T::zeroed(); totals.len()];
        scan(T::inclusive().cpu, &mut offsets, &totals)?;
        (T::offset().cpu)(output, &offsets)?;
    }
    Ok(())
}
