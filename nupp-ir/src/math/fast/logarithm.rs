//! The logarithms of the fast grade: `log(1 + f) = f - f^2 / 2 + f^3 q(f)`.

use super::super::constants::{LOG2_E_DOUBLE, LOG10_2, LOG10_E};
use super::super::double::{Constant, Double, polynomial, two_sum};
use super::super::log::{special, special_of_one_and, split, split_word};
use super::super::machine::Machine;
use super::super::reduce::float_of;
use super::super::round::power_of_two;
use super::constants::{LN2, LOG};

/// `f^2` and `f^3 q(f)`.
#[inline(always)]
fn terms<M: Machine>(m: M, f: M::Float) -> (M::Float, M::Float) {
    let square = f * f;
    (square, (square * f) * polynomial(m, &LOG, f))
}

/// `e` and `f` of `x = 2^e (1 + f)`.
#[inline(always)]
fn parts<M: Machine>(m: M, x: M::Float) -> (M::Float, M::Float) {
    let (e, f) = split(m, x);
    (e, f - m.float(1.0))
}

#[inline(always)]
pub fn log<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (e, f) = parts(m, x);
    let (square, rest) = terms(m, f);
    let sum = m.mul_add(e, m.float(LN2[1]), rest);
    let sum = m.mul_add(square, m.float(-0.5), sum) + f;
    special(m, x, m.mul_add(e, m.float(LN2[0]), sum))
}

/// `log(1 + f)` by a constant, but for the leading part of `f` by it, which comes first.
#[inline(always)]
fn scaled<M: Machine>(m: M, f: M::Float, by: Constant) -> Double<M::Float> {
    let (square, rest) = terms(m, f);
    let rest = m.mul_add(square, m.float(-0.5), rest);
    let product = m.two_prod(f, m.float(by.high));
    let low = m.mul_add(rest, m.float(by.high), f * m.float(by.low));
    Double {
        high: product.high,
        low: product.low + low,
    }
}

#[inline(always)]
pub fn log2<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (e, f) = parts(m, x);
    let log = scaled(m, f, LOG2_E_DOUBLE);
    special(m, x, (log.high + log.low) + e)
}

#[inline(always)]
pub fn log10<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (e, f) = parts(m, x);
    let log = scaled(m, f, LOG10_E);
    let low = m.mul_add(e, m.float(LOG10_2.low), log.low);
    special(m, x, m.mul_add(e, m.float(LOG10_2.high), log.high + low))
}

#[inline(always)]
pub fn log1p<M: Machine>(m: M, x: M::Float) -> M::Float {
    let one = two_sum(m.float(1.0), x);
    let (exponent, f) = split_word(m, m.bits(one.high));
    let most = m.word(126);
    let used = m.select_word(m.less_signed(exponent, most), exponent, most);
    let low = one.low * power_of_two(m, m.word(0) - used);
    let e = float_of(m, exponent);
    let f = two_sum(f - m.float(1.0), low);
    let square = f.high * f.high;
    // The low part by the slope, 1 / (1 + f).
    let low = m.mul_add(m.negative(f.high), f.low, f.low);
    let sum = m.mul_add(square * f.high, polynomial(m, &LOG, f.high), low);
    let sum = m.mul_add(e, m.float(LN2[1]), sum);
    let sum = m.mul_add(square, m.float(-0.5), sum) + f.high;
    special_of_one_and(m, x, m.mul_add(e, m.float(LN2[0]), sum))
}
