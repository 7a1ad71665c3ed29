//! atan, asin, acos and atan2.
//!
//! atan2 is frozen: within 0.50002 units in the last place.

use super::circular::SMALL;
use super::constants::{ATAN, ATAN_3_4, ATAN_5_16, ATAN_TAIL, HALF_PI_DOUBLE, PI};
use super::double::{
    Constant, Double, add, fast_two_sum, known, mul, negative, normal, polynomial, polynomial_from,
    quotient, select, two_sum, widened,
};
use super::frozen::Twice;
use super::hyperbolic::odd;
use super::machine::{Machine, SIGN};
use super::root::inverse_root;
use super::round::{Rounded, round};

/// A number that is small enough to stand for 0, and large enough to divide by.
const NOTHING: f32 = 1e-30;

/// `atan(n / d)` for n at least 0 and d above 0, in 0 ..= pi / 2.
///
/// The smaller by the larger is `t`; then `atan(t) = atan(c) + atan((t - c) / (1 + c t))` with c
/// of 0, 5/16 and 3/4 leaves at most 0.1710.
#[inline(always)]
pub fn of_ratio<M: Machine>(m: M, n: Double<M::Float>, d: Double<M::Float>) -> Double<M::Float> {
    let swapped = m.less(d.high, n.high);
    let (small, large) = (select(m, swapped, d, n), select(m, swapped, n, d));
    let low = m.less(large.high * m.float(0.1515), small.high);
    let high = m.less(large.high * m.float(0.509), small.high);
    let pick = |zero: f32, low_one: f32, high_one: f32| {
        let value = m.select(low, m.float(low_one), m.float(zero));
        m.select(high, m.float(high_one), value)
    };
    let c = pick(0.0, 0.3125, 0.75);
    let t = normal(difference_by_sum(m, small, large, c));
    let z = mul(m, t, t);
    let tail = polynomial(m, &ATAN_TAIL, z.high);
    let p = polynomial_from(m, &ATAN, z, tail);
    let angle = add(t, mul(m, t, mul(m, z, p)));
    let base = Double {
        high: pick(0.0, ATAN_5_16.high, ATAN_3_4.high),
        low: pick(0.0, ATAN_5_16.low, ATAN_3_4.low),
    };
    let angle = normal(add(base, angle));
    select(m, swapped, normal(less(m, HALF_PI_DOUBLE, angle)), angle)
}

/// `(n - c d) / (d + c n)`.
#[inline(always)]
fn difference_by_sum<M: Machine>(
    m: M,
    n: Double<M::Float>,
    d: Double<M::Float>,
    c: M::Float,
) -> Double<M::Float> {
    let part = m.two_prod(c, d.high);
    let above = two_sum(n.high, m.negative(part.high));
    let above = fast_two_sum(above.high, above.low + ((n.low - part.low) - c * d.low));
    let part = m.two_prod(c, n.high);
    let below = fast_two_sum(d.high, part.high);
    let below = Double {
        high: below.high,
        low: below.low + ((d.low + part.low) + c * n.low),
    };
    quotient(m, above, below)
}

/// `c - x` for c at least x.
#[inline(always)]
fn less<M: Machine>(m: M, c: Constant, x: Double<M::Float>) -> Double<M::Float> {
    add(known(m, c), negative(m, x))
}

/// The inverse tangent.
#[inline(always)]
pub fn atan<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    // From 2^26 on the value is that of infinity.
    let magnitude = m.clamp(m.absolute(x), 0.0, 1_073_741_824.0);
    let one = widened(m, m.float(1.0));
    let rounded = round(m, of_ratio(m, widened(m, magnitude), one));
    rounded.map(|value| odd(m, x, value))
}

/// `sqrt(1 - x^2)` for |x| <= 1.
#[inline(always)]
fn other_side<M: Machine>(m: M, x: M::Float) -> Double<M::Float> {
    let square = m.two_prod(x, x);
    let rest = fast_two_sum(m.float(1.0), m.negative(square.high));
    let rest = fast_two_sum(rest.high, rest.low - square.low);
    let inverse = inverse_root(m, rest.high);
    let root = rest.high * inverse;
    let error = m.residual(rest.high, root, root) + rest.low;
    let positive = m.less(m.float(0.0), rest.high);
    let zero = m.float(0.0);
    Double {
        high: m.select(positive, root, zero),
        low: m.select(positive, error * (inverse * m.float(0.5)), zero),
    }
}

