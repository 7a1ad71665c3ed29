//! The rest of an argument over half pi.

use super::constants::{HALF_PI, HALF_PI_DOUBLE, TWO_BY_PI, TWO_BY_PI_WORDS};
use super::double::{Double, fast_two_sum, known, mul, normal, two_sum};
use super::machine::{Machine, SIGN};
use super::reduce::ROUNDER;

/// `x = n * pi / 2 + rest`.
pub struct Turns<M: Machine> {
    /// `n` modulo 4, and what is above that.
    pub quarter: M::Word,
    /// At most a little above pi / 4 in magnitude.
    pub rest: Double<M::Float>,
}

/// Of |x| < 100,000 (Cody and Waite, Software Manual for the Elementary Functions, 1980).
#[inline(always)]
pub fn of_near<M: Machine>(m: M, x: M::Float) -> Turns<M> {
    let rounder = m.float(ROUNDER);
    let shifted = m.mul_add(x, m.float(TWO_BY_PI), rounder);
    let n = shifted - rounder;
    // Exact: both sides are multiples of 2^-24, and the difference is below 1.
    let first = m.residual(x, n, m.float(HALF_PI[0]));
    let p = m.two_prod(n, m.float(HALF_PI[1]));
    let sum = two_sum(first, m.negative(p.high));
    let second = fast_two_sum(sum.high, sum.low - p.low);
    let p = m.two_prod(n, m.float(HALF_PI[2]));
    let sum = two_sum(second.high, m.negative(p.high));
    let rest = m.mul_add(m.negative(n), m.float(HALF_PI[3]), m.negative(p.low));
    let low = sum.low + (second.low + rest);
    Turns {
        quarter: m.bits(shifted),
        rest: fast_two_sum(sum.high, low),
    }
}

/// Of any finite |x| >= 1, by 128 bits of the product with 2 / pi (Payne and Hanek, ACM SIGNUM
/// Newsletter 18, 1983).
#[inline(always)]
pub fn of_far<M: Machine>(m: M, x: M::Float) -> Turns<M> {
    let (quarter, fraction) = fraction_of_turns(m, x);
    // To the nearest: a fraction from a half on counts as the next quarter less its complement,
    // which is taken bit by bit; the error of 2^-94 is none here.
    let top = m.shift_right(fraction[0], 31);
    let mask = m.word(0) - top;
    let rest = of_fraction(m, fraction.map(|word| word ^ mask));
    let rest = normal(mul(m, rest, known(m, HALF_PI_DOUBLE)));
    let sign = m.sign(x);
    let flip = sign ^ (mask & m.word(SIGN));
    let flipped = |part| m.from_bits(m.bits(part) ^ flip);
    let quarter = quarter + top;
    let positive = m.same(sign, m.word(0));
    Turns {
        quarter: m.select_word(positive, quarter, m.word(0) - quarter),
        rest: Double {
            high: flipped(rest.high),
            low: flipped(rest.low),
        },
    }
}

/// `|x| * 2 / pi` modulo 4: the integer, and 94 bits after the point from the top of three words.
#[inline(always)]
fn fraction_of_turns<M: Machine>(m: M, x: M::Float) -> (M::Word, [M::Word; 3]) {
    let bits = m.magnitude(x);
    let significand = bits & m.word(0x007f_ffff) | m.word(0x0080_0000);
    // The first bit of 2 / pi that counts: those before it give multiples of 4.
    let from = m.shift_right(bits, 23) - m.word(127 - 7);
    let w = window(m, from);
    let high = |word| m.mul_high(word, significand);
    let carry = |sum, part| m.select_word(m.less_word(sum, part), m.word(1), m.word(0));
    let s2 = w[2] * significand + high(w[3]);
    let c2 = carry(s2, high(w[3]));
    let partial = w[1] * significand + high(w[2]);
    let s1 = partial + c2;
    let c1 = carry(partial, high(w[2])) + carry(s1, c2);
    let s0 = w[0] * significand + high(w[1]) + c1;
    let joined = |a, b| m.shift_left(a, 2) | m.shift_right(b, 30);
    let fraction = [joined(s0, s1), joined(s1, s2), m.shift_left(s2, 2)];
    (m.shift_right(s0, 30), fraction)
}

/// 128 bits of 2 / pi, after 32 zeros, from bit `from` on, which is below 160.
#[inline(always)]
fn window<M: Machine>(m: M, from: M::Word) -> [M::Word; 4] {
    let count = m.word(31) & from;
    let index = m.shift_right(from, 5);
    let bit = |n: u32| !m.same(index & m.word(n), m.word(0));
    let (one, two, four) = (bit(1), bit(2), bit(4));
    let word = |n: usize| match n.checked_sub(1) {
        Some(n) => m.word(TWO_BY_PI_WORDS[n]),
        None => m.word(0),
    };
    let pick = |n: usize| {
        let low = m.select_word(one, word(n + 1), word(n));
        let high = m.select_word(one, word(n + 3), word(n + 2));
        m.select_word(four, word(n + 4), m.select_word(two, high, low))
    };
    let words: [M::Word; 5] = std::array::from_fn(pick);
    let aligned = m.same(count, m.word(0));
    let back = m.word(32) - count;
    std::array::from_fn(|n| {
        let shifted = m.shift_left_by(words[n], count) | m.shift_right_by(words[n + 1], back);
        m.select_word(aligned, words[n], shifted)
    })
}

/// The value of 95 bits after the point, of which the first, at the top of the words, is 0.
#[inline(always)]
fn of_fraction<M: Machine>(m: M, [a, b, c]: [M::Word; 3]) -> Double<M::Float> {
    let joined = |upper, up, lower, down| m.shift_left(upper, up) | m.shift_right(lower, down);
    let chunks = [
        m.shift_right(a, 9),
        joined(a & m.word(0x1ff), 14, b, 18),
        joined(b & m.word(0x3_ffff), 5, c, 27),
        m.shift_right(c & m.word(0x07ff_ffff), 4),
    ];
    // A chunk of 23 bits below the leading bit of a float, and that bit taken off again.
    let value = |n: usize| {
        let lead = m.word((127 - 23 * n as u32) << 23);
        m.from_bits(chunks[n] | lead) - m.from_bits(lead)
    };
    let x2 = fast_two_sum(value(2), value(3));
    let x1 = fast_two_sum(value(1), x2.high);
    let x0 = fast_two_sum(value(0), x1.high);
    fast_two_sum(x0.high, x0.low + (x1.low + x2.low))
}
