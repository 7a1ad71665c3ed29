//! Double-float arithmetic: a number as the unevaluated sum of two floats, about 48 bits.
//!
//! Error-free sums are those of Dekker (1971) and Knuth (The Art of Computer Programming, volume
//! 2, 4.2.2). Results are not always normalised: the low part may exceed half a unit in the last
//! place of the high part by a few times, which the sums that follow take in.

use super::machine::{Arithmetic, Machine};

/// `high + low`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Double<F> {
    /// The leading part.
    pub high: F,
    /// What it misses.
    pub low: F,
}

/// A constant to double-float accuracy.
pub type Constant = Double<f32>;

/// The constant whose parts have these bits.
pub const fn constant(high: u32, low: u32) -> Constant {
    Double {
        high: f32::from_bits(high),
        low: f32::from_bits(low),
    }
}

/// `a + b` exactly, where `|a| >= |b|` or `a` is zero.
#[inline(always)]
pub fn fast_two_sum<F: Arithmetic>(a: F, b: F) -> Double<F> {
    let high = a + b;
    let low = b - (high - a);
    Double { high, low }
}

/// `a + b` exactly, whichever is greater.
#[inline(always)]
pub fn two_sum<F: Arithmetic>(a: F, b: F) -> Double<F> {
    let high = a + b;
    let from_b = high - a;
    let low = (a - (high - from_b)) + (b - from_b);
    Double { high, low }
}

/// A constant as a value.
#[inline(always)]
pub fn known<M: Machine>(m: M, c: Constant) -> Double<M::Float> {
    Double {
        high: m.float(c.high),
        low: m.float(c.low),
    }
}

/// A float as a double float.
#[inline(always)]
pub fn widened<M: Machine>(m: M, high: M::Float) -> Double<M::Float> {
    let low = m.float(0.0);
    Double { high, low }
}

/// The same sum with its low part within half a unit of the high one, for `|high| >= |low|`.
#[inline(always)]
pub fn normal<F: Arithmetic>(x: Double<F>) -> Double<F> {
    fast_two_sum(x.high, x.low)
}

/// `a + b`, where `|a| >= |b|` or `a` is zero.
#[inline(always)]
pub fn add<F: Arithmetic>(a: Double<F>, b: Double<F>) -> Double<F> {
    let sum = fast_two_sum(a.high, b.high);
    Double {
        high: sum.high,
        low: sum.low + (a.low + b.low),
    }
}

/// `-x`.
#[inline(always)]
pub fn negative<M: Machine>(m: M, x: Double<M::Float>) -> Double<M::Float> {
    Double {
        high: m.negative(x.high),
        low: m.negative(x.low),
    }
}

/// `yes` where the condition holds, else `no`.
#[inline(always)]
pub fn select<M: Machine>(
    m: M,
    condition: M::Truth,
    yes: Double<M::Float>,
    no: Double<M::Float>,
) -> Double<M::Float> {
    Double {
        high: m.select(condition, yes.high, no.high),
        low: m.select(condition, yes.low, no.low),
    }
}

/// `a * b`, not normalised: what is left out is the product of the low parts.
#[inline(always)]
pub fn mul<M: Machine>(m: M, a: Double<M::Float>, b: Double<M::Float>) -> Double<M::Float> {
    let product = m.two_prod(a.high, b.high);
    let low = m.mul_add(a.high, b.low, product.low);
    let low = m.mul_add(a.low, b.high, low);
    Double {
        high: product.high,
        low,
    }
}

/// `a * b` for a float `b`, not normalised.
#[inline(always)]
pub fn mul_float<M: Machine>(m: M, a: Double<M::Float>, b: M::Float) -> Double<M::Float> {
    let product = m.two_prod(a.high, b);
    Double {
        high: product.high,
        low: m.mul_add(a.low, b, product.low),
    }
}

/// `c + x * p` for `|c|` above `|x * p|`: a step of Horner's rule.
#[inline(always)]
pub fn step<M: Machine>(
    m: M,
    c: Constant,
    x: Double<M::Float>,
    p: Double<M::Float>,
) -> Double<M::Float> {
    add_constant(m, c, mul(m, x, p))
}

