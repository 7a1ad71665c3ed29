//! sin, cos and tan.
//!
//! An argument is a multiple of half pi and a rest of at most a quarter of pi. Up to 100,000 the rest
//! comes from a product by half pi in parts; beyond, from a product by the bits of 2 / pi, on a
//! branch that is seldom taken (`turns`).

use super::constants::{COS, COS_TAIL, SIN, SIN_TAIL};
use super::double::{
    Double, add, constant, mul, negative, normal, polynomial, polynomial_from, quotient, select,
    step,
};
use super::machine::{Machine, SIGN};
use super::round::{Rounded, round};
use super::turns::{Turns, of_far, of_near};

/// From here on sin, cos and tan take the branch that is seldom taken.
pub const FAR: f32 = 100_000.0;

/// Below this, sin(x), tan(x) and their inverses are nearer to x than to any other float.
pub const SMALL: f32 = f32::from_bits(0x3980_0000);

/// The rest of an argument and its quarter, and whether it is far out.
#[inline(always)]
fn reduced<M: Machine>(m: M, x: M::Float) -> (Turns<M>, M::Truth) {
    let far = m.is_below(x, f32::INFINITY) & !m.is_below(x, FAR);
    let near = of_near(m, x);
    let words = |turns: Turns<M>| {
        let Double { high, low } = turns.rest;
        [turns.quarter, m.bits(high), m.bits(low)]
    };
    let [quarter, high, low] = m.seldom(far, words(near), || words(of_far(m, x)));
    let rest = Double {
        high: m.from_bits(high),
        low: m.from_bits(low),
    };
    (Turns { quarter, rest }, far)
}

/// The sine and the cosine of a rest.
#[inline(always)]
fn both<M: Machine>(m: M, r: Double<M::Float>) -> [Double<M::Float>; 2] {
    let z = normal(mul(m, r, r));
    let tail = polynomial(m, &SIN_TAIL, z.high);
    let p = polynomial_from(m, &SIN, z, tail);
    let sine = add(r, mul(m, r, mul(m, z, p)));
    let tail = polynomial(m, &COS_TAIL, z.high);
    let p = polynomial_from(m, &COS, z, tail);
    let p = step(m, constant(0xbf00_0000, 0), z, p);
    [sine, step(m, constant(0x3f80_0000, 0), z, p)]
}

/// Whether a bit of a word is set.
#[inline(always)]
pub fn has<M: Machine>(m: M, word: M::Word, bit: u32) -> M::Truth {
    !m.same(word & m.word(bit), m.word(0))
}

/// The sine of an argument that is so many quarters further on.
#[inline(always)]
fn sine_after<M: Machine>(m: M, x: M::Float, quarters: u32) -> Rounded<M> {
    let (turns, far) = reduced(m, x);
    let quarter = turns.quarter + m.word(quarters);
    let [sine, cosine] = both(m, turns.rest);
    let value = select(m, has(m, quarter, 1), cosine, sine);
    let sign = m.shift_left(quarter & m.word(2), 30);
    let rounded = round(m, value).or_hard(far);
    rounded.map(|value| m.from_bits(m.bits(value) ^ sign))
}

/// `value`, x where that is small, and a NaN where it is none or infinite.
#[inline(always)]
pub fn finished<M: Machine>(m: M, x: M::Float, value: M::Float) -> M::Float {
    let value = m.select(m.is_below(x, SMALL), x, value);
    m.select(m.is_below(x, f32::INFINITY), value, m.nan())
}

/// The sine.
#[inline(always)]
pub fn sin<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    sine_after(m, x, 0).map(|value| finished(m, x, value))
}

/// The cosine.
#[inline(always)]
pub fn cos<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let finite = m.is_below(x, f32::INFINITY);
    sine_after(m, x, 1).map(|value| m.select(finite, value, m.nan()))
}

/// The tangent: `sin / cos`, or `cos / -sin` in odd quarters.
#[inline(always)]
pub fn tan<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let (turns, far) = reduced(m, x);
    let [sine, cosine] = both(m, turns.rest).map(normal);
    let odd = has(m, turns.quarter, 1);
    let above = select(m, odd, cosine, sine);
    let below = select(m, odd, negative(m, sine), cosine);
    // The divisor without its sign.
    let sign = m.sign(below.high);
    let flipped = |part| m.from_bits(m.bits(part) ^ sign);
    let below = Double {
        high: flipped(below.high),
        low: flipped(below.low),
    };
    let rounded = round(m, quotient(m, above, below)).or_hard(far);
    rounded.map(|value| finished(m, x, flipped(value)))
}

const _: () = assert!(SIGN == 2 << 30);
