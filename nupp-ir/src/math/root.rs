//! The inverse square root and the cube root.

use super::double::{Double, mul_float};
use super::machine::Machine;
use super::round::{Rounded, round};

/// 1 / sqrt(x) to about 2^-23 for a normal x: a guess by the exponent, a step of third order and one
/// of second.
#[inline(always)]
pub fn inverse_root<M: Machine>(m: M, x: M::Float) -> M::Float {
    let y = m.from_bits(m.word(0x5f37_59df) - m.shift_right(m.bits(x), 1));
    let one = m.float(1.0);
    let away = |y| m.mul_add(m.negative(x * y), y, one);
    let e = away(y);
    let p = m.mul_add(e, m.float(0.3125), m.float(0.375));
    let p = m.mul_add(p, e, m.float(0.5));
    let y = m.mul_add(y * e, p, y);
    m.mul_add(y * m.float(0.5), away(y), y)
}

/// One by the square root.
#[inline(always)]
pub fn rsqrt<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let subnormal = m.less(x, m.float(f32::MIN_POSITIVE));
    let bits = m.bits(m.select(subnormal, x * m.float(16_777_216.0), x));
    let offset = m.select_word(subnormal, m.word(12), m.word(0));
    // x = f * 4^e with f in 1 .. 4.
    let e = m.shift_right_signed(m.shift_right(bits, 23) - m.word(127), 1);
    let f = m.from_bits(bits - m.shift_left(e, 24));
    let y = inverse_root(m, f);
    let product = m.two_prod(f, y);
    let away = m.residual(m.float(1.0), product.high, y);
    let away = m.mul_add(m.negative(product.low), y, away);
    let p = m.mul_add(away, m.float(0.375), m.float(0.5));
    let root = Double {
        high: y,
        low: y * away * p,
    };
    round(m, root).map(|value| {
        let scaled = m.bits(value) - m.shift_left(e - offset, 23);
        let value = m.from_bits(scaled);
        let value = m.select(m.less(x, m.float(0.0)), m.nan(), value);
        let infinity = m.with_sign(m.float(f32::INFINITY), x);
        let value = m.select(m.is_magnitude(x, 0.0), infinity, value);
        let is_infinite = m.same(m.bits(x), m.word(f32::INFINITY.to_bits()));
        let value = m.select(is_infinite, m.float(0.0), value);
        m.nan_from(x, value)
    })
}

/// The cube root: of `x = f * 8^e` with f in 1 .. 8, by the inverse cube root of f.
#[inline(always)]
pub fn cbrt<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let magnitude = m.absolute(x);
    let subnormal = m.is_below(x, f32::MIN_POSITIVE);
    let scaled = m.select(subnormal, magnitude * m.float(16_777_216.0), magnitude);
    let bits = m.bits(scaled);
    let offset = m.select_word(subnormal, m.word(8), m.word(0));
    // The exponent by 3, rounded down: a product stands for the division of a small number.
    let third = (m.shift_right(bits, 23) + m.word(257)) * m.word(43_691);
    let e = m.shift_right(third, 17) - m.word(128);
    let f = m.from_bits(bits - e * m.word(3 << 23));
    let y = inverse_cube_root(m, f);
    let y2 = y * y;
    let root = f * y2;
    let cube = mul_float(m, m.two_prod(root, root), root);
    let error = (f - cube.high) - cube.low;
    let sum = Double {
        high: root,
        low: error * (y2 * m.float(1.0 / 3.0)),
    };
    round(m, sum).map(|value| {
        let value = m.from_bits(m.bits(value) + m.shift_left(e - offset, 23));
        let same = m.is_magnitude(x, 0.0) | m.is_magnitude(x, f32::INFINITY);
        let value = m.select(same, x, m.with_sign(value, x));
        m.nan_from(x, value)
    })
}

/// `f^(-1/3)` to about 2^-22: a guess by the exponent, and two steps of fourth order.
#[inline(always)]
fn inverse_cube_root<M: Machine>(m: M, f: M::Float) -> M::Float {
    let bits = m.bits(f);
    let parts = [4, 6, 8, 10].map(|count| m.shift_right(bits, count));
    let third = parts
        .into_iter()
        .fold(m.shift_right(bits, 2), |sum, part| sum + part);
    let mut y = m.from_bits(m.word(0x54a2_fa8c) - third);
    for _ in 0..2 {
        let away = m.mul_add(m.negative(f * y), y * y, m.float(1.0));
        let p = m.mul_add(away, m.float(14.0 / 81.0), m.float(2.0 / 9.0));
        let p = m.mul_add(p, away, m.float(1.0 / 3.0));
        y = m.mul_add(y * away, p, y);
    }
    y
}
