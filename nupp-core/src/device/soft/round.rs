//! floor, ceil, trunc and round of binary32 on its bits; a NaN gives 0x7fc00000.
//!
//! From 2^23 on every value is an integer; below 1 the result is a zero or a one of the operand's
//! sign; between, the fraction bits are masked off after the increment that the direction asks
//! for. Ones are built by shifting an exponent, since a choice between the constants 0 and -1.0 is
//! miscompiled by drivers in use.

use super::dsl::{B, U};
use super::{INF, MAG, QNAN, SIGN};

/// What all four share: the results for NaN, for integers, below 1 and between.
fn assemble<'a>(a: U<'a>, small: U<'a>, between: U<'a>) -> U<'a> {
    let mag = a & MAG;
    let finite = mag.lt(0x3f80_0000).pick(small, between);
    let whole = mag.ge(0x4b00_0000).pick(a, finite);
    mag.gt(INF).pick(QNAN, whole)
}

/// How many fraction bits lie below the units, for magnitudes of 1 up to 2^23.
fn fraction_bits<'a>(a: U<'a>) -> U<'a> {
    a.word(150) - ((a & MAG) >> 23)
}

/// 1.0 where `one`, else 0.0.
fn unit<'a>(one: B<'a>) -> U<'a> {
    one.pick(127, 0) << 23
}

/// Away from zero where `away`, else towards it.
fn directed<'a>(a: U<'a>, away: B<'a>) -> U<'a> {
    let mask = (a.word(1) << fraction_bits(a)) - 1;
    let between = away.pick(a + mask, a) & !mask;
    let small = (a & SIGN) | unit(away & (a & MAG).ne(0));
    assemble(a, small, between)
}

pub(super) fn floor<'a>(a: U<'a>) -> U<'a> {
    directed(a, (a & SIGN).ne(0))
}

pub(super) fn ceil<'a>(a: U<'a>) -> U<'a> {
    directed(a, (a & SIGN).eq(0))
}

pub(super) fn trunc<'a>(a: U<'a>) -> U<'a> {
    let between = a & (a.word(u32::MAX) << fraction_bits(a));
    assemble(a, a & SIGN, between)
}

pub(super) fn round<'a>(a: U<'a>) -> U<'a> {
    let bits = fraction_bits(a);
    let mask = (a.word(1) << bits) - 1;
    let between = (a + (mask >> 1) + ((a >> bits) & 1)) & !mask;
    let small = (a & SIGN) | unit((a & MAG).gt(0x3f00_0000));
    assemble(a, small, between)
}
