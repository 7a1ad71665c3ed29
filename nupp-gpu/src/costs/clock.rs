//! Where a log's clock begins, on the clock that other programs read.
//!
//! An `Instant` has no value that another process could compare. On Linux it is a reading of
//! `CLOCK_MONOTONIC`, so a log says what that clock was where its own is 0. The two are read one after the
//! other, between two readings of the first: the closest of several pairs is taken, so that a thread that is
//! suspended in between does not shift a whole log.

use std::time::Instant;

/// Pairs that are read; the closest counts.
const PAIRS: usize = 8;

/// Now, and what the system's monotonic clock says, in nanoseconds.
pub(super) fn zero() -> (Instant, Option<u64>) {
    let pairs = (0..PAIRS).filter_map(|_| pair());
    let closest = pairs.min_by_key(|(apart, ..)| *apart);
    closest.map_or_else(
        || (Instant::now(), None),
        |(_, zero, before)| (zero, Some(before)),
    )
}

/// A reading, the system's clock before it, and how far apart the system's clock was before and after.
fn pair() -> Option<(u64, Instant, u64)> {
    let before = monotonic()?;
    let zero = Instant::now();
    let apart = monotonic()?.checked_sub(before)?;
    Some((apart, zero, before))
}

#[cfg(target_os = "linux")]
fn monotonic() -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one `timespec` to where the pointer leads, which is a local one.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let whole = u64::try_from(time.tv_sec)
        .ok()?
        .checked_mul(1_000_000_000)?;
    let nanoseconds = whole.checked_add(u64::try_from(time.tv_nsec).ok()?)?;
    (failed == 0).then_some(nanoseconds)
}

/// Elsewhere an `Instant` reads a clock that is not known here.
#[cfg(not(target_os = "linux"))]
fn monotonic() -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_go_on_together() {
        let before = monotonic().unwrap();
        let (zero, value) = zero();
        let value = value.unwrap();
        assert!(before <= value && value <= monotonic().unwrap());
        // What passes on one passes on the other: a reading of one lies between two of the other.
        for _ in 0..1000 {
            let least = monotonic().unwrap() - value;
            let here = u64::try_from(zero.elapsed().as_nanos()).unwrap();
            let most = monotonic().unwrap() - value;
            // The pair itself is a little apart, and the log's clock is the later one.
            assert!(here <= most && least <= here + 1_000_000);
        }
    }
}
