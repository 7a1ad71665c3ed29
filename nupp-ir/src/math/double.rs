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

/// `c + x * p`, the product in single precision: the first step, where that is enough.
#[inline(always)]
pub fn first_step<M: Machine>(m: M, c: Constant, x: M::Float, p: M::Float) -> Double<M::Float> {
    let sum = fast_two_sum(m.float(c.high), x * p);
    Double {
        high: sum.high,
        low: sum.low + m.float(c.low),
    }
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
