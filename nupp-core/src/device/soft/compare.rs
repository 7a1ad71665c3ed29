//! Comparisons, min and max of binary32 on its bits.
//!
//! Finite values and infinities order as sign-magnitude integers; the comparisons see both zeros
//! as one key, min and max keep them apart.

use super::dsl::{B, I, U};
use super::{INF, MAG, QNAN, SIGN};

/// Orders as the float does, both zeros alike.
fn key<'a>(a: U<'a>) -> I<'a> {
    let negative = (a & SIGN).ne(0);
    negative.pick(a.word(SIGN) - a, a).as_i()
}

/// Orders as the float does, -0 below +0.
fn total_key<'a>(a: U<'a>) -> I<'a> {
    let mask = a.as_i().shift_right(31).as_u() & MAG;
    (a ^ mask).as_i()
}

/// Whether neither is a NaN.
fn ordered<'a>(a: U<'a>, b: U<'a>) -> B<'a> {
    (a & MAG).max(b & MAG).le(INF)
}

pub(super) fn lt<'a>(a: U<'a>, b: U<'a>) -> B<'a> {
    ordered(a, b) & key(a).lt(key(b))
}

pub(super) fn le<'a>(a: U<'a>, b: U<'a>) -> B<'a> {
    ordered(a, b) & key(a).le(key(b))
}

pub(super) fn eq<'a>(a: U<'a>, b: U<'a>) -> B<'a> {
    ordered(a, b) & key(a).eq(key(b))
}

pub(super) fn min<'a>(a: U<'a>, b: U<'a>) -> U<'a> {
    let lesser = total_key(a).lt(total_key(b)).pick(a, b);
    ordered(a, b).pick(lesser, QNAN)
}

pub(super) fn max<'a>(a: U<'a>, b: U<'a>) -> U<'a> {
    let greater = total_key(a).lt(total_key(b)).pick(b, a);
    ordered(a, b).pick(greater, QNAN)
}
