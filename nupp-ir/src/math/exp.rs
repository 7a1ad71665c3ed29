//! exp.

use super::constants::{EXP, EXP_TAIL};
use super::double::{Double, constant, first_step, polynomial, step};
use super::machine::Machine;
use super::reduce::by_ln2;
use super::round::{Rounded, round_scaled};

/// `1/2 + r/6 + r^2/24 + ...`, so that `exp(r) = 1 + r + r^2 q(r)`.
#[inline(always)]
fn quadratic_rest<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    let tail = polynomial(m, &EXP_TAIL, r.high);
    let p = first_step(m, EXP[3], r.high, tail);
    let p = step(m, EXP[2], r, p);
    let p = step(m, EXP[1], r, p);
    let p = step(m, EXP[0], r, p);
    step(m, constant(0x3f00_0000, 0), r, p)
}

/// `exp(r)` for |r| <= 0.3475, relative error below 2^-48.
#[inline(always)]
fn reduced<M: Machine>(m: M, r: Double<M::Float>) -> Double<M::Float> {
    let one = constant(0x3f80_0000, 0);
    let p = step(m, one, r, quadratic_rest(m, r));
    step(m, one, r, p)
}

/// e to the power of x: `exp(x) = 2^k exp(x - k ln 2)`.
#[inline(always)]
pub fn exp<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    // Beyond these the result is 0 and infinity, as it is at them.
    let inside = m.clamp(x, -105.0, 89.0);
    let (k, r) = by_ln2(m, inside);
    round_scaled(m, reduced(m, r), k).map(|value| m.nan_from(x, value))
}
