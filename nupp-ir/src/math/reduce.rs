//! Argument reduction: an argument as a multiple of a period and a small rest.

use super::constants::{LN2, LOG2_E};
use super::double::Double;
use super::machine::Machine;

/// 1.5 * 2^23: adding it rounds a small number to an integer, which is then in the low bits.
pub const ROUNDER: f32 = 12_582_912.0;

/// `k` and `x - k ln 2` with |k| < 2^8 and a rest of at most 0.3475, right to about 2^-50, for
/// |x| <= 110 (Cody and Waite, Software Manual for the Elementary Functions, 1980).
#[inline(always)]
pub fn by_ln2<M: Machine>(m: M, x: M::Float) -> (M::Word, Double<M::Float>) {
    let rounder = m.float(ROUNDER);
    let shifted = m.mul_add(x, m.float(LOG2_E), rounder);
    let k = shifted - rounder;
    let integer = m.bits(shifted) - m.word(ROUNDER.to_bits());
    // Both products are exact, and the first difference is: neither side has bits below 2^-25
    // where k is not zero. So is the second with its error, whichever of the two is greater.
    let coarse = x - k * m.float(LN2[0]);
    let fine = k * m.float(LN2[1]);
    let high = coarse - fine;
    let low = (coarse - high) - fine;
    let low = m.mul_add(k, m.float(-LN2[2]), low);
    (integer, Double { high, low })
}

/// The nearest integer, as a word, and what remains, exactly, for |x| < 2^22.
#[inline(always)]
pub fn by_one<M: Machine>(m: M, x: M::Float) -> (M::Word, M::Float) {
    let rounder = m.float(ROUNDER);
    let shifted = x + rounder;
    let integer = m.bits(shifted) - m.word(ROUNDER.to_bits());
    (integer, x - (shifted - rounder))
}

/// The float of an int32 below 2^22 in magnitude.
#[inline(always)]
pub fn float_of<M: Machine>(m: M, integer: M::Word) -> M::Float {
    m.from_bits(integer + m.word(ROUNDER.to_bits())) - m.float(ROUNDER)
}
