//! Conversions between binary32 and binary16, bfloat16 and integers, in integer code.
//!
//! Each takes and gives bits. Rounding is to nearest even everywhere; NaN results are the one NaN
//! of their format.

use super::NAN;

/// The binary32 value of the binary16 in the low 16 bits.
pub fn from_f16(bits: u32) -> u32 {
    let sign = (bits & 0x8000) << 16;
    let exponent = (bits >> 10) & 0x1f;
    let mantissa = bits & 0x3ff;
    match exponent {
        0 if mantissa == 0 => sign,
        0 => {
            // Subnormal: value is mantissa * 2^-24; move its leading one to the hidden place.
            let shift = mantissa.leading_zeros() - 21;
            let exponent = 113 - shift;
            sign | (exponent << 23) | (((mantissa << shift) & 0x3ff) << 13)
        }
        31 if mantissa == 0 => sign | 0x7f80_0000,
        31 => NAN,
        _ => sign | ((exponent + 112) << 23) | (mantissa << 13),
    }
}

/// The nearest binary16 of a binary32, in the low 16 bits.
pub fn to_f16(bits: u32) -> u32 {
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return 0x7e00;
    }
    // From halfway between the largest binary16 and the next power of two on: infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude >= 0x3880_0000 {
        // Normal: rebias by 112 and drop 13 bits; a carry runs into the exponent as it should.
        let rebiased = magnitude - (112 << 23);
        return sign | round_shift(rebiased, 13);
    }
    let exponent = magnitude >> 23;
    if exponent < 102 {
        return sign;
    }
    // Subnormal: count units of 2^-24.
    let mantissa = (magnitude & 0x7f_ffff) | 0x80_0000;
    sign | round_shift(mantissa, 126 - exponent)
}

/// `value / 2^shift` to nearest even, for `1 <= shift <= 24`.
fn round_shift(value: u32, shift: u32) -> u32 {
    let kept = value >> shift;
    let rest = value & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    kept + u32::from(rest > half || (rest == half && kept & 1 == 1))
}

/// The nearest bfloat16 of a binary32, in the low 16 bits.
pub fn to_bf16(bits: u32) -> u32 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        0x7fc0
    } else {
        round_shift(bits, 16)
    }
}

/// The nearest integer of a binary32, ties to even, modulo 2^32; NaN and infinity give 0.
pub fn wrap(bits: u32) -> u32 {
    let exponent = (bits >> 23) & 0xff;
    let mantissa = (bits & 0x7f_ffff) | 0x80_0000;
    let magnitude = match exponent {
        // Below one half; infinities and NaN.
        0..=125 | 255 => 0,
        126..=149 => round_shift(mantissa, 150 - exponent),
        150..=181 => mantissa << (exponent - 150),
        // A multiple of 2^32.
        _ => 0,
    };
    if bits >> 31 == 1 {
        magnitude.wrapping_neg()
    } else {
        magnitude
    }
}
