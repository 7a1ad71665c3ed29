//! Each operation against another way to compute it, over tables of edge values.
//!
//! The references go through binary64, 128-bit integers or the definition in words, never through
//! the expression under test. The tables hold zeros, subnormals, halfway cases, infinities and
//! NaN of several payloads.

use super::{NAN, apply};
use crate::ir::entity::Scalar;
use crate::ir::op::ScalarOp::{self, *};

const FLOATS: &[u32] = &[
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3f00_0001,
    0x3eff_ffff,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4060_0000,
    0x4b00_0000,
    0x4b00_0001,
    0x4aff_ffff,
    0xcaff_ffff,
    0x4b7f_ffff,
    0x4b80_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0xcf00_0001,
    0x4f7f_ffff,
    0x4f80_0000,
    0xcf80_0000,
    0x4f80_0001,
    0x5f00_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0xffff_ffff,
    0x3380_0000,
    0x3300_0000,
    0x3300_0001,
    0x32ff_ffff,
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0x3880_0000,
    0x387f_ffff,
    0x387f_e000,
    0x3f80_1000,
    0x3f80_3000,
    0x3f80_8000,
    0x3f81_8000,
    0x7f7f_8000,
    0x40490fdb,
    0x2edbe6ff,
    0x1e3ce508,
    0x6258d727,
];

const INTS: &[u32] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    31,
    32,
    33,
    63,
    64,
    255,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x0100_0001,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0xdead_beef,
    0x0100_0003,
    0xffff_ff7f,
    0xffff_ff80,
];

fn table(ty: Scalar) -> &'static [u32] {
    match ty {
        Scalar::F32 => FLOATS,
        Scalar::I32 | Scalar::U32 => INTS,
        Scalar::Bool => &[0, 1],
    }
}

/// Narrows a binary64 whose NaN-ness is all that is asked of a NaN.
fn narrow(x: f64) -> u32 {
    let x = x as f32;
    if x.is_nan() { NAN } else { x.to_bits() }
}

fn wide(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// `a * b + c` with one rounding: the exact product in binary64, a sum rounded to odd, narrowed.
fn fma_by_odd(a: u32, b: u32, c: u32) -> u32 {
    let (p, c) = (wide(a) * wide(b), wide(c));
    let s = p + c;
    if !s.is_finite() || s == 0.0 {
        return narrow(s);
    }
    let t = s - p;
    let err = (p - (s - t)) + (c - t);
    let bits = s.to_bits();
    let odd = if err == 0.0 || bits & 1 == 1 {
        s
    } else if (err > 0.0) == (s > 0.0) {
        f64::from_bits(bits + 1)
    } else {
        f64::from_bits(bits - 1)
    };
    narrow(odd)
}

/// A key that orders floats by value with -0 below +0; only for numbers.
fn key(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 1 {
        -magnitude - 1
    } else {
        magnitude
    }
}

/// Rounds in binary64 by adding and taking away 2^52, which rounds to nearest even.
fn nearest(x: f64) -> f64 {
    if x.abs() >= 4503599627370496.0 {
        return x;
    }
    let big = 4503599627370496.0_f64.copysign(x);
    ((x + big) - big).copysign(x)
}

fn to_integer(x: f64, down: bool) -> f64 {
    let near = nearest(x);
    let step = if down && near > x {
        -1.0
    } else if !down && near < x {
        1.0
    } else {
        0.0
    };
    (near + step).copysign(x)
}

fn reference_float(op: ScalarOp, a: u32, b: u32, c: u32) -> u32 {
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    let (x, y) = (wide(a), wide(b));
    match op {
        F32Add => narrow(x + y),
        F32Sub => narrow(x - y),
        F32Mul => narrow(x * y),
        F32Div => narrow(x / y),
        F32Sqrt => narrow(x.sqrt()),
        F32Fma => fma_by_odd(a, b, c),
        F32Min | F32Max if nan(a) || nan(b) => NAN,
        F32Min => {
            if key(a) <= key(b) {
                a
            } else {
                b
            }
        }
        F32Max => {
            if key(a) >= key(b) {
                a
            } else {
                b
            }
        }
        F32Neg | F32Abs | F32CopySign | F32Floor | F32Ceil | F32Trunc | F32Round if nan(a) => NAN,
        F32Neg => a.wrapping_add(0x8000_0000),
        F32Abs => a % 0x8000_0000,
        F32CopySign => {
            a % 0x8000_0000
                + if !nan(b) && b >= 0x8000_0000 {
                    0x8000_0000
                } else {
                    0
                }
        }
        F32Floor => narrow(to_integer(x, true)),
        F32Ceil => narrow(to_integer(x, false)),
        F32Trunc => narrow(to_integer(x, x > 0.0)),
        F32Round => narrow(nearest(x)),
        Math(function) => narrow(crate::math::tests::wide(function, x, y)),
        _ => panic!("{} has no float reference", op.name()),
    }
}

/// The value of small float formats by their definition, as a binary64.
fn small_float(bits: u32, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1));
    let exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let scale = 2f64.powi(-(mantissa_bits as i32));
    let magnitude = if exponent == (1 << exponent_bits) - 1 {
        if mantissa == 0.0 {
            f64::INFINITY
        } else {
            f64::NAN
        }
    } else if exponent == 0 {
        mantissa * scale * 2f64.powi(1 - bias)
    } else {
        (1.0 + mantissa * scale) * 2f64.powi(exponent as i32 - bias)
    };
    let negative = (bits >> (exponent_bits + mantissa_bits)) & 1 == 1;
    if negative { -magnitude } else { magnitude }
}