/// The value at |x| <= 1, else a NaN.
#[inline(always)]
pub fn in_domain<M: Machine>(m: M, x: M::Float, value: M::Float) -> M::Float {
    let outside = m.less(m.float(1.0), m.absolute(x));
    m.nan_from(x, m.select(outside, m.nan(), value))
}

/// The inverse sine.
#[inline(always)]
pub fn asin<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let magnitude = m.absolute(x);
    let side = other_side(m, magnitude);
    let none = m.is_magnitude(side.high, 0.0);
    let side = Double {
        high: m.select(none, m.float(NOTHING), side.high),
        low: side.low,
    };
    let angle = of_ratio(m, widened(m, magnitude), normal(side));
    round(m, angle).map(|value| {
        let value = m.select(m.is_below(x, SMALL), x, m.with_sign(value, x));
        in_domain(m, x, value)
    })
}

/// The inverse cosine.
#[inline(always)]
pub fn acos<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    let magnitude = m.absolute(x);
    let side = normal(other_side(m, magnitude));
    let none = m.less(magnitude, m.float(NOTHING));
    let divisor = m.select(none, m.float(NOTHING), magnitude);
    let angle = of_ratio(m, side, widened(m, divisor));
    let is_negative = m.less(x, m.float(0.0));
    let angle = select(m, is_negative, less(m, PI, angle), angle);
    round(m, angle).map(|value| in_domain(m, x, value))
}

/// The angle of (x, y) as IEEE 754-2019 and annex F of C have it.
#[inline(always)]
pub fn atan2<M: Machine>(m: M, y: M::Float, x: M::Float) -> Rounded<M> {
    let size = angle(Twice(m), y, x);
    let value = m.with_sign(size, y);
    Rounded::sure(m, m.nan_from(x, m.nan_from(y, value)))
}

/// Below this ratio the angle is the quotient but for 2^-49 of it, since it is less by a third of its cube.
const NARROW: f32 = 1.14 / 16_777_216.0;

/// The angle without its sign.
#[inline(always)]
fn angle<M: Machine>(m: M, y: M::Float, x: M::Float) -> M::Float {
    let (zero, one) = (m.float(0.0), m.float(1.0));
    let infinite = |part| m.is_magnitude(part, f32::INFINITY);
    let (y_infinite, x_infinite) = (infinite(y), infinite(x));
    // Beside an infinity all else is nothing.
    let up = m.select(y_infinite, one, m.select(x_infinite, zero, m.absolute(y)));
    let along = m.select(x_infinite, one, m.select(y_infinite, zero, m.absolute(x)));
    let most = m.select(m.less(up, along), along, up);
    let nowhere = m.is_magnitude(most, 0.0);
    // No part of a product may be subnormal where it counts.
    let small = m.select(m.less(most, m.float(TINY)), m.float(RAISE), one);
    let factor = m.select(m.less(m.float(HUGE), most), m.float(LOWER), small);
    let up = up * factor;
    let along = m.select(nowhere, one, along * factor);
    let most = m.select(m.less(up, along), along, up);
    // Beyond this ratio the angle is rounded to that of an axis, or is the quotient.
    let least = most * m.float(f32::EPSILON * f32::EPSILON);
    let at_least = |part| m.select(m.less(part, least), least, part);
    let angle = of_ratio(m, widened(m, at_least(up)), widened(m, at_least(along)));
    let divisor = m.select(x_infinite, m.float(f32::INFINITY), m.absolute(x));
    let quotient = m.select(nowhere, zero, m.div(m.absolute(y), divisor));
    let is_narrow = m.less(up, along * m.float(NARROW));
    let ahead = m.select(is_narrow, quotient, angle.high + angle.low);
    let behind = less(m, PI, angle);
    let is_behind = m.same(m.sign(x), m.word(SIGN));
    m.select(is_behind, behind.high + behind.low, ahead)
}

/// Vectors below 2^-40 are scaled up.
pub const TINY: f32 = f32::from_bits((127 - 40) << 23);
/// 2^90, by which they are.
pub const RAISE: f32 = f32::from_bits((127 + 90) << 23);
/// Vectors above 2^40 are scaled down.
pub const HUGE: f32 = f32::from_bits((127 + 40) << 23);
/// 2^-80, by which they are.
pub const LOWER: f32 = f32::from_bits((127 - 80) << 23);
