//! sinh, cosh, tanh and the logistic function.

use super::circular::SMALL;
use super::constants::{COSH, COSH_TAIL, SINH, SINH_TAIL};
use super::double::{
    Double, add, constant, fast_two_sum, known, mul, normal, polynomial, polynomial_from, quotient,
    select, step, two_sum,
};
use super::exp::{reduced, reduced_less_one};
use super::machine::Machine;
use super::reduce::by_ln2;
use super::round::{Rounded, power_of_two, round, round_scaled, scale};

const ONE: super::double::Constant = constant(0x3f80_0000, 0);

/// sinh(r) and cosh(r) for |r| <= 0.3475.
#[inline(always)]
fn both<M: Machine>(m: M, r: Double<M::Float>) -> [Double<M::Float>; 2] {
    let z = normal(mul(m, r, r));
    let tail = polynomial(m, &SINH_TAIL, z.high);
    let p = polynomial_from(m, &SINH, z, tail);
    let sine = add(r, mul(m, r, mul(m, z, p)));
    let tail = polynomial(m, &COSH_TAIL, z.high);
    let p = polynomial_from(m, &COSH, z, tail);
    let p = step(m, constant(0x3f00_0000, 0), z, p);
    [sine, step(m, ONE, z, p)]
}

/// Of |x|: `2^(k-1) (cosh(r) (1 + t) + sinh(r) (1 - t))` is the cosine with `t = 2^(-2k)`, and the
/// sine has both signs the other way.
#[inline(always)]
fn of_magnitude<M: Machine>(m: M, x: M::Float, is_sine: bool) -> Rounded<M> {
    let magnitude = m.clamp(m.absolute(x), 0.0, 90.0);
    let (k, r) = by_ln2(m, magnitude);
    let [sine, cosine] = both(m, r);
    let t = power_of_two(m, m.word(0) - (k + k));
    let t = m.select(m.less_signed(k, m.word(60)), t, m.float(0.0));
    let one = m.float(1.0);
    let (more, less) = (fast_two_sum(one, t), fast_two_sum(one, m.negative(t)));
    let (of_cosine, of_sine) = if is_sine { (less, more) } else { (more, less) };
    let (a, b) = (mul(m, cosine, of_cosine), mul(m, sine, of_sine));
    let sum = two_sum(a.high, b.high);
    let sum = Double {
        high: sum.high,
        low: sum.low + (a.low + b.low),
    };
    round(m, sum).map(|value| scale(m, value, k - m.word(1)))
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    of_magnitude(m, x, true).map(|value| odd(m, x, value))
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    of_magnitude(m, x, false).map(|value| m.nan_from(x, value))
}

/// The value of an odd function that near 0 is the identity, of its value at |x|.
#[inline(always)]
pub fn odd<M: Machine>(m: M, x: M::Float, value: M::Float) -> M::Float {
    let value = m.select(m.is_below(x, SMALL), x, m.with_sign(value, x));
    m.nan_from(x, value)
}

/// The hyperbolic tangent: `(E - 1) / (E + 1)` of `E = exp(2 |x|)`, both taken by 2^-k.
#[inline(always)]
pub fn tanh<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let magnitude = m.clamp(m.absolute(x), 0.0, 10.0);
    let (k, r) = by_ln2(m, magnitude + magnitude);
    let p = reduced_less_one(m, r);
    let unit = power_of_two(m, m.word(0) - k);
    let rest = fast_two_sum(m.float(1.0), m.negative(unit));
    let sum = two_sum(rest.high, p.high);
    let above = fast_two_sum(sum.high, sum.low + (rest.low + p.low));
    let sum = two_sum(above.high, unit + unit);
    let below = fast_two_sum(sum.high, sum.low + above.low);
    let rounded = round(m, quotient(m, above, below));
    rounded.map(|value| odd(m, x, value))
}

/// The logistic function: `1 / (1 + E)` or `E / (1 + E)` of `E = exp(-|x|)`, by the sign.
#[inline(always)]
pub fn sigmoid<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let inside = m.clamp(x, -105.0, 30.0);
    let (k, r) = by_ln2(m, m.negative(m.absolute(inside)));
    let p = reduced(m, r);
    // Beside 1, 2^-100 is small enough to stand for anything smaller.
    let least = m.word((-100_i32).cast_unsigned());
    let unit = power_of_two(m, m.select_word(m.less_signed(least, k), k, least));
    let sum = fast_two_sum(m.float(1.0), p.high * unit);
    let below = Double {
        high: sum.high,
        low: sum.low + p.low * unit,
    };
    let is_negative = m.less(x, m.float(0.0));
    let above = select(m, is_negative, p, known(m, ONE));
    let exponent = m.select_word(is_negative, k, m.word(0));
    let rounded = round_scaled(m, quotient(m, above, below), exponent);
    rounded.map(|value| m.nan_from(x, value))
}
