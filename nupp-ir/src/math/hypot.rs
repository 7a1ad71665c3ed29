//! hypot: the length of a vector, correctly rounded.
//!
//! The root of the sum of two squares in double-float arithmetic decides all but a few inputs in a
//! hundred thousand. Inputs that come near the middle of two floats, or meet it, cannot be listed, as
//! there are two of them; but squares of whole numbers can be compared exactly: on a branch that is
//! seldom taken, the sum less the square of the middle is computed modulo 2^64, where it fits because
//! it is small.

use super::double::{Double, fast_two_sum, normal};
use super::machine::Machine;
use super::root::inverse_root;
use super::round::Rounded;

/// How far the low part is moved each way: 2^-41 of the whole where a rounding can be near, ten times
/// the error of the root.
const DOUBT: f32 = 1.0 / 65_536.0;

/// 2^n.
const fn power(n: i32) -> f32 {
    f32::from_bits(((127 + n) << 23).cast_unsigned())
}

/// Arguments below this are scaled up by 2^90, and so are their subnormals clear of ours; then the unit
/// of a subnormal result is 2^-59, that of a number from 2^-36 on.
const SMALL: f32 = power(-30);
const SUBNORMAL: f32 = power(-36);
/// Arguments above this are scaled down by 2^70, so that their squares are finite.
const LARGE: f32 = power(60);

/// `sqrt(x^2 + y^2)`.
#[inline(always)]
pub fn hypot<M: Machine>(m: M, x: M::Float, y: M::Float) -> Rounded<M> {
    let parts = Parts::of(m, x, y);
    let sum = parts.sum;
    let more = m.mul_add(sum.low, m.float(1.0 + DOUBT), sum.high);
    let less = m.mul_add(sum.low, m.float(1.0 - DOUBT), sum.high);
    let hard = !m.same(m.bits(more), m.bits(less));
    let [bits] = m.seldom(hard, [m.bits(sum.high)], || [decided(m, &parts)]);
    let value = parts.finished(m.from_bits(bits));
    let value = special(m, x, y, value);
    Rounded { value, hard }
}

/// The same where the double-float root decides.
#[inline(always)]
pub fn undecided<M: Machine>(m: M, x: M::Float, y: M::Float) -> M::Float {
    let parts = Parts::of(m, x, y);
    special(m, x, y, parts.finished(parts.sum.high))
}

/// An infinity beats a NaN.
#[inline(always)]
fn special<M: Machine>(m: M, x: M::Float, y: M::Float, value: M::Float) -> M::Float {
    let infinite = m.is_magnitude(x, f32::INFINITY) | m.is_magnitude(y, f32::INFINITY);
    let value = m.nan_from(x, m.nan_from(y, value));
    m.select(infinite, m.float(f32::INFINITY), value)
}

/// A vector, scaled, and its length.
struct Parts<M: Machine> {
    /// The longer leg.
    a: M::Float,
    /// The shorter.
    b: M::Float,
    /// The length, moved up by the addend.
    sum: Double<M::Float>,
    /// As in `round_scaled`: with it the sum is rounded where a subnormal result is.
    addend: M::Float,
    subnormal: M::Truth,
    /// Undoes the scaling.
    back: M::Float,
}

impl<M: Machine> Parts<M> {
    #[inline(always)]
    fn of(m: M, x: M::Float, y: M::Float) -> Self {
        let (x, y) = (m.absolute(x), m.absolute(y));
        let swapped = m.less(x, y);
        let (a, b) = (m.select(swapped, y, x), m.select(swapped, x, y));
        let (small, large) = (m.less(a, m.float(SMALL)), m.less(m.float(LARGE), a));
        let pick = |up: f32, down: f32| {
            let unchanged = m.select(small, m.float(up), m.float(1.0));
            m.select(large, m.float(down), unchanged)
        };
        let (factor, back) = (pick(power(90), power(-70)), pick(power(-90), power(70)));
        let (a, b) = (a * factor, b * factor);
        let root = double_root(m, a, b);
        let subnormal = small & m.less(root.high, m.float(SUBNORMAL));
        let addend = m.select(subnormal, m.float(SUBNORMAL), m.float(0.0));
        let sum = fast_two_sum(addend, root.high);
        let sum = normal(Double {
            high: sum.high,
            low: sum.low + root.low,
        });
        Parts {
            a,
            b,
            sum,
            addend,
            subnormal,
            back,
        }
    }

