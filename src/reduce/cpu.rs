//! Reductions of slices on the CPU, with the bits of a device.
//!
//! The kernels are the device's, by their CPU definitions; with the feature `rayon` their blocks
//! are spread over the threads of the current pool, which changes no bit.

use crate::blocks::{Cpu, Fold, Number, levels};
use crate::rt::KernelError;

/// The sum, in the order of `docs/reduce.md`; +0.0 or 0 for none. Integers wrap.
///
/// # Errors
/// Where the slice has more than 2^32 − 1 elements, or this thread's floating-point environment
/// has been changed.
pub fn sum<T: Number>(values: &[T]) -> Result<T, KernelError> {
    fold(&T::sum(), values)
}

/// The least value; +infinity or the greatest of the type for none. A NaN among them is the result,
/// and −0.0 is below +0.0.
///
/// # Errors
/// As [`sum`].
pub fn min<T: Number>(values: &[T]) -> Result<T, KernelError> {
    fold(&T::min(), values)
}

/// The greatest value; −infinity or the least of the type for none. A NaN among them is the result,
/// and +0.0 is above −0.0.
///
/// # Errors
/// As [`sum`].
pub fn max<T: Number>(values: &[T]) -> Result<T, KernelError> {
    fold(&T::max(), values)
}

/// The sum of the products, each of them rounded first.
///
/// # Errors
/// As [`sum`], and where the slices differ in length.
pub fn dot<T: Number>(left: &[T], right: &[T]) -> Result<T, KernelError> {
    let sum = T::sum();
    let first = T::dot().cpu;
    run(&sum, left.len(), |blocks| first(blocks, left, right))
}

fn fold<T: Number>(fold: &Fold<T>, values: &[T]) -> Result<T, KernelError> {
    let first = fold.kernel.cpu;
    run(fold, values.len(), |blocks| first(blocks, values))
}

/// The first level by `first`, every other by `fold`.
fn run<T: Number>(
    fold: &Fold<T>,
    length: usize,
    first: impl FnOnce(&mut [T]) -> Result<(), KernelError>,
) -> Result<T, KernelError> {
    let levels = levels(length);
    let next: Cpu<T> = fold.kernel.cpu;
    // No group runs over no elements, and the identity stays.
    let mut results = vec![fold.identity; levels[0]];
    first(&mut results)?;
    for &blocks in &levels[1..] {
        let mut above = vec![fold.identity; blocks];
        next(&mut above, &results)?;
        results = above;
    }
    Ok(results[0])
}
