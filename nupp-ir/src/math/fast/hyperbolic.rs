//! sinh, cosh, tanh and the logistic function of the fast grade.

use super::super::double::{fast_two_sum, polynomial, reciprocal};
use super::super::machine::Machine;
use super::super::round::{power_of_two, scale};
use super::constants::{SINH, TANH};
use super::exponential::{by_ln2, reduced};

/// `exp(a) / 2` for `a` in 0 ..= 90, and a quarter of its reciprocal.
#[inline(always)]
fn halves<M: Machine>(m: M, a: M::Float) -> (M::Float, M::Float) {
    let (k, r) = by_ln2(m, a);
    let half = scale(m, reduced(m, r), k - m.word(1));
    // From here on the reciprocal no longer counts.
    let most = m.float(1e18);
    let used = m.select(m.less(half, most), half, most);
    (half, reciprocal(m, used))
}

/// |x|, at most so much.
#[inline(always)]
fn magnitude<M: Machine>(m: M, x: M::Float, most: f32) -> M::Float {
    let (a, most) = (m.absolute(x), m.float(most));
    m.select(m.less(most, a), most, a)
}

#[inline(always)]
pub fn cosh<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (half, inverse) = halves(m, magnitude(m, x, 90.0));
    m.nan_from(x, m.mul_add(inverse, m.float(0.25), half))
}

#[inline(always)]
pub fn sinh<M: Machine>(m: M, x: M::Float) -> M::Float {
    let a = magnitude(m, x, 90.0);
    let z = a * a;
    let near = m.mul_add(z * a, polynomial(m, &SINH, z), a);
    let (half, inverse) = halves(m, a);
    let far = m.mul_add(inverse, m.float(-0.25), half);
    let value = m.select(m.less(a, m.float(1.0)), near, far);
    m.nan_from(x, m.with_sign(value, x))
}

#[inline(always)]
pub fn tanh<M: Machine>(m: M, x: M::Float) -> M::Float {
    let a = m.absolute(x);
    let z = a * a;
    let near = m.mul_add(z * a, polynomial(m, &TANH, z), a);
    let inside = magnitude(m, x, 10.0);
    let (k, r) = by_ln2(m, inside + inside);
    let p = reduced(m, r);
    let sum = m.from_bits(m.bits(p) + m.shift_left(k, 23)) + m.float(1.0);
    let far = m.mul_add(reciprocal(m, sum), m.float(-2.0), m.float(1.0));
    let value = m.select(m.less(a, m.float(0.625)), near, far);
    m.nan_from(x, m.with_sign(value, x))
}

#[inline(always)]
pub fn sigmoid<M: Machine>(m: M, x: M::Float) -> M::Float {
    let inside = m.clamp(x, -105.0, 30.0);
    let (k, r) = by_ln2(m, m.negative(m.absolute(inside)));
    let p = reduced(m, r);
    // Beside 1, 2^-100 is small enough to stand for anything smaller.
    let least = m.word((-100_i32).cast_unsigned());
    let unit = power_of_two(m, m.select_word(m.less_signed(least, k), k, least));
    let one = m.float(1.0);
    let below = fast_two_sum(one, p * unit);
    let is_negative = m.less(inside, m.float(0.0));
    let above = m.select(is_negative, p, one);
    let inverse = reciprocal(m, below.high);
    let quotient = above * inverse;
    let rest = m.residual(above, quotient, below.high) - quotient * below.low;
    let value = m.mul_add(rest, inverse, quotient);
    let exponent = m.select_word(is_negative, k, m.word(0));
    m.nan_from(x, scale(m, value, exponent))
}
