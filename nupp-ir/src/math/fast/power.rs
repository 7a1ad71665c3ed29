//! pow of the fast grade: a logarithm right to 2^-34, and a power of two in single precision.

use super::super::constants::{ATANH as ATANH_DOUBLE, LOG2_E_DOUBLE, RECIPROCAL_NEAR_2};
use super::super::double::{Double, fast_two_sum, first_step, mul, polynomial, refined_reciprocal};
use super::super::log::split;
use super::super::machine::Machine;
use super::super::power::{bounded, special};
use super::super::reduce::by_one;
use super::super::round::scale;
use super::constants::ATANH;
use super::exponential::two_to;

#[inline(always)]
pub fn pow<M: Machine>(m: M, x: M::Float, y: M::Float) -> M::Float {
    let power = bounded(m, log2(m, m.absolute(x)), y);
    let (k, r) = by_one(m, power.high);
    let value = scale(m, two_to(m, r + power.low), k);
    special(m, x, y, value)
}

/// The logarithm to base 2 of a positive number.
#[inline(always)]
fn log2<M: Machine>(m: M, x: M::Float) -> Double<M::Float> {
    let (e, f) = split(m, x);
    let f = f - m.float(1.0);
    let s = quotient_by_two_and(m, f);
    let z = mul(m, s, s);
    let tail = polynomial(m, &ATANH, z.high);
    let p = mul(m, z, first_step(m, ATANH_DOUBLE[0], z.high, tail));
    let rest = mul(m, s, p);
    let sum = fast_two_sum(s.high, rest.high);
    let low = sum.low + (s.low + rest.low);
    // Twice that by ln 2.
    let by = m.float(2.0 * LOG2_E_DOUBLE.high);
    let product = m.two_prod(sum.high, by);
    let tail = m.mul_add(sum.high, m.float(2.0 * LOG2_E_DOUBLE.low), product.low);
    let tail = m.mul_add(low, by, tail);
    let sum = fast_two_sum(e, product.high);
    fast_two_sum(sum.high, sum.low + tail)
}

/// `f / (2 + f)`.
#[inline(always)]
fn quotient_by_two_and<M: Machine>(m: M, f: M::Float) -> Double<M::Float> {
    let below = f + m.float(2.0);
    let below_low = f - (below - m.float(2.0));
    let estimate = polynomial(m, &RECIPROCAL_NEAR_2, below);
    let inverse = refined_reciprocal(m, below, estimate);
    let high = f * inverse;
    let rest = m.residual(f, high, below);
    let rest = m.mul_add(m.negative(high), below_low, rest);
    Double {
        high,
        low: rest * inverse,
    }
}
