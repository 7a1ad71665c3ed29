//! exp, exp2 and expm1 of the fast grade.

use super::super::constants::LOG2_E;
use super::super::double::polynomial;
use super::super::exp::TINY;
use super::super::machine::Machine;
use super::super::reduce::{ROUNDER, by_one};
use super::super::round::{power_of_two, scale};
use super::constants::{EXP, EXP2, LN2};

/// `k` and `x - k ln 2`, at most 0.3475.
#[inline(always)]
pub fn by_ln2<M: Machine>(m: M, x: M::Float) -> (M::Word, M::Float) {
    let rounder = m.float(ROUNDER);
    let shifted = m.mul_add(x, m.float(LOG2_E), rounder);
    let k = shifted - rounder;
    let r = m.residual(x, k, m.float(LN2[0]));
    let r = m.mul_add(m.negative(k), m.float(LN2[1]), r);
    (m.bits(shifted) - m.word(ROUNDER.to_bits()), r)
}

/// `exp(r) - 1` for |r| <= 0.3475.
#[inline(always)]
pub fn reduced_less_one<M: Machine>(m: M, r: M::Float) -> M::Float {
    m.mul_add(r * r, polynomial(m, &EXP, r), r)
}

/// `exp(r)` for |r| <= 0.3475.
#[inline(always)]
pub fn reduced<M: Machine>(m: M, r: M::Float) -> M::Float {
    reduced_less_one(m, r) + m.float(1.0)
}

/// `2^r` for |r| <= 0.50001.
#[inline(always)]
pub fn two_to<M: Machine>(m: M, r: M::Float) -> M::Float {
    m.mul_add(r, polynomial(m, &EXP2, r), m.float(1.0))
}

#[inline(always)]
pub fn exp<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (k, r) = by_ln2(m, m.clamp(x, -105.0, 89.0));
    m.nan_from(x, scale(m, reduced(m, r), k))
}

#[inline(always)]
pub fn exp2<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (k, r) = by_one(m, m.clamp(x, -151.0, 128.5));
    m.nan_from(x, scale(m, two_to(m, r), k))
}

#[inline(always)]
pub fn expm1<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (k, r) = by_ln2(m, m.clamp(x, -20.0, 89.0));
    // 2^-64 is small enough to stand for anything smaller.
    let most = m.word(64);
    let used = m.select_word(m.less_signed(k, most), k, most);
    let rest = m.float(1.0) - power_of_two(m, m.word(0) - used);
    let value = scale(m, rest + reduced_less_one(m, r), k);
    m.nan_from(x, m.select(m.is_below(x, TINY), x, value))
}
