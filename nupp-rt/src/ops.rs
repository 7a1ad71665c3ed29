//! The scalar operations that are more than one Rust operator, to the bit as `docs/numerics.md`
//! has them. Each is branch-free where it can be, so that a loop over lanes is vectorised, and
//! total: no argument makes one panic. NaN is one value; its bits are settled by [`gate`].

/// The bits of every visible NaN.
const NAN: u32 = 0x7fc0_0000;

/// A float as it is stored: each NaN is 0x7fc00000.
///
/// In integers, because LLVM takes the bits of a NaN for a matter of indifference: it folds
/// `if y.is_nan() { NAN } else { y }` to `y` where `y` is a square root, and x86 gives 0xffc00000
/// for the root of a negative number.
#[inline(always)]
pub fn gate(x: f32) -> f32 {
    let bits = x.to_bits();
    let gated = if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        bits
    };
    f32::from_bits(gated)
}

/// The bits of a float; a NaN's are 0x7fc00000.
#[inline(always)]
pub fn f32_to_bits(x: f32) -> u32 {
    gate(x).to_bits()
}

/// IEEE equality.
#[inline(always)]
pub fn f32_eq(a: f32, b: f32) -> bool {
    a == b
}

/// NaN on either side gives NaN; -0 is less than +0.
#[inline(always)]
pub fn f32_min(a: f32, b: f32) -> f32 {
    let lesser = if a < b { a } else { b };
    // Equal numbers differ at most in a zero's sign: -0 wins.
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let number = if a == b { equal } else { lesser };
    if a.is_nan() | b.is_nan() {
        f32::from_bits(NAN)
    } else {
        number
    }
}

/// NaN on either side gives NaN; +0 is greater than -0.
#[inline(always)]
pub fn f32_max(a: f32, b: f32) -> f32 {
    let greater = if a > b { a } else { b };
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let number = if a == b { equal } else { greater };
    if a.is_nan() | b.is_nan() {
        f32::from_bits(NAN)
    } else {
        number
    }
}

/// The magnitude of the first with the sign of the second; a NaN there counts as positive.
#[inline(always)]
pub fn f32_copy_sign(a: f32, b: f32) -> f32 {
    let sign = if b.is_nan() {
        0
    } else {
        b.to_bits() & 0x8000_0000
    };
    f32::from_bits((a.to_bits() & 0x7fff_ffff) | sign)
}

/// Nearest even.
#[inline(always)]
pub fn f32_from_i32(n: i32) -> f32 {
    n as f32
}

/// Nearest even.
#[inline(always)]
pub fn f32_from_u32(n: u32) -> f32 {
    n as f32
}

/// The value of the binary16 in the low 16 bits.
#[inline(always)]
pub fn f32_from_f16(half: u32) -> f32 {
    let magnitude = half & 0x7fff;
    let sign = (half & 0x8000) << 16;
    // Exponent rebias by a power of two is exact and takes subnormals along: the binary16
    // fraction and exponent, moved up, are that value times 2^-112.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let bits = if magnitude >= 0x7c00 {
        0x7f80_0000 | (magnitude & 0x03ff) << 13
    } else {
        scaled.to_bits()
    };
    f32::from_bits(bits | sign)
}

/// Nearest even binary16; a NaN gives 0x7e00.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u32 {
    let bits = x.to_bits();
    let (sign, magnitude) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    // Normal results: rebias by 112 and round at bit 13, to even; a carry moves the exponent.
    let rebiased = magnitude.wrapping_sub(112 << 23);
    let odd = (rebiased >> 13) & 1;
    let normal = rebiased.wrapping_add(0x0fff).wrapping_add(odd) >> 13;
    // Subnormal results: adding 0.5 rounds to a multiple of 2^-24 in the float unit, to even.
    let shifted = f32::from_bits(magnitude) + 0.5;
    let subnormal = shifted.to_bits().wrapping_sub(0x3f00_0000);
    let finite = if magnitude < 113 << 23 {
        subnormal
    } else {
        normal
    };
    let half = if magnitude > 0x7f80_0000 {
        return 0x7e00;
    } else if magnitude >= 0x477f_f000 {
        0x7c00
    } else {
        finite
    };
    half | sign
}

/// The value of the bfloat16 in the low 16 bits.
#[inline(always)]
pub fn f32_from_bf16(brain: u32) -> f32 {
    f32::from_bits(brain << 16)
}

/// Nearest even bfloat16; a NaN gives 0x7fc0.
#[inline(always)]
pub fn f32_to_bf16(x: f32) -> u32 {
    let bits = x.to_bits();
    let odd = (bits >> 16) & 1;
    let rounded = bits.wrapping_add(0x7fff).wrapping_add(odd) >> 16;
    if x.is_nan() { 0x7fc0 } else { rounded }
}

/// To nearest even, modulo 2^32; NaN and infinity give 0.
#[inline(always)]
pub fn u32_wrap(x: f32) -> u32 {
    // From 2^56 on, every binary32 is a multiple of 2^32; below it, an i64 holds the integer.
    let small = x.abs() < f32::from_bits(0x5b80_0000);
    let integer = super::isa::portable::round(if small { x } else { 0.0 });
    (integer as i64) as u32
}

/// To nearest even, modulo 2^32; NaN and infinity give 0.
#[inline(always)]
pub fn i32_wrap(x: f32) -> i32 {
    u32_wrap(x).cast_signed()
}

/// Towards zero, clamped; NaN gives 0.
#[inline(always)]
pub fn u32_saturate(x: f32) -> u32 {
    x as u32
}

