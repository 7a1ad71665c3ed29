//! log, log2, log10 and log1p.
//!
//! An argument is `2^e * f` with f in sqrt(1/2) .. sqrt(2), and `log f = 2 atanh((f - 1) / (f + 1))`.

use super::constants::{
    ATANH, ATANH_TAIL, LN2, LOG2_E_DOUBLE, LOG10_2, LOG10_E, RECIPROCAL_NEAR_2,
};
use super::double::{
    Double, add, fast_two_sum, known, mul, mul_float, polynomial, polynomial_from, quotient_by,
    refined_reciprocal, two_sum, widened,
};
use super::exp::TINY;
use super::machine::Machine;
use super::reduce::float_of;
use super::round::{Rounded, power_of_two, round};

/// The bits of sqrt(1/2): subtracting them leaves the exponent by which a float is above it.
const HALF_ROOT: u32 = 0x3f35_04f3;

/// `e` and `f` of a positive finite number.
#[inline(always)]
pub fn split<M: Machine>(m: M, x: M::Float) -> (M::Float, M::Float) {
    let subnormal = m.less(x, m.float(f32::MIN_POSITIVE));
    let scaled = m.select(subnormal, x * m.float(8_388_608.0), x);
    let offset = m.select(subnormal, m.float(23.0), m.float(0.0));
    let (exponent, f) = split_word(m, m.bits(scaled));
    (float_of(m, exponent) - offset, f)
}

/// The same of the bits of a normal number, the exponent as an int32.
#[inline(always)]
pub fn split_word<M: Machine>(m: M, bits: M::Word) -> (M::Word, M::Float) {
    let exponent = m.shift_right_signed(bits - m.word(HALF_ROOT), 23);
    (exponent, m.from_bits(bits - m.shift_left(exponent, 23)))
}

/// `2 atanh(s)` for |s| <= 0.1718.
#[inline(always)]
fn twice_atanh<M: Machine>(m: M, s: Double<M::Float>) -> Double<M::Float> {
    let z = mul(m, s, s);
    let tail = polynomial(m, &ATANH_TAIL, z.high);
    let rest = mul(m, z, polynomial_from(m, &ATANH, z, tail));
    let twice = Double {
        high: s.high + s.high,
        low: s.low + s.low,
    };
    add(twice, mul(m, twice, rest))
}

/// `log(1 + g)` for a `g` in sqrt(1/2) - 1 .. sqrt(2) - 1.
#[inline(always)]
fn of_one_and<M: Machine>(m: M, g: Double<M::Float>) -> Double<M::Float> {
    let sum = fast_two_sum(m.float(2.0), g.high);
    let denominator = Double {
        high: sum.high,
        low: sum.low + g.low,
    };
    let estimate = polynomial(m, &RECIPROCAL_NEAR_2, denominator.high);
    let reciprocal = refined_reciprocal(m, denominator.high, estimate);
    twice_atanh(m, quotient_by(m, g, denominator, reciprocal))
}

/// `log f`.
#[inline(always)]
pub fn of_significand<M: Machine>(m: M, f: M::Float) -> Double<M::Float> {
    of_one_and(m, widened(m, f - m.float(1.0)))
}

/// `e ln 2`; the first two products are exact.
#[inline(always)]
fn times_ln2<M: Machine>(m: M, e: M::Float) -> Double<M::Float> {
    let sum = fast_two_sum(e * m.float(LN2[0]), e * m.float(LN2[1]));
    Double {
        high: sum.high,
        low: m.mul_add(e, m.float(LN2[2]), sum.low),
    }
}

/// The value of a logarithm where the argument is no positive number.
#[inline(always)]
pub fn special<M: Machine>(m: M, x: M::Float, value: M::Float) -> M::Float {
    let value = m.select(m.is_magnitude(x, f32::INFINITY), x, value);
    let value = m.select(m.less(x, m.float(0.0)), m.nan(), value);
    let least = m.float(f32::NEG_INFINITY);
    let value = m.select(m.is_magnitude(x, 0.0), least, value);
    m.nan_from(x, value)
}

/// The natural logarithm.
#[inline(always)]
pub fn log<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let (e, f) = split(m, x);
    let sum = add(times_ln2(m, e), of_significand(m, f));
    round(m, sum).map(|value| special(m, x, value))
}

/// The logarithm to base 2, not normalised.
#[inline(always)]
pub fn log2_of_positive<M: Machine>(m: M, x: M::Float) -> Double<M::Float> {
    let (e, f) = split(m, x);
    let part = mul(m, of_significand(m, f), known(m, LOG2_E_DOUBLE));
    add(widened(m, e), part)
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    round(m, log2_of_positive(m, x)).map(|value| special(m, x, value))
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let (e, f) = split(m, x);
    let part = mul(m, of_significand(m, f), known(m, LOG10_E));
    let whole = mul_float(m, known(m, LOG10_2), e);
    round(m, add(whole, part)).map(|value| special(m, x, value))
}

/// `log(1 + x)`, right near 0 too.
#[inline(always)]
pub fn log1p<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let one = two_sum(m.float(1.0), x);
    let (exponent, f) = split_word(m, m.bits(one.high));
    let most = m.word(126);
    let used = m.select_word(m.less_signed(exponent, most), exponent, most);
    let low = one.low * power_of_two(m, m.word(0) - used);
    let g = two_sum(f - m.float(1.0), low);
    let sum = add(times_ln2(m, float_of(m, exponent)), of_one_and(m, g));
    round(m, sum).map(|value| special_of_one_and(m, x, value))
}

/// The value of log1p where x is small, or 1 + x no positive number.
#[inline(always)]
pub fn special_of_one_and<M: Machine>(m: M, x: M::Float, value: M::Float) -> M::Float {
    let value = m.select(m.is_below(x, TINY), x, value);
    let value = m.select(m.is_magnitude(x, f32::INFINITY), x, value);
    let value = m.select(m.less(x, m.float(-1.0)), m.nan(), value);
    let at_least = m.same(m.bits(x), m.word((-1.0_f32).to_bits()));
    let value = m.select(at_least, m.float(f32::NEG_INFINITY), value);
    m.nan_from(x, value)
}
