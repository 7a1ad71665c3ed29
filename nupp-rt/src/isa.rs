//! The operations whose fastest exact form depends on the compiled width.
//!
//! `Baseline` uses what every machine of the architecture has: where that is no fused
//! multiply-add and no rounding instruction, exact forms of our own, since the standard library
//! would call libm. Every implementation gives the same bits.

/// Operations of one compiled width.
pub trait Isa: Copy {
    /// Whether `fma` is one instruction.
    const FUSED: bool;
    /// `a * b + c`, rounded once.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// Towards minus infinity.
    fn floor(x: f32) -> f32;
    /// Towards plus infinity.
    fn ceil(x: f32) -> f32;
    /// Towards zero.
    fn trunc(x: f32) -> f32;
    /// To nearest, ties to even.
    fn round(x: f32) -> f32;
}

/// What every machine of this architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

#[cfg(not(target_arch = "aarch64"))]
impl Isa for Baseline {
    const FUSED: bool = false;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        portable::fma(a, b, c)
    }
    #[inline(always)]
    fn floor(x: f32) -> f32 {
        portable::floor(x)
    }
    #[inline(always)]
    fn ceil(x: f32) -> f32 {
        -portable::floor(-x)
    }
    #[inline(always)]
    fn trunc(x: f32) -> f32 {
        portable::trunc(x)
    }
    #[inline(always)]
    fn round(x: f32) -> f32 {
        portable::round(x)
    }
}

/// 0, which the compiler does not know; it takes it out of loops.
///
/// LLVM makes one instruction of a fused sum whose sign is changed: `-a * b - c` for `-(a * b + c)`. Where the
/// product and `c` cancel the one gives +0 and the other is -0. So no fused sum is known for one by what
/// follows it.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn hidden_zero() -> u32 {
    let zero: u32;
    // SAFETY: the instruction writes the register that it is given, and nothing else.
    unsafe {
        std::arch::asm!(
            "mov {zero:w}, wzr",
            zero = out(reg) zero,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    zero
}

/// Advanced SIMD is part of the baseline there, fused multiply-add and rounding included.
#[cfg(target_arch = "aarch64")]
impl Isa for Baseline {
    const FUSED: bool = true;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        f32::from_bits(a.mul_add(b, c).to_bits() ^ hidden_zero())
    }
    #[inline(always)]
    fn floor(x: f32) -> f32 {
        x.floor()
    }
    #[inline(always)]
    fn ceil(x: f32) -> f32 {
        x.ceil()
    }
    #[inline(always)]
    fn trunc(x: f32) -> f32 {
        x.trunc()
    }
    #[inline(always)]
    fn round(x: f32) -> f32 {
        x.round_ties_even()
    }
}

/// x86-64 with AVX2 and FMA, and wider.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Isa for Avx2 {
    const FUSED: bool = !cfg!(debug_assertions);
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        use std::arch::x86_64::{_mm_cvtss_f32, _mm_fmadd_ss, _mm_set_ss};
        // Without optimisation the intrinsics are calls, and slower than plain arithmetic.
        if cfg!(debug_assertions) {
            return portable::fma(a, b, c);
        }
        // `f32::mul_add` would do with optimisation, and call libm without it.
        // SAFETY: `width` reaches this only after it has detected FMA.
        unsafe { _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))) }
    }
    // The standard library's functions become one instruction in optimised code of this width,
    // and calls of libm in any other.
    #[inline(always)]
    fn floor(x: f32) -> f32 {
        if cfg!(debug_assertions) {
            portable::floor(x)
        } else {
            x.floor()
        }
    }
    #[inline(always)]
    fn ceil(x: f32) -> f32 {
        if cfg!(debug_assertions) {
            -portable::floor(-x)
        } else {
            x.ceil()
        }
    }
    #[inline(always)]
    fn trunc(x: f32) -> f32 {
        if cfg!(debug_assertions) {
            portable::trunc(x)
        } else {
            x.trunc()
        }
    }
    #[inline(always)]
    fn round(x: f32) -> f32 {
        if cfg!(debug_assertions) {
            portable::round(x)
        } else {
            x.round_ties_even()
        }
    }
}

/// Exact forms in plain arithmetic.
#[cfg_attr(target_arch = "aarch64", allow(dead_code))]
pub(super) mod portable {
    /// 2^23: from here on every binary32 is an integer.
    const INTEGERS: f32 = 8_388_608.0;

    /// The product is exact in binary64; the sum is rounded to odd there, which makes the one
    /// narrowing right (53 bits are at least 2 more than 24, so no double rounding remains).
    #[inline(always)]
    pub fn fma(a: f32, b: f32, c: f32) -> f32 {
        let (p, c) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = p + c;
        let back = sum - p;
        let error = (p - (sum - back)) + (c - back);
        let bits = sum.to_bits();
        let outward = (error.to_bits() ^ bits) >> 63;
        let odd = bits.wrapping_add(1).wrapping_sub(outward << 1);
        let inexact = (error > 0.0) | (error < 0.0);
        let sum = if inexact & (bits & 1 == 0) { odd } else { bits };
        f64::from_bits(sum) as f32
    }

    /// Adding and taking away 2^23 leaves the nearest integer, ties to even; the sign is put back
    /// so that -0.25 gives -0.
    #[inline(always)]
    pub fn round(x: f32) -> f32 {
        let magnitude = x.abs();
        let rounded = (magnitude + INTEGERS) - INTEGERS;
        if magnitude < INTEGERS {
            rounded.copysign(x)
        } else {
            x
        }
    }

    /// The nearest integer, less one where that is too high.
    #[inline(always)]
    pub fn floor(x: f32) -> f32 {
        let rounded = round(x);
        let floor = if rounded > x { rounded - 1.0 } else { rounded };
        floor.copysign(x)
    }

    /// As `floor`, on the magnitude.
    #[inline(always)]
    pub fn trunc(x: f32) -> f32 {
        floor(x.abs()).copysign(x)
    }
}

#[cfg(test)]
mod tests {
    use super::portable;

    /// Values on which the forms could differ: around integers, halves, the ends of the range.
    fn values() -> Vec<f32> {
        let mut bits: Vec<u32> = vec![0, 1, 2, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000];
        for exponent in 100..160_u32 {
            for fraction in [
                0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff,
            ] {
                bits.push(exponent << 23 | fraction);
            }
        }
        let mut state = 1_u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bits.push(state);
        }
        bits.iter()
            .flat_map(|&b| [f32::from_bits(b), -f32::from_bits(b)])
            .collect()
    }

    fn same(a: f32, b: f32) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn rounding_agrees_with_the_standard_library() {
        for x in values() {
            assert!(same(portable::floor(x), x.floor()), "floor {x:e}");
            assert!(same(-portable::floor(-x), x.ceil()), "ceil {x:e}");
            assert!(same(portable::trunc(x), x.trunc()), "trunc {x:e}");
            assert!(same(portable::round(x), x.round_ties_even()), "round {x:e}");
        }
    }

    #[test]
    fn fma_agrees_with_the_standard_library() {
        let values = values();
        for (at, &a) in values.iter().enumerate() {
            let b = values[(at * 7 + 3) % values.len()];
            // Sums that cancel, that tie, and that have nothing to do with the product.
            for c in [
                values[(at * 13 + 5) % values.len()],
                -(a * b),
                a,
                f32::from_bits(1),
                -0.0,
            ] {
                assert!(
                    same(portable::fma(a, b, c), a.mul_add(b, c)),
                    "{a:e} {b:e} {c:e}"
                );
            }
        }
    }
}
