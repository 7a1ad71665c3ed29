//! asin, acos, atan and atan2 of the fast grade.

use super::super::arc::{HUGE, LOWER, RAISE, TINY, in_domain};
use super::super::constants::{HALF_PI, PI};
use super::super::double::{polynomial, reciprocal};
use super::super::machine::{Machine, SIGN};
use super::super::root::inverse_root;
use super::constants::{ASIN, ATAN};

/// `atan(t)` for `t` in 0 ..= 1.
#[inline(always)]
fn of_small<M: Machine>(m: M, t: M::Float) -> M::Float {
    let z = t * t;
    m.mul_add(z * t, polynomial(m, &ATAN, z), t)
}

#[inline(always)]
pub fn atan<M: Machine>(m: M, x: M::Float) -> M::Float {
    let a = m.absolute(x);
    let inverted = m.less(m.float(1.0), a);
    let most = m.float(1_073_741_824.0);
    let inverse = reciprocal(m, m.select(m.less(most, a), most, a));
    let p = of_small(m, m.select(inverted, inverse, a));
    let other = (m.float(HALF_PI[0]) - p) + m.float(HALF_PI[1]);
    let value = m.select(inverted, other, p);
    m.nan_from(x, m.with_sign(value, x))
}

/// Whether |x| is above 1/2, and the arc of what is small: of |x|, or of `sqrt((1 - |x|) / 2)`.
#[inline(always)]
fn arc<M: Machine>(m: M, x: M::Float) -> (M::Truth, M::Float) {
    let (a, half) = (m.absolute(x), m.float(0.5));
    let big = m.less(half, a);
    let w = half - a * half;
    let y = inverse_root(m, w);
    let root = w * y;
    let root = m.mul_add(m.residual(w, root, root), y * half, root);
    let root = m.select(m.is_magnitude(w, 0.0), m.float(0.0), root);
    let t = m.select(big, root, a);
    let z = m.select(big, w, a * a);
    (big, m.mul_add(z * t, polynomial(m, &ASIN, z), t))
}

#[inline(always)]
pub fn asin<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (big, p) = arc(m, x);
    let other = m.mul_add(p, m.float(-2.0), m.float(HALF_PI[0])) + m.float(HALF_PI[1]);
    in_domain(m, x, m.with_sign(m.select(big, other, p), x))
}

#[inline(always)]
pub fn acos<M: Machine>(m: M, x: M::Float) -> M::Float {
    let (big, p) = arc(m, x);
    let is_negative = m.less(x, m.float(0.0));
    // Half pi less or more the arc; twice the arc, or pi less that.
    let signed = m.select(is_negative, p, m.negative(p));
    let near = (signed + m.float(HALF_PI[1])) + m.float(HALF_PI[0]);
    let twice = p + p;
    let behind = (m.float(PI.low) - twice) + m.float(PI.high);
    let far = m.select(is_negative, behind, twice);
    in_domain(m, x, m.select(big, far, near))
}

#[inline(always)]
pub fn atan2<M: Machine>(m: M, y: M::Float, x: M::Float) -> M::Float {
    let (up, along) = (m.absolute(y), m.absolute(x));
    let steep = m.less(along, up);
    let (small, large) = (m.select(steep, along, up), m.select(steep, up, along));
    let ratio = ratio(m, small, large);
    let p = of_small(m, ratio);
    let p = m.select(steep, (m.float(HALF_PI[1]) - p) + m.float(HALF_PI[0]), p);
    let behind = (m.float(PI.low) - p) + m.float(PI.high);
    let p = m.select(m.same(m.sign(x), m.word(SIGN)), behind, p);
    m.nan_from(x, m.nan_from(y, m.with_sign(p, y)))
}

/// `small / large`, 1 where both are infinite, 0 where both are 0.
#[inline(always)]
fn ratio<M: Machine>(m: M, small: M::Float, large: M::Float) -> M::Float {
    let one = m.float(1.0);
    let pick = |condition, yes: f32, no| m.select(condition, m.float(yes), no);
    // The reciprocal is a normal number, and the error of the product no subnormal one.
    let factor = pick(m.less(large, m.float(TINY)), RAISE, one);
    let factor = pick(m.less(m.float(HUGE), large), LOWER, factor);
    let d = large * factor;
    let is_little = m.less(small * factor, m.float(LITTLE));
    let n = (small * pick(is_little, MORE, one)) * factor;
    let inverse = reciprocal(m, d);
    let quotient = n * inverse;
    let quotient = m.mul_add(m.residual(n, quotient, d), inverse, quotient);
    let quotient = quotient * pick(is_little, LESS, one);
    let zero = m.float(0.0);
    let of_same = m.select(m.is_magnitude(small, 0.0), zero, one);
    let quotient = m.select(m.same(m.bits(small), m.bits(large)), of_same, quotient);
    let beyond = m.is_magnitude(large, f32::INFINITY) & m.is_below(small, f32::INFINITY);
    m.select(beyond, zero, quotient)
}

/// Below 2^-60 the lesser part is divided as 2^100 of it.
const LITTLE: f32 = f32::from_bits((127 - 60) << 23);
const MORE: f32 = f32::from_bits((127 + 100) << 23);
const LESS: f32 = f32::from_bits((127 - 100) << 23);
