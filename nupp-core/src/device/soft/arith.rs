//! add, mul and fma of binary32 in integers, to the bit.
//!
//! Each takes and gives bits; any NaN in gives 0x7fc00000. The magnitudes are brought to a common
//! scale in one or two words, with everything shifted out kept as one sticky bit, and [`pack`]
//! rounds once. Special operands are decided beside the arithmetic and selected at the end, so
//! that there is no branch and the arithmetic runs on them too, harmlessly.

use super::dsl::{I, U};
use super::{INF, Library, MAG, QNAN, SIGN, Soft};

/// The biased exponent and the 24-bit mantissa of a finite magnitude, subnormals scaled up. Zero
/// gives mantissa 0.
pub(super) fn normalise<'a>(mag: U<'a>) -> (I<'a>, U<'a>) {
    let exponent = mag >> 23;
    let fraction = mag & 0x007f_ffff;
    let normal = exponent.ne(0);
    let shift = fraction.leading_zeros() - 8;
    let scaled = (mag.word(1) - shift).as_i();
    (
        normal.pick_i(exponent.as_i(), scaled),
        normal.pick(fraction | 0x0080_0000, fraction << shift),
    )
}

/// The product of two 24-bit numbers: its high 24 and low 24 bits.
fn product<'a>(a: U<'a>, b: U<'a>) -> (U<'a>, U<'a>) {
    let (al, ah) = (a & 0xfff, a >> 12);
    let (bl, bh) = (b & 0xfff, b >> 12);
    let low = al * bl;
    let middle = ah * bl + al * bh + (low >> 12);
    (
        ah * bh + (middle >> 12),
        ((middle & 0xfff) << 12) | (low & 0xfff),
    )
}

/// `sign`, the biased exponent of the leading bit, and a significand with that bit at 30 and a
/// sticky bit at 0, rounded to nearest even; subnormal and infinite results included.
pub(super) fn pack<'a>(sign: U<'a>, exponent: I<'a>, significand: U<'a>) -> U<'a> {
    let below = exponent - 1;
    let deep = (sign.word(0).as_i() - below).max(0).min(31).as_u();
    let shifted = significand >> deep;
    let sig = shifted | (shifted << deep).ne(significand).bit();
    let rounded = (sig + 0x40) >> 7;
    let tie = (sig & 0x7f).eq(0x40);
    let rounded = rounded & !tie.bit();
    // A carry out of the mantissa moves into the exponent by itself, up to infinity.
    let finite = sign + (below.max(0).as_u() << 23) + rounded;
    let infinite = !below.le(0xfd);
    infinite.pick(sign | INF, finite)
}

pub(super) fn add<'a>(lib: &Library<'a>, a: U<'a>, b: U<'a>) -> U<'a> {
    let swap = (a & MAG).lt(b & MAG);
    let (x, y) = (swap.pick(b, a), swap.pick(a, b));
    let (ux, uy) = (x & MAG, y & MAG);
    let unlike = ((x ^ y) & SIGN).ne(0);
    let (fx, fy) = (ux >> 23, uy >> 23);
    let (ex, ey) = (fx.max(1), fy.max(1));
    let mx = ((ux & 0x007f_ffff) | fx.ne(0).pick(0x0080_0000, 0)) << 6;
    let my = ((uy & 0x007f_ffff) | fy.ne(0).pick(0x0080_0000, 0)) << 6;
    let distance = (ex - ey).min(31);
    let moved = my >> distance;
    let my = moved | (moved << distance).ne(my).bit();
    let sum = unlike.pick(mx - my, mx + my);
    let shift = sum.leading_zeros() - 1;
    let finite = lib.pack(x & SIGN, (ex + 1 - shift).as_i(), sum << (shift & 31));
    let finite = sum.eq(0).pick(a & b & SIGN, finite);
    let nan = ux.gt(INF) | (uy.eq(INF) & unlike);
    ux.ge(INF).pick(nan.pick(QNAN, x), finite)
}

pub(super) fn mul<'a>(lib: &Library<'a>, a: U<'a>, b: U<'a>) -> U<'a> {
    let sign = (a ^ b) & SIGN;
    let (ua, ub) = (a & MAG, b & MAG);
    let (greater, lesser) = (ua.max(ub), ua.min(ub));
    let ((ea, ma), (eb, mb)) = (normalise(ua), normalise(ub));
    let (high, low) = product(ma, mb);
    let sig = (high << 8) | (low >> 16) | (low & 0xffff).ne(0).bit();
    let top = sig >> 31;
    let sig = (sig >> top) | (sig & top);
    let exponent = ea + eb - 127 + top.as_i();
    let finite = lib.pack(sign, exponent, sig);
    let zero = lesser.eq(0);
    let finite = zero.pick(sign, finite);
    let nan = greater.gt(INF) | zero;
    greater.ge(INF).pick(nan.pick(QNAN, sign | INF), finite)
}

