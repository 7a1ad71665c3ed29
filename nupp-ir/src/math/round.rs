//! The one rounding at the end, the test whether it can be trusted, and scaling by powers of two.

use super::double::{Double, fast_two_sum};
use super::machine::Machine;

/// A rounded value, and whether it may be wrong.
#[derive(Clone, Copy, Debug)]
pub struct Rounded<M: Machine> {
    /// The nearest float of a double-float value.
    pub value: M::Float,
    /// Whether an error of that value could have changed its rounding.
    pub hard: M::Truth,
}

impl<M: Machine> Rounded<M> {
    /// A value that is what it is.
    #[inline(always)]
    pub fn sure(m: M, value: M::Float) -> Self {
        let hard = m.same(m.word(0), m.word(1));
        Rounded { value, hard }
    }

    /// The same with its value changed in a way that keeps its rounding.
    #[inline(always)]
    pub fn map(self, change: impl FnOnce(M::Float) -> M::Float) -> Self {
        Rounded {
            value: change(self.value),
            hard: self.hard,
        }
    }

    /// The same, hard also where the condition holds.
    #[inline(always)]
    pub fn or_hard(self, condition: M::Truth) -> Self {
        Rounded {
            value: self.value,
            hard: self.hard | condition,
        }
    }
}

/// How far the low part is moved each way: 2^-18 of itself, at most 2^-42 of the whole where a
/// rounding can be near, hundreds of times the error of the double-float value.
const DOUBT: f32 = 1.0 / 262_144.0;

/// `high + low` rounded once, with the test of Ziv (ACM Transactions on Mathematical Software 17,
/// 1991): if moving the low part up and down gives one float, that float is right.
#[inline(always)]
pub fn round<M: Machine>(m: M, x: Double<M::Float>) -> Rounded<M> {
    let more = m.mul_add(x.low, m.float(1.0 + DOUBT), x.high);
    let less = m.mul_add(x.low, m.float(1.0 - DOUBT), x.high);
    Rounded {
        value: x.high + x.low,
        // Compared as words, so that a NaN does not count as hard.
        hard: !m.same(m.bits(more), m.bits(less)),
    }
}

/// `x * 2^exponent` rounded once, for `x.high` in 0.5 ..= 2 and an exponent from -152 on;
/// subnormal results and infinity are right.
#[inline(always)]
pub fn round_scaled<M: Machine>(m: M, x: Double<M::Float>, exponent: M::Word) -> Rounded<M> {
    let biased = m.shift_right(m.bits(x.high), 23) + exponent;
    let below_normal = m.less_signed(biased, m.word(1));
    // Where the result is subnormal, this addend has its unit in the last place where that of the
    // result falls, so that the sum is rounded there.
    let unit = m.shift_left(m.word(1) - exponent, 23);
    let addend = m.from_bits(m.select_word(below_normal, unit, m.word(0)));
    let sum = fast_two_sum(addend, x.high);
    let whole = Double {
        high: sum.high,
        low: sum.low + x.low,
    };
    round(m, whole).map(|value| scale(m, value - addend, exponent))
}

/// `x * 2^exponent` for an exponent in -252 ..= 254, in two steps, the first of them exact.
#[inline(always)]
pub fn scale<M: Machine>(m: M, x: M::Float, exponent: M::Word) -> M::Float {
    let half = m.shift_right_signed(exponent, 1);
    x * power_of_two(m, half) * power_of_two(m, exponent - half)
}

/// 2^exponent, for a result that is normal.
#[inline(always)]
pub fn power_of_two<M: Machine>(m: M, exponent: M::Word) -> M::Float {
    m.from_bits(m.shift_left(exponent, 23) + m.word(0x3f80_0000))
}
