//! What two readings of a device's counter say of the time between them.
//!
//! Only a later reading that is larger says anything. Equal ones are a counter that is coarser than the
//! kernel or was not read at all; smaller ones a counter that was reset, or that wrapped: how many of
//! its bits count is not told, so that nothing can be made of it. The host's clock never fills in.

/// A time that the device measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) ticks: u64,
    pub(crate) milliseconds: f64,
}

/// The time from one reading to another, of a counter with ticks of `period` nanoseconds; or why there
/// is none.
pub(crate) fn measure(begin: u64, end: u64, period: f32) -> Result<Measured, &'static str> {
    if !period.is_finite() || period <= 0.0 {
        return Err("the device does not say how long a tick is");
    }
    if end == begin {
        return Err("both ticks are equal");
    }
    let ticks = (end.checked_sub(begin))
        .ok_or("the ticks are reversed: the counter wrapped, or was reset")?;
    Ok(Measured {
        ticks,
        milliseconds: ticks as f64 * f64::from(period) / 1e6,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(begin: u64, end: u64, period: f32) -> Result<(u64, u64), &'static str> {
        measure(begin, end, period).map(|time| (time.ticks, time.milliseconds.to_bits()))
    }

    #[test]
    fn larger_ticks_are_a_time() {
        assert_eq!(milliseconds(5, 6, 1.0), Ok((1, 1e-6_f64.to_bits())));
        assert_eq!(
            milliseconds(0, 2_000_000, 0.5),
            Ok((2_000_000, 1.0_f64.to_bits()))
        );
        let most = u64::MAX as f64 / 1e6;
        assert_eq!(
            milliseconds(0, u64::MAX, 1.0),
            Ok((u64::MAX, most.to_bits()))
        );
    }

    #[test]
    fn equal_ticks_are_none() {
        for tick in [0, 1, u64::MAX] {
            let reason = measure(tick, tick, 1.0).unwrap_err();
            assert!(reason.contains("equal"), "{reason}");
        }
    }

    #[test]
    fn reversed_and_wrapped_ticks_are_none() {
        // One tick back; counters of 36 and of 64 bits that began anew.
        for (begin, end) in [(7, 6), ((1 << 36) - 5, 3), (u64::MAX, 0)] {
            let reason = measure(begin, end, 1.0).unwrap_err();
            assert!(
                reason.contains("reversed") && reason.contains("wrapped"),
                "{reason}"
            );
        }
    }

    #[test]
    fn ticks_of_no_length_are_none() {
        for period in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let reason = measure(1, 2, period).unwrap_err();
            assert!(reason.contains("how long"), "{reason}");
        }
    }
}