/// A two-word number shifted right by 0 ..= 63, what is lost kept as a sticky bit.
fn shift_right_sticky<'a>(high: U<'a>, low: U<'a>, count: U<'a>) -> (U<'a>, U<'a>) {
    let whole = count.ge(32);
    let lost = whole.pick(low, 0);
    let (h, l) = (whole.pick(0, high), whole.pick(high, low));
    let (rest, back) = (count & 31, (count & 31) ^ 31);
    let lost = lost | ((l << 1) << back);
    (
        h >> rest,
        (l >> rest) | ((h << 1) << back) | lost.ne(0).bit(),
    )
}

/// A two-word number shifted left by 0 ..= 63.
fn shift_left<'a>(high: U<'a>, low: U<'a>, count: U<'a>) -> (U<'a>, U<'a>) {
    let whole = count.ge(32);
    let (h, l) = (whole.pick(low, high), whole.pick(0, low));
    let (rest, back) = (count & 31, (count & 31) ^ 31);
    ((h << rest) | ((l >> 1) >> back), l << rest)
}

/// A finite product plus a finite third operand, no product operand zero.
fn fma_finite<'a>(lib: &Library<'a>, a: U<'a>, b: U<'a>, c: U<'a>) -> U<'a> {
    let (sign, sign_c) = ((a ^ b) & SIGN, c & SIGN);
    let ((ea, ma), (eb, mb), (ec, mc)) =
        (normalise(a & MAG), normalise(b & MAG), normalise(c & MAG));
    let (high, low) = product(ma, mb);
    // The product's leading bit goes to bit 61 of two words, the third operand's as well.
    let (h, l) = ((high << 6) | (low >> 18), low << 14);
    let short = h.lt(0x2000_0000).bit();
    let (ph, pl) = ((h << short) | ((l >> 31) & short), l << short);
    let ep = ea + eb - 126 - short.as_i();
    // A zero third operand takes the product's exponent, so that nothing is shifted out.
    let ec = (c & MAG).eq(0).pick_i(ep, ec);
    let behind = ep.lt(ec);
    let (ch, zero) = (mc << 6, c.word(0));
    let (bh, bl) = (behind.pick(ch, ph), behind.pick(zero, pl));
    let (sh, sl) = (behind.pick(ph, ch), behind.pick(pl, zero));
    let (eb, es) = (behind.pick_i(ec, ep), behind.pick_i(ep, ec));
    let (sh, sl) = shift_right_sticky(sh, sl, (eb - es).as_u().min(63));
    let (big_sign, small_sign) = (behind.pick(sign_c, sign), behind.pick(sign, sign_c));
    // Sum and difference, whichever the signs ask for; the difference of the greater and lesser.
    let sum_l = bl + sl;
    let sum_h = bh + sh + sum_l.lt(bl).bit();
    let less = bh.lt(sh) | (bh.eq(sh) & bl.lt(sl));
    let (gh, gl) = (less.pick(sh, bh), less.pick(sl, bl));
    let (lh, ll) = (less.pick(bh, sh), less.pick(bl, sl));
    let unlike = sign.ne(sign_c);
    let h = unlike.pick(gh - lh - gl.lt(ll).bit(), sum_h);
    let l = unlike.pick(gl - ll, sum_l);
    let result_sign = less.pick(small_sign, big_sign);
    let result_sign = unlike.pick(result_sign, sign);
    let shift = h.ne(0).pick(h.leading_zeros() - 1, l.leading_zeros() + 31);
    let (nh, nl) = shift_left(h, l, shift.min(63));
    let packed = lib.pack(result_sign, eb + 1 - shift.as_i(), nh | nl.ne(0).bit());
    (h | l).eq(0).pick(0, packed)
}

pub(super) fn fma<'a>(lib: &Library<'a>, a: U<'a>, b: U<'a>, c: U<'a>) -> U<'a> {
    let (sign, sign_c) = ((a ^ b) & SIGN, c & SIGN);
    let (ua, ub, uc) = (a & MAG, b & MAG, c & MAG);
    let (greater, lesser) = (ua.max(ub), ua.min(ub));
    let infinite = greater.eq(INF);
    let nan =
        greater.max(uc).gt(INF) | (infinite & (lesser.eq(0) | (uc.eq(INF) & sign.ne(sign_c))));
    // Here the product is zero or something is infinite.
    let special = infinite.pick(sign | INF, c);
    let both_zero = lesser.eq(0) & uc.eq(0);
    let special = both_zero.pick(sign & sign_c, special);
    let special = nan.pick(QNAN, special);
    let is_special = greater.max(uc).ge(INF) | lesser.eq(0);
    is_special.pick(special, fma_finite(lib, a, b, c))
}

impl<'a> Library<'a> {
    /// A call of [`pack`].
    pub(super) fn pack(&self, sign: U<'a>, exponent: I<'a>, significand: U<'a>) -> U<'a> {
        let v = self.call(Soft::Pack, &[sign.v, exponent.v, significand.v]);
        U { ctx: sign.ctx, v }
    }
}