/// The nearest value of a small format by looking at all of them, ties to the even code.
fn nearest_small(x: u32, exponent_bits: u32, mantissa_bits: u32, nan: u32) -> u32 {
    let x = wide(x);
    if x.is_nan() {
        return nan;
    }
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
    // The value infinity stands for when rounding: one step past the largest number.
    let top = 2.0 * 2f64.powi((1 << (exponent_bits - 1)) - 1);
    let value = |code: u32| {
        if code == infinity {
            top
        } else {
            small_float(code, exponent_bits, mantissa_bits)
        }
    };
    let (mut lo, mut hi) = (0, infinity);
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if value(mid) <= x.abs() {
            lo = mid
        } else {
            hi = mid
        }
    }
    let (below, above) = (x.abs() - value(lo), value(hi) - x.abs());
    let up = above < below || (above == below && hi % 2 == 0);
    sign + if up { hi } else { lo }
}

/// An integer of any size, from a float: the nearest, modulo 2^32.
fn wrap_reference(bits: u32) -> u32 {
    let x = nearest(wide(bits));
    if !x.is_finite() {
        return 0;
    }
    let magnitude = x.abs() as u128 as u32;
    if x < 0.0 {
        (1u64 << 32).wrapping_sub(u64::from(magnitude)) as u32
    } else {
        magnitude
    }
}

fn reference_convert(op: ScalarOp, a: u32) -> u32 {
    let nan = f32::from_bits(a).is_nan();
    match op {
        F32FromBits | F32ToBits if nan => NAN,
        F32FromBits | F32ToBits | F32RawBits | U32FromI32 | I32FromU32 => a,
        F32FromI32 => (f64::from(a as i32) as f32).to_bits(),
        F32FromU32 => (f64::from(a) as f32).to_bits(),
        F32FromF16 => narrow(small_float(a & 0xffff, 5, 10)),
        F32FromBf16 => narrow(small_float(a & 0xffff, 8, 7)),
        F32ToF16 => nearest_small(a, 5, 10, 0x7e00),
        F32ToBf16 => nearest_small(a, 8, 7, 0x7fc0),
        U32WrapF32 | I32WrapF32 => wrap_reference(a),
        U32SaturateF32 => {
            if nan {
                0
            } else {
                wide(a).clamp(0.0, 4294967295.0) as u64 as u32
            }
        }
        I32SaturateF32 => {
            if nan {
                0
            } else {
                wide(a).clamp(-2147483648.0, 2147483647.0) as i64 as u32
            }
        }
        _ => panic!("{} has no conversion reference", op.name()),
    }
}

/// Integer operations in 128-bit integers; `a` and `b` are the mathematical values.
fn reference_int(op: ScalarOp, a: i128, b: i128, bits: u32, count: u32) -> u32 {
    let wrap = |x: i128| x.rem_euclid(1 << 32) as u32;
    let pow = 1i128 << (count % 32);
    let bit = |i: u32| (bits >> (i % 32)) & 1;
    let gather = |f: &dyn Fn(u32) -> u32| (0..32).map(|i| f(i) << i).sum::<u32>();
    let other = |i: u32| (b.rem_euclid(1 << 32) as u32 >> i) & 1;
    match op {
        U32Add | I32Add => wrap(a + b),
        U32Sub | I32Sub => wrap(a - b),
        U32Mul | I32Mul => wrap(a * b),
        U32Div | I32Div => {
            if b == 0 {
                0
            } else {
                wrap(a / b)
            }
        }
        U32Mod | I32Mod => {
            if b == 0 {
                0
            } else {
                wrap(a - a / b * b)
            }
        }
        U32Min | I32Min => wrap(if a < b { a } else { b }),
        U32Max | I32Max => wrap(if a < b { b } else { a }),
        U32And | I32And => gather(&|i| bit(i) * other(i)),
        U32Or | I32Or => gather(&|i| u32::from(bit(i) + other(i) > 0)),
        U32Xor | I32Xor => gather(&|i| (bit(i) + other(i)) % 2),
        U32Not | I32Not => gather(&|i| 1 - bit(i)),
        U32Shl | I32Shl => wrap(a * pow),
        U32Shr | I32Shr => wrap(a.div_euclid(pow)),
        U32RotateLeft => gather(&|i| bit(i + 32 - count % 32)),
        U32RotateRight => gather(&|i| bit(i + count % 32)),
        U32Popcount => (0..32).map(bit).sum(),
        U32LeadingZeros => (0..32).rev().take_while(|&i| bit(i) == 0).count() as u32,
        U32TrailingZeros => (0..32).take_while(|&i| bit(i) == 0).count() as u32,
        U32MulHigh | I32MulHigh => wrap((a * b).div_euclid(1 << 32)),
        U32Eq | I32Eq => u32::from(a - b == 0),
        U32Lt | I32Lt => u32::from(b - a > 0),
        U32Le | I32Le => u32::from(b - a >= 0),
        I32Neg => wrap(-a),
        _ => panic!("{} has no integer reference", op.name()),
    }
}

