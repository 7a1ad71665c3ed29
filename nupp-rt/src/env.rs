//! The floating environment: whether this thread's arithmetic keeps subnormals and rounds to
//! nearest even. It is asked by computing, so that the answer holds for what will be computed,
//! on every architecture and without unsafe code.

use super::error::KernelError;
use std::hint::black_box;

/// Checks the environment of the calling thread; a few nanoseconds.
///
/// # Errors
/// [`KernelError::Environment`] with what is wrong.
#[inline]
pub fn check() -> Result<(), KernelError> {
    match fault() {
        None => Ok(()),
        Some(fault) => Err(KernelError::Environment { fault }),
    }
}

fn fault() -> Option<&'static str> {
    let least_normal = black_box(f32::MIN_POSITIVE);
    if (least_normal * black_box(0.5)).to_bits() != 0x0040_0000 {
        return Some("flushes subnormal results to zero");
    }
    let least = black_box(f32::from_bits(1));
    if (least + black_box(f32::from_bits(1))).to_bits() != 2 {
        return Some("takes subnormal operands for zero");
    }
    // Halfway cases on both sides of zero: a tie to an even result below, and one above.
    let (one, half_step) = (black_box(1.0_f32), black_box(f32::from_bits(0x3380_0000)));
    let odd = black_box(f32::from_bits(0x3f80_0001));
    let nearest_even = (one + half_step).to_bits() == 0x3f80_0000
        && (-one - half_step).to_bits() == 0xbf80_0000
        && (odd + half_step).to_bits() == 0x3f80_0002;
    if nearest_even {
        None
    } else {
        Some("does not round to nearest")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_default_environment_passes() {
        assert_eq!(super::fault(), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    #[allow(deprecated)]
    fn each_changed_environment_is_noticed() {
        use std::arch::x86_64::{_mm_getcsr, _mm_setcsr};
        // Flush to zero, denormals are zero, and the three other rounding modes.
        for bits in [0x8000, 0x0040, 0x2000, 0x4000, 0x6000] {
            // SAFETY: the test restores the register before it computes anything else.
            let found = unsafe {
                let saved = _mm_getcsr();
                _mm_setcsr(saved | bits);
                let found = super::fault();
                _mm_setcsr(saved);
                found
            };
            assert!(found.is_some(), "{bits:#x}");
        }
    }
}