    /// The length, of its rounded sum.
    #[inline(always)]
    fn finished(&self, sum: M::Float) -> M::Float {
        (sum - self.addend) * self.back
    }
}

/// `sqrt(a^2 + b^2)` for `a` at least `b`, both without a sign, relative error below 2^-44.
#[inline(always)]
fn double_root<M: Machine>(m: M, a: M::Float, b: M::Float) -> Double<M::Float> {
    let (p, q) = (m.two_prod(a, a), m.two_prod(b, b));
    let sum = fast_two_sum(p.high, q.high);
    let square = fast_two_sum(sum.high, sum.low + (p.low + q.low));
    let inverse = inverse_root(m, square.high);
    let root = square.high * inverse;
    let error = m.residual(square.high, root, root) + square.low;
    fast_two_sum(root, error * (inverse * m.float(0.5)))
}

/// A square below 2^64, low word first.
type Wide<M> = [<M as Machine>::Word; 2];

#[inline(always)]
fn square<M: Machine>(m: M, n: M::Word) -> Wide<M> {
    [n * n, m.mul_high(n, n)]
}

#[inline(always)]
fn difference<M: Machine>(m: M, [a, above]: Wide<M>, [b, upper]: Wide<M>) -> Wide<M> {
    let borrow = m.select_word(m.less_word(a, b), m.word(1), m.word(0));
    [a - b, above - upper - borrow]
}

/// Moved up by a count below 32, modulo 2^64.
#[inline(always)]
fn moved<M: Machine>(m: M, [low, high]: Wide<M>, count: M::Word) -> Wide<M> {
    // In two steps, since a count of 32 would be one of 0.
    let carried = m.shift_right_by(m.shift_right(low, 1), m.word(31) - count);
    let high = m.shift_left_by(high, count) | carried;
    [m.shift_left_by(low, count), high]
}

/// The bits of the right one of two neighbours.
///
/// Be `u` half the unit of the last place of `b`. Then `b` is `2 B u`, `a` is `2^(d+1) A u`, and the
/// middle of the neighbours is `2^d M u`, with an odd number in `M`, and doubled where the root has a
/// binade more than `a`. What decides is the sign of `((2 A)^2 - M^2) 2^(2d) + (2 B)^2`. The root is
/// so near the middle that this is below 2^40, and `b` is not below 2^-13 `a`, so that `d` is at most
/// 13. A subnormal result's unit is that of all three, and `d` is 0.
#[inline(always)]
fn decided<M: Machine>(m: M, parts: &Parts<M>) -> M::Word {
    let (fraction, lead) = (m.word(0x007f_ffff), m.word(0x0080_0000));
    let lead = m.select_word(parts.subnormal, m.word(0), lead);
    let exponent = |bits| m.shift_right(bits, 23);
    let whole = |x: M::Float| m.bits(x + parts.addend) & fraction | lead;
    let below = m.less(parts.sum.low, m.float(0.0));
    let one_if = |condition| m.select_word(condition, m.word(1), m.word(0));
    let lower = m.bits(parts.sum.high) - one_if(below);
    let of_a = exponent(m.bits(parts.a));
    let none_if_subnormal = |n| m.select_word(parts.subnormal, m.word(0), n);
    let apart = none_if_subnormal(of_a - exponent(m.bits(parts.b)));
    let above = none_if_subnormal(exponent(lower) - of_a);
    let middle = m.shift_left(lower & fraction | lead, 1) | m.word(1);
    let middle = m.shift_left_by(middle, above);
    let doubled = |x| m.shift_left(whole(x), 1);
    let rest = difference(m, square(m, doubled(parts.a)), square(m, middle));
    let rest = moved(m, rest, apart + apart);
    // Added by taking away the negative: one carry to write and to test.
    let rest = difference(
        m,
        rest,
        difference(m, [m.word(0); 2], square(m, doubled(parts.b))),
    );
    let is_zero = m.same(rest[0] | rest[1], m.word(0));
    let is_negative = m.less_signed(rest[1], m.word(0));
    let up = m.select_word(is_negative, m.word(0), m.word(1));
    lower + m.select_word(is_zero, lower & m.word(1), up)
}
