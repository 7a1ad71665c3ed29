//! pow: x to the power of y, as IEEE 754-2019 and annex F of C have it.
//!
//! `2^(y log2 |x|)` in double-float arithmetic, one rounding at the end. It is frozen: the value is
//! what this sequence of operations gives, within 0.50002 units in the last place.

use super::constants::{EXP2, EXP2_TAIL};
use super::double::{Double, constant, fast_two_sum, mul_float, normal, polynomial};
use super::double::{polynomial_from, step};
use super::frozen::Twice;
use super::log::log2_of_positive;
use super::machine::Machine;
use super::reduce::ROUNDER;
use super::round::{Rounded, round_scaled};

/// Powers beyond 2^±2^40 are as those: every base but 1 takes them to 0 or infinity.
const MOST: f32 = 1_099_511_627_776.0;
/// From here on every float is a whole number.
const WHOLE: f32 = 8_388_608.0;

/// x to the power of y.
#[inline(always)]
pub fn pow<M: Machine>(m: M, x: M::Float, y: M::Float) -> Rounded<M> {
    let value = of_magnitude(Twice(m), m.absolute(x), y);
    Rounded::sure(m, special(m, x, y, value))
}

/// Of a positive finite x and a finite y; any value elsewhere.
#[inline(always)]
fn of_magnitude<M: Machine>(m: M, x: M::Float, y: M::Float) -> M::Float {
    let power = bounded(m, log2_of_positive(m, x), y);
    let rounder = m.float(ROUNDER);
    let shifted = power.high + rounder;
    let r = fast_two_sum(power.high - (shifted - rounder), power.low);
    let exponent = m.bits(shifted) - m.word(ROUNDER.to_bits());
    round_scaled(m, two_to(m, r), exponent).value
}

/// `y * log`, held where two to its power can be taken: beyond, the result is 0 and infinity, as it is
/// at the bounds.
#[inline(always)]
pub fn bounded<M: Machine>(m: M, log: Double<M::Float>, y: M::Float) -> Double<M::Float> {
    let power = normal(mul_float(m, log, m.clamp(y, -MOST, MOST)));
    let (least, most) = (m.float(-160.0), m.float(140.0));
    let (low, high) = (m.less(power.high, least), m.less(most, power.high));
    Double {
        high: m.select(low, least, m.select(high, most, power.high)),
        low: m.select(low | high, m.float(0.0), power.low),
    }
}

/// `2^r` for |r| <= 0.50001.
#[inline(always)]
fn two_to<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    let tail = polynomial(m, &EXP2_TAIL, r.high);
    let p = polynomial_from(m, &EXP2, r, tail);
    step(m, constant(0x3f80_0000, 0), r, p)
}

/// `value`, that of |x|, with the sign that it has, and what is right where it is none.
#[inline(always)]
pub fn special<M: Machine>(m: M, x: M::Float, y: M::Float, value: M::Float) -> M::Float {
    let (zero, infinity) = (m.float(0.0), m.float(f32::INFINITY));
    let (is_whole, is_odd) = parity(m, y);
    let up = m.less(zero, y);
    let value = m.select(m.is_magnitude(x, 0.0), m.select(up, zero, infinity), value);
    let infinite = m.is_magnitude(x, f32::INFINITY);
    let value = m.select(infinite, m.select(up, infinity, zero), value);
    let beyond_one = !m.is_below(x, 1.0);
    let grows = (beyond_one & up) | (!beyond_one & !up);
    let limit = m.select(grows, infinity, zero);
    let limit = m.select(m.is_magnitude(x, 1.0), m.float(1.0), limit);
    let value = m.select(m.is_magnitude(y, f32::INFINITY), limit, value);
    let sign = m.select_word(is_odd, m.sign(x), m.word(0));
    let value = m.from_bits(m.bits(value) | sign);
    let no_value = m.less(x, zero) & !infinite & !is_whole;
    let value = m.select(no_value, m.nan(), value);
    let value = m.nan_from(x, m.nan_from(y, value));
    let one = m.same(m.bits(x), m.word(1.0_f32.to_bits())) | m.is_magnitude(y, 0.0);
    m.select(one, m.float(1.0), value)
}

/// Whether a number is whole, infinities among them, and whether it is odd.
#[inline(always)]
fn parity<M: Machine>(m: M, y: M::Float) -> (M::Truth, M::Truth) {
    let size = m.absolute(y);
    let has_fraction = m.is_below(y, WHOLE);
    // Adding 2^23 rounds to a whole number, whose last bit is then the last one.
    let shifted = size + m.float(WHOLE);
    let rounded = shifted - m.float(WHOLE);
    let is_whole = !has_fraction | m.same(m.bits(rounded), m.bits(size));
    let last = m.select_word(has_fraction, m.bits(shifted), m.bits(size)) & m.word(1);
    let is_odd = is_whole & m.is_below(y, WHOLE + WHOLE) & m.same(last, m.word(1));
    (is_whole, is_odd)
}