/// `c + x * p` for a float `x`.
#[inline(always)]
pub fn step_float<M: Machine>(
    m: M,
    c: Constant,
    x: M::Float,
    p: Double<M::Float>,
) -> Double<M::Float> {
    add_constant(m, c, mul_float(m, p, x))
}

/// `c + x * p`, the product in single precision: the first step, where that is enough.
#[inline(always)]
pub fn first_step<M: Machine>(m: M, c: Constant, x: M::Float, p: M::Float) -> Double<M::Float> {
    let sum = fast_two_sum(m.float(c.high), x * p);
    Double {
        high: sum.high,
        low: sum.low + m.float(c.low),
    }
}

/// `c0 + x * (c1 + x * (... + x * (c_n + x * p)))`, where coefficients ascend and `x * p` needs no
/// more than a float.
#[inline(always)]
pub fn polynomial_from<M: Machine>(
    m: M,
    coefficients: &[Constant],
    x: Double<M::Float>,
    p: M::Float,
) -> Double<M::Float> {
    let (last, rest) = match coefficients.split_last() {
        Some((&last, rest)) => (last, rest),
        None => (constant(0, 0), coefficients),
    };
    let start = first_step(m, last, x.high, p);
    rest.iter().rev().fold(start, |sum, &c| step(m, c, x, sum))
}

#[inline(always)]
fn add_constant<M: Machine>(m: M, c: Constant, p: Double<M::Float>) -> Double<M::Float> {
    let sum = fast_two_sum(m.float(c.high), p.high);
    // Small coefficients have no low part, and adding zero is not free.
    let low = if c.low == 0.0 {
        p.low
    } else {
        p.low + m.float(c.low)
    };
    Double {
        high: sum.high,
        low: sum.low + low,
    }
}

/// A polynomial in single precision, coefficients in ascending order.
#[inline(always)]
pub fn polynomial<M: Machine>(m: M, coefficients: &[f32], x: M::Float) -> M::Float {
    let (last, rest) = match coefficients.split_last() {
        Some((&last, rest)) => (last, rest),
        None => (0.0, coefficients),
    };
    let start = m.float(last);
    rest.iter()
        .rev()
        .fold(start, |sum, &c| m.mul_add(sum, x, m.float(c)))
}

/// 1 / x to about 2^-23, for a normal x in 2^-125 .. 2^125.
#[inline(always)]
pub fn reciprocal<M: Machine>(m: M, x: M::Float) -> M::Float {
    // The bits of a float are nearly its logarithm: this is right to 2^-3.
    let y = m.from_bits(m.word(0x7ef3_11c3) - m.bits(x));
    let one = m.float(1.0);
    let away = |y| m.mul_add(m.negative(x), y, one);
    let e = away(y);
    let y = m.mul_add(y, e, y);
    let y = m.mul_add(y, e * e, y);
    refined_reciprocal(m, x, y)
}

/// 1 / x to about 2^-23 from half as many bits.
#[inline(always)]
pub fn refined_reciprocal<M: Machine>(m: M, x: M::Float, y: M::Float) -> M::Float {
    m.mul_add(y, m.residual(m.float(1.0), x, y), y)
}

/// `a / b` with `reciprocal` of `b.high` given.
#[inline(always)]
pub fn quotient_by<M: Machine>(
    m: M,
    a: Double<M::Float>,
    b: Double<M::Float>,
    reciprocal: M::Float,
) -> Double<M::Float> {
    let quotient = a.high * reciprocal;
    let rest = m.residual(a.high, quotient, b.high);
    let rest = m.mul_add(m.negative(quotient), b.low, rest + a.low);
    fast_two_sum(quotient, rest * reciprocal)
}

/// `a / b`.
#[inline(always)]
pub fn quotient<M: Machine>(m: M, a: Double<M::Float>, b: Double<M::Float>) -> Double<M::Float> {
    quotient_by(m, a, b, reciprocal(m, b.high))
}