fn number(ty: Scalar, bits: u32) -> i128 {
    if ty == Scalar::I32 {
        i128::from(bits as i32)
    } else {
        i128::from(bits)
    }
}

fn reference(op: ScalarOp, [a, b, c]: [u32; 3]) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        F32Eq => u32::from(x.partial_cmp(&y) == Some(std::cmp::Ordering::Equal)),
        F32Lt => u32::from(x.partial_cmp(&y) == Some(std::cmp::Ordering::Less)),
        F32Le => u32::from(matches!(x.partial_cmp(&y), Some(o) if o.is_le())),
        F32IsNan => u32::from(a & 0x7fff_ffff > 0x7f80_0000),
        F32IsInf => u32::from(a & 0x7fff_ffff == 0x7f80_0000),
        BoolAnd => a * b,
        BoolOr => a.max(b),
        BoolXor => (a + b) % 2,
        BoolNot => 1 - a,
        F32Select | U32Select | I32Select | BoolSelect => [c, b][a as usize],
        _ => match (op.args()[0], op.result()) {
            (Scalar::F32, Scalar::F32) => reference_float(op, a, b, c),
            (Scalar::F32, _) | (_, Scalar::F32) => reference_convert(op, a),
            _ if matches!(op, U32FromI32 | I32FromU32) => reference_convert(op, a),
            (ty, _) => reference_int(op, number(ty, a), number(ty, b), a, b),
        },
    }
}

/// The operations with a reference: a frozen function is what its sequence of operations gives, and the
/// functions' own tests bound it.
fn referred() -> impl Iterator<Item = ScalarOp> {
    let all = ScalarOp::ALL.iter().copied();
    all.filter(|op| !matches!(op, Math(function) if function.is_frozen()))
}

#[test]
fn every_operation_agrees_with_its_reference_on_edge_values() {
    for op in referred() {
        let types = op.args();
        let list = |i: usize| types.get(i).map_or(&[0u32][..], |&ty| table(ty));
        for &a in list(0) {
            for &b in list(1) {
                for &c in list(2) {
                    let args = [a, b, c];
                    let got = apply(op, &args[..types.len()]);
                    let want = reference(op, args);
                    assert_eq!(got, want, "{} {args:08x?}: {got:08x} {want:08x}", op.name());
                }
            }
        }
    }
}

#[test]
fn every_binary16_pattern_widens_and_narrows_back() {
    for bits in 0..0x1_0000u32 {
        let wide = apply(F32FromF16, &[bits | 0xabcd_0000]);
        let nan = bits & 0x7fff > 0x7c00;
        assert_eq!(wide, narrow(small_float(bits, 5, 10)), "{bits:04x}");
        assert_eq!(
            apply(F32ToF16, &[wide]),
            if nan { 0x7e00 } else { bits },
            "{bits:04x}"
        );
        let wide = apply(F32FromBf16, &[bits]);
        let nan = bits & 0x7fff > 0x7f80;
        assert_eq!(
            apply(F32ToBf16, &[wide]),
            if nan { 0x7fc0 } else { bits },
            "{bits:04x}"
        );
    }
}

#[test]
fn binary16_rounds_as_the_acceptance_cases_say() {
    let cases = [
        (0x3f80_1000, 0x3c00),
        (0x3f80_3000, 0x3c02),
        (65504f32.to_bits(), 0x7bff),
        (65519.996f32.to_bits(), 0x7bff),
        (65520f32.to_bits(), 0x7c00),
        (2f32.powi(-25).to_bits(), 0),
        (2f32.powi(-25).to_bits() + 1, 1),
        (2f32.powi(-24).to_bits(), 1),
        (0xffff_ffff, 0x7e00),
        (0x8000_0000, 0x8000),
        ((1.0f32 / 3.0).to_bits(), 0x3555),
    ];
    for (from, to) in cases {
        assert_eq!(apply(F32ToF16, &[from]), to, "{from:08x}");
    }
}

#[test]
fn random_operands_agree_with_the_references() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    for _ in 0..20_000 {
        let raw = [next(), next(), next()];
        for op in referred() {
            let mut args = raw;
            for (arg, &ty) in args.iter_mut().zip(op.args()) {
                if ty == Scalar::Bool {
                    *arg &= 1;
                }
            }
            let got = apply(op, &args[..op.args().len()]);
            let want = reference(op, args);
            assert_eq!(got, want, "{} {args:08x?}: {got:08x} {want:08x}", op.name());
        }
    }
}
