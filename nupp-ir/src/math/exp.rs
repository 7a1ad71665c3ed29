//! exp, exp2 and expm1.

use super::constants::{EXP, EXP_TAIL, EXP2, EXP2_TAIL};
use super::double::{
    Constant, Double, constant, first_step, mul, polynomial, polynomial_from, step, step_float,
    two_sum,
};
use super::machine::Machine;
use super::reduce::{by_ln2, by_one};
use super::round::{Rounded, power_of_two, round, round_scaled, scale};

const ONE: Constant = constant(0x3f80_0000, 0);

/// Below this, expm1(x), sinh(x), log1p(x) and so on are nearer to x than to any other float.
pub const TINY: f32 = f32::from_bits(0x3280_0000);

/// `1/2 + r/6 + r^2/24 + ...`, so that `exp(r) = 1 + r + r^2 q(r)`.
#[inline(always)]
fn quadratic_rest<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    let tail = polynomial(m, &EXP_TAIL, r.high);
    let p = polynomial_from(m, &EXP, r, tail);
    step(m, constant(0x3f00_0000, 0), r, p)
}

/// `exp(r)` for |r| <= 0.3475, relative error below 2^-48.
#[inline(always)]
pub fn reduced<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    let p = step(m, ONE, r, quadratic_rest(m, r));
    step(m, ONE, r, p)
}

/// `exp(r) - 1` for |r| <= 0.3475, with a small relative error too.
#[inline(always)]
pub fn reduced_less_one<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    mul(m, r, step(m, ONE, r, quadratic_rest(m, r)))
}

/// e to the power of x: `exp(x) = 2^k exp(x - k ln 2)`.
#[inline(always)]
pub fn exp<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    // Beyond these the result is 0 and infinity, as it is at them.
    let inside = m.clamp(x, -105.0, 89.0);
    let (k, r) = by_ln2(m, inside);
    round_scaled(m, reduced(m, r), k).map(|value| m.nan_from(x, value))
}

/// 2 to the power of x: `2^x = 2^k 2^(x - k)`.
#[inline(always)]
pub fn exp2<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let inside = m.clamp(x, -151.0, 128.5);
    let (k, r) = by_one(m, inside);
    // The rest is one float, which makes each step cheaper than `step`.
    let tail = polynomial(m, &EXP2_TAIL, r);
    let p = first_step(m, EXP2[5], r, tail);
    let p = EXP2[..5]
        .iter()
        .rev()
        .fold(p, |p, &c| step_float(m, c, r, p));
    let p = step_float(m, ONE, r, p);
    round_scaled(m, p, k).map(|value| m.nan_from(x, value))
}

/// `a` where `value = a * 2^k` is `exp(x) - 1`, and `k`.
#[inline(always)]
fn less_one<M: Machine>(m: M, x: M::Float) -> (Double<M::Float>, M::Word) {
    let (k, r) = by_ln2(m, x);
    let p = reduced_less_one(m, r);
    // 1 - 2^-k; 2^-126 is small enough to stand for anything smaller.
    let least = m.word((-126_i32).cast_unsigned());
    let k_negative = m.word(0) - k;
    let exponent = m.select_word(m.less_signed(least, k_negative), k_negative, least);
    let rest = two_sum(m.float(1.0), m.negative(power_of_two(m, exponent)));
    let sum = two_sum(rest.high, p.high);
    let sum = Double {
        high: sum.high,
        low: sum.low + (rest.low + p.low),
    };
    (sum, k)
}

/// `exp(x) - 1`, right near 0 too.
#[inline(always)]
pub fn expm1<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let inside = m.clamp(x, -20.0, 89.0);
    let (sum, k) = less_one(m, inside);
    round(m, sum).map(|value| {
        let value = scale(m, value, k);
        let value = m.select(m.is_below(x, TINY), x, value);
        m.nan_from(x, value)
    })
}
