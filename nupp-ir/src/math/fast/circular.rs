//! sin, cos and tan of the fast grade. Far arguments are reduced as those of the correctly rounded
//! functions are.

use super::super::circular::{FAR, finished, has};
use super::super::constants::{HALF_PI, TWO_BY_PI};
use super::super::double::{Double, fast_two_sum, polynomial, reciprocal};
use super::super::frozen::Twice;
use super::super::machine::Machine;
use super::super::reduce::ROUNDER;
use super::super::round::Rounded;
use super::super::turns::of_far;
use super::constants::{COS, SIN};

/// The quarter of an argument, and its rest in two parts.
#[inline(always)]
fn near<M: Machine>(m: M, x: M::Float) -> (M::Word, Double<M::Float>) {
    let rounder = m.float(ROUNDER);
    let shifted = m.mul_add(x, m.float(TWO_BY_PI), rounder);
    let n = shifted - rounder;
    let r = m.residual(x, n, m.float(HALF_PI[0]));
    let p = m.two_prod(n, m.float(HALF_PI[1]));
    let high = r - p.high;
    let low = ((r - high) - p.high) - p.low;
    let low = m.mul_add(m.negative(n), m.float(HALF_PI[2]), low);
    (m.bits(shifted), fast_two_sum(high, low))
}

/// The same of any argument, and whether it is far out.
#[inline(always)]
fn reduced<M: Machine>(m: M, x: M::Float) -> (M::Word, Double<M::Float>, M::Truth) {
    let far = m.is_below(x, f32::INFINITY) & !m.is_below(x, FAR);
    let words = |quarter, rest: Double<M::Float>| [quarter, m.bits(rest.high), m.bits(rest.low)];
    let (quarter, rest) = near(m, x);
    let [quarter, high, low] = m.seldom(far, words(quarter, rest), || {
        let turns = of_far(m, x);
        words(turns.quarter, turns.rest)
    });
    let rest = Double {
        high: m.from_bits(high),
        low: m.from_bits(low),
    };
    (quarter, rest, far)
}

/// The sine of an argument that is so many quarters further on.
#[inline(always)]
fn sine_after<M: Machine>(m: M, x: M::Float, quarters: u32) -> (M::Float, M::Truth) {
    let (quarter, rest, far) = reduced(m, x);
    let quarter = quarter + m.word(quarters);
    let (r, z) = (rest.high, rest.high * rest.high);
    let sine = m.mul_add(z * r, polynomial(m, &SIN, z), rest.low) + r;
    let start = m.mul_add(z, m.float(-0.5), m.float(1.0));
    let cosine = m.mul_add(z * z, polynomial(m, &COS, z), start);
    let value = m.select(has(m, quarter, 1), cosine, sine);
    let sign = m.shift_left(quarter & m.word(2), 30);
    (m.from_bits(m.bits(value) ^ sign), far)
}

/// The value of a block's lane that is far out is taken by itself, on the branch.
#[inline(always)]
fn frozen<M: Machine>(m: M, (value, far): (M::Float, M::Truth)) -> Rounded<M> {
    Rounded::sure(m, value).or_hard(far)
}

/// The sine.
#[inline(always)]
pub fn sin<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let rounded = frozen(m, sine_after(Twice(m), x, 0));
    rounded.map(|value| finished(m, x, value))
}

/// The cosine.
#[inline(always)]
pub fn cos<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let rounded = frozen(m, sine_after(Twice(m), x, 1));
    let finite = m.is_below(x, f32::INFINITY);
    rounded.map(|value| m.select(finite, value, m.nan()))
}

/// The tangent.
#[inline(always)]
pub fn tan<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    frozen(m, tangent(Twice(m), x)).map(|value| finished(m, x, value))
}

/// `sin / cos`, or `cos / -sin` in odd quarters, both in two parts.
#[inline(always)]
fn tangent<M: Machine>(m: M, x: M::Float) -> (M::Float, M::Truth) {
    let (quarter, rest, far) = reduced(m, x);
    let (r, z) = (rest.high, rest.high * rest.high);
    let sine = fast_two_sum(r, m.mul_add(z * r, polynomial(m, &SIN, z), rest.low));
    let part = m.mul_add(z, z * polynomial(m, &COS, z), z * m.float(-0.5));
    let cosine = fast_two_sum(m.float(1.0), part);
    let cosine = Double {
        high: cosine.high,
        low: m.mul_add(m.negative(r), rest.low, cosine.low),
    };
    let odd = has(m, quarter, 1);
    let pick = |yes, no| m.select(odd, yes, no);
    let (above, above_low) = (pick(cosine.high, sine.high), pick(cosine.low, sine.low));
    let below = pick(m.negative(sine.high), cosine.high);
    let below_low = pick(m.negative(sine.low), cosine.low);
    let sign = m.sign(below);
    let flipped = |part| m.from_bits(m.bits(part) ^ sign);
    let (below, below_low) = (flipped(below), flipped(below_low));
    let inverse = reciprocal(m, below);
    let quotient = above * inverse;
    let rest = m.mul_add(m.negative(quotient), below_low, above_low);
    let rest = m.residual(above, quotient, below) + rest;
    (flipped(m.mul_add(rest, inverse, quotient)), far)
}
