//! Splits a body's lanes or groups over threads.
//!
//! The width is chosen inside each part: a closure that runs in a thread pool cannot be inlined
//! through the feature boundary, a whole body can.

use super::error::KernelError;
use super::width::{LaneBody, serial};

/// A body whose effects are disjoint, so that it may be cut in two.
pub trait Split: LaneBody + Sized + Send {
    /// Operations of one unit of `count`, about; at least 1.
    const UNIT: u64;
    /// Lanes, or groups, in this part.
    fn count(&self) -> usize;
    /// The first `at` of them, and the rest.
    fn split(self, at: usize) -> (Self, Self);
}

/// Operations that are worth a task of their own: some ten microseconds.
const GRAIN: u64 = 1 << 18;

/// Runs a body over the threads of the current rayon pool.
///
/// # Errors
/// As `serial`.
pub fn parallel<B: Split>(body: B) -> Result<(), KernelError> {
    let count = body.count();
    if count as u64 <= (GRAIN / B::UNIT).max(1) {
        return serial(body);
    }
    // A whole number of blocks on the left, so that only the last part has a tail.
    let half = count / 2;
    let at = if half >= 64 { half / 64 * 64 } else { half };
    let (left, right) = body.split(at);
    let (left, right) = rayon::join(|| parallel(left), || parallel(right));
    left.and(right)
}
