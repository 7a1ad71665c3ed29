//! div and sqrt of binary32 in integers, to the bit, trusting no floating-point unit.
//!
//! Both find an integer quotient or root from below out of 16-bit estimates, correct it by its
//! exact remainder (known modulo 2^32 and small), and hand it to `pack` with the remainder as the
//! sticky bit. The bounds in the comments are checked over all mantissas by the tests.

use super::arith::normalise;
use super::dsl::U;
use super::{INF, Library, MAG, QNAN, SIGN};

/// `floor(n * 2^25 / d)` and whether it is inexact, for d in 2^23 .. 2^24 and n in d .. 2d.
fn quotient<'a>(n: U<'a>, d: U<'a>) -> (U<'a>, U<'a>) {
    // 2^32 / t from below, where t * 2^8 is just above d: 17 bits, right to 2^-14.
    let reciprocal = n.word(u32::MAX) / ((d >> 8) + 1);
    // The first 14 bits, at most 5 too few, and the exact remainder.
    let first = ((n >> 10) * reciprocal) >> 17;
    let rest = (n << 13) - first * d;
    // 12 more, again at most 5 too few.
    let second = ((rest >> 12) * reciprocal) >> 16;
    let mut rest = (rest << 12) - second * d;
    let mut q = (first << 12) + second;
    for power in [2, 1, 0] {
        let part = if power == 0 { d } else { d << power };
        let fits = rest.ge(part);
        rest = fits.pick(rest - part, rest);
        q = q + fits.pick(1 << power, 0);
    }
    (q, rest)
}

pub(super) fn div<'a>(lib: &Library<'a>, a: U<'a>, b: U<'a>) -> U<'a> {
    let sign = (a ^ b) & SIGN;
    let (ua, ub) = (a & MAG, b & MAG);
    let ((ea, ma), (eb, mb)) = (normalise(ua), normalise(ub));
    let less = ma.lt(mb).bit();
    let (q, rest) = quotient(ma << less, mb);
    let exponent = ea - eb + 127 - less.as_i();
    let finite = lib.pack(sign, exponent, (q << 5) | rest.ne(0).bit());
    let (greater, lesser) = (ua.max(ub), ua.min(ub));
    // Equal magnitudes are only special as 0 / 0 and infinity / infinity.
    let nan = greater.gt(INF) | ua.eq(ub);
    let infinite = ua.eq(INF) | ub.eq(0);
    let special = nan.pick(QNAN, infinite.pick(sign | INF, sign));
    (greater.ge(INF) | lesser.eq(0)).pick(special, finite)
}

/// `floor(sqrt(m * 2^24))` and its remainder, for m in 2^24 .. 2^26.
fn root<'a>(m: U<'a>) -> (U<'a>, U<'a>) {
    // The root of m * 2^6 to 16 bits: a straight line (right to 3%), then two steps of Heron's.
    let n = m << 6;
    let mut x = (n >> 17) + (n >> 18) + 22528;
    for _ in 0..2 {
        x = (x + n / x) >> 1;
    }
    let x = x.min(0xffff);
    let x = x - (x * x).gt(n).bit();
    // 9 more bits from the remainder, which is below 2x + 2.
    let low = ((n - x * x) << 8) / x;
    let mut q = (x << 9) + low;
    let mut rest = (m << 24) - q * q;
    for _ in 0..2 {
        let over = rest.as_i().lt(0);
        rest = over.pick(rest + q + q - 1, rest);
        q = q - over.bit();
    }
    (q, rest)
}

pub(super) fn sqrt<'a>(lib: &Library<'a>, a: U<'a>) -> U<'a> {
    let mag = a & MAG;
    let (exponent, mantissa) = normalise(mag);
    let unbiased = exponent - 127;
    let odd = unbiased.as_u() & 1;
    let (q, rest) = root(mantissa << (odd + 1));
    let positive = lib.pack(
        a.word(0),
        unbiased.shift_right(1) + 127,
        (q << 6) | rest.ne(0).bit(),
    );
    let special = a.eq(INF).pick(a, QNAN);
    let result = a.ge(INF).pick(special, positive);
    mag.eq(0).pick(a, result)
}
