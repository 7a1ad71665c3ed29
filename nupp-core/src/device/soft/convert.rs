//! Conversions between binary32 and integers, binary16 and bfloat16, on bits.
//!
//! Nearest even wherever a value is rounded, except the saturating conversions to integers, which
//! truncate. A NaN gives 0, 0x7e00, 0x7fc0 or 0x7fc00000 by the type of the result.

use super::dsl::U;
use super::{INF, MAG, QNAN, SIGN};

/// uint32 to binary32.
pub(super) fn from_u32<'a>(n: U<'a>) -> U<'a> {
    let zeros = n.leading_zeros();
    let m = n << (zeros & 31);
    let biased = m + 0x80;
    // A carry out of the word is a significand of 2^24.
    let rounded = biased.lt(m).pick(0x0100_0000, biased >> 8);
    let rounded = rounded & !(m & 0xff).eq(0x80).bit();
    n.eq(0).pick(0, ((n.word(157) - zeros) << 23) + rounded)
}

/// int32, as bits, to binary32.
pub(super) fn from_i32<'a>(n: U<'a>) -> U<'a> {
    let negative = (n & SIGN).ne(0);
    (n & SIGN) | from_u32(negative.pick(n.word(0) - n, n))
}

/// The integer part of a magnitude of 1 up to 2^32.
fn integer_part<'a>(mag: U<'a>) -> U<'a> {
    let exponent = mag >> 23;
    let mantissa = (mag & 0x007f_ffff) | 0x0080_0000;
    let right = mag.word(150) - exponent.min(150);
    let left = exponent.max(150) - 150;
    (mantissa >> (right & 31)) << (left & 31)
}

/// To uint32, towards zero, clamped.
pub(super) fn saturate_u32<'a>(a: U<'a>) -> U<'a> {
    // A negative operand is above every positive one as a word.
    let zero = a.gt(INF) | a.lt(0x3f80_0000);
    let inside = a.ge(0x4f80_0000).pick(u32::MAX, integer_part(a & MAG));
    zero.pick(0, inside)
}

/// To int32, as bits, towards zero, clamped.
pub(super) fn saturate_i32<'a>(a: U<'a>) -> U<'a> {
    let mag = a & MAG;
    let negative = a >> 31;
    let whole = integer_part(mag);
    let whole = negative.ne(0).pick(a.word(0) - whole, whole);
    // i32::MAX, and one more for i32::MIN.
    let inside = mag.ge(0x4f00_0000).pick(negative + 0x7fff_ffff, whole);
    (mag.gt(INF) | mag.lt(0x3f80_0000)).pick(0, inside)
}

/// To a word, to nearest even modulo 2^32; NaN and infinity give 0.
pub(super) fn wrap<'a>(a: U<'a>) -> U<'a> {
    let integral = super::round::round(a);
    let mag = integral & MAG;
    let exponent = mag >> 23;
    let outside = exponent.lt(127) | exponent.ge(182);
    let whole = integer_part(mag);
    outside.pick(0, (a & SIGN).ne(0).pick(a.word(0) - whole, whole))
}

/// To binary16 in the low bits.
pub(super) fn to_f16<'a>(a: U<'a>) -> U<'a> {
    let (sign, mag) = ((a >> 16) & 0x8000, a & MAG);
    let v = mag - 0x3800_0000;
    let normal = (v + 0xfff + ((v >> 13) & 1)) >> 13;
    let mantissa = (mag & 0x007f_ffff) | 0x0080_0000;
    let shift = (a.word(126) - (mag >> 23)) & 31;
    let down = mantissa >> shift;
    let lost = mantissa - (down << shift);
    let half = (a.word(1) << shift) >> 1;
    let up = lost.gt(half) | (lost.eq(half) & (down & 1).ne(0));
    let subnormal = mag.lt(0x3300_0000).pick(0, down + up.bit());
    let finite = mag.ge(0x3880_0000).pick(normal, subnormal);
    let result = sign | mag.ge(0x477f_f000).pick(0x7c00, finite);
    mag.gt(INF).pick(0x7e00, result)
}

/// From binary16 in the low bits.
pub(super) fn from_f16<'a>(h: U<'a>) -> U<'a> {
    let (sign, mag) = ((h & 0x8000) << 16, h & 0x7fff);
    let normal = (mag << 13) + 0x3800_0000;
    let shift = mag.leading_zeros() - 21;
    let subnormal = (((mag << (shift & 31)) & 0x3ff) << 13) + ((h.word(113) - shift) << 23);
    let subnormal = mag.eq(0).pick(0, subnormal);
    let finite = mag.ge(0x400).pick(normal, subnormal);
    let result = sign | mag.ge(0x7c00).pick(INF, finite);
    mag.gt(0x7c00).pick(QNAN, result)
}

/// To bfloat16 in the low bits.
pub(super) fn to_bf16<'a>(a: U<'a>) -> U<'a> {
    let rounded = (a + 0x7fff + ((a >> 16) & 1)) >> 16;
    (a & MAG).gt(INF).pick(0x7fc0, rounded)
}