/// Towards zero, clamped; NaN gives 0.
#[inline(always)]
pub fn i32_saturate(x: f32) -> i32 {
    x as i32
}

/// Division by 0 gives 0.
#[inline(always)]
pub fn u32_div(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(0)
}

/// Remainder by 0 gives 0.
#[inline(always)]
pub fn u32_mod(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(0)
}

/// Truncates; division by 0 gives 0, the least value by -1 itself.
#[inline(always)]
pub fn i32_div(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_div(b) }
}

/// Sign of the dividend; remainder by 0 or -1 gives 0.
#[inline(always)]
pub fn i32_mod(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

/// The high word of the product.
#[inline(always)]
pub fn u32_mul_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// The high word of the signed product.
#[inline(always)]
pub fn i32_mul_high(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

/// Selection in a loop over lanes. It is one from the start: of a branch around a store the
/// optimiser makes a masked store, which costs five times as much on some processors.
#[inline(always)]
pub fn select<T>(cond: bool, yes: T, no: T) -> T {
    std::hint::select_unpredictable(cond, yes, no)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_back() {
        for half in 0..0x1_0000_u32 {
            let nan = half & 0x7fff > 0x7c00;
            let expected = if nan { 0x7e00 } else { half };
            assert_eq!(f32_to_f16(f32_from_f16(half)), expected, "{half:#06x}");
        }
    }

    #[test]
    fn halves_round_to_even() {
        let cases = [
            (0x3f80_1000, 0x3c00),
            (0x3f80_3000, 0x3c02),
            (65504.0_f32.to_bits(), 0x7bff),
            (65_519.996_f32.to_bits(), 0x7bff),
            (65520.0_f32.to_bits(), 0x7c00),
            (0x3300_0000, 0x0000),
            (0x3300_0001, 0x0001),
            (0x3380_0000, 0x0001),
            (0x7fc0_1234, 0x7e00),
            (0xffff_ffff, 0x7e00),
            (0x8000_0000, 0x8000),
            ((1.0_f32 / 3.0).to_bits(), 0x3555),
            (0x3880_0000, 0x0400),
            (0x387f_ffff, 0x0400),
            (0x387f_dfff, 0x03ff),
        ];
        for (bits, half) in cases {
            assert_eq!(f32_to_f16(f32::from_bits(bits)), half, "{bits:#010x}");
        }
    }

    #[test]
    fn brain_floats_come_back() {
        for brain in 0..0x1_0000_u32 {
            let nan = brain & 0x7fff > 0x7f80;
            assert_eq!(
                f32_to_bf16(f32_from_bf16(brain)),
                if nan { 0x7fc0 } else { brain }
            );
        }
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(f32_to_bf16(f32::MAX), 0x7f80);
    }

    #[test]
    fn extremes_order_zeros_and_keep_nan() {
        let bits = |x: f32| x.to_bits();
        assert_eq!(bits(f32_min(-0.0, 0.0)), 0x8000_0000);
        assert_eq!(bits(f32_min(0.0, -0.0)), 0x8000_0000);
        assert_eq!(bits(f32_max(-0.0, 0.0)), 0);
        assert_eq!(bits(f32_max(0.0, -0.0)), 0);
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN), (f32::NAN, f32::NAN)] {
            assert_eq!(bits(f32_min(a, b)), 0x7fc0_0000);
            assert_eq!(bits(f32_max(a, b)), 0x7fc0_0000);
        }
        assert_eq!(bits(f32_min(-3.0, -2.0)), bits(-3.0));
        assert_eq!(bits(f32_max(-3.0, f32::INFINITY)), bits(f32::INFINITY));
    }

    #[test]
    fn wrapping_is_modulo_two_to_the_32() {
        let cases = [
            (0.5, 0),
            (1.5, 2),
            (-0.5, 0),
            (-1.0, u32::MAX),
            (4_294_967_296.0, 0),
            (4_294_967_808.0, 512),
            (-4_294_967_808.0, 0_u32.wrapping_sub(512)),
            (f32::from_bits(0x5b00_0001), 0),
            (f32::from_bits(0x5a80_0001), 0x8000_0000),
            (f32::NAN, 0),
            (f32::INFINITY, 0),
            (f32::NEG_INFINITY, 0),
            (f32::MAX, 0),
        ];
        for (x, expected) in cases {
            assert_eq!(u32_wrap(x), expected, "{x:e}");
            assert_eq!(i32_wrap(x), expected.cast_signed(), "{x:e}");
        }
    }

    #[test]
    fn integer_division_is_total() {
        assert_eq!((u32_div(7, 0), u32_mod(7, 0)), (0, 0));
        assert_eq!((i32_div(7, 0), i32_mod(7, 0)), (0, 0));
        assert_eq!(
            (i32_div(i32::MIN, -1), i32_mod(i32::MIN, -1)),
            (i32::MIN, 0)
        );
        assert_eq!((i32_div(-7, 2), i32_mod(-7, 2)), (-3, -1));
    }

    #[test]
    fn a_nan_lends_no_sign() {
        assert_eq!(f32_copy_sign(1.0, -f32::NAN).to_bits(), 1.0_f32.to_bits());
        assert_eq!(
            f32_copy_sign(-1.0, f32::INFINITY).to_bits(),
            1.0_f32.to_bits()
        );
        assert_eq!(f32_copy_sign(1.0, -0.0).to_bits(), (-1.0_f32).to_bits());
    }
}
