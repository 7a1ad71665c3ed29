//! The operations that a function may use: those that every executor has to the bit.
//!
//! Floats are binary32, rounded to nearest even, subnormals kept. Only two operations may differ
//! between machines: `mul_add` rounds once or twice, and the low part of `two_prod` may lose what
//! lies below the least subnormal. A function must be right either way, and its exceptions cover
//! both. Nothing here but `seldom` is a branch: a function's text is the same whatever its argument.

use super::double::Double;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub};

/// The bits of the canonical NaN.
pub const NAN: u32 = 0x7fc0_0000;

/// The sign bit.
pub const SIGN: u32 = 0x8000_0000;

/// A number that adds, subtracts and multiplies.
pub trait Arithmetic: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}
impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Arithmetic for T {}

/// A word of bits.
pub trait Bitwise:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}
impl<T: Copy + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>> Bitwise for T {}

/// What carries out, or builds, the operations of a function.
pub trait Machine: Copy {
    /// A binary32.
    type Float: Arithmetic;
    /// A 32-bit word; arithmetic is modulo 2^32.
    type Word: Arithmetic + Bitwise;
    /// A truth value.
    type Truth: Copy
        + BitAnd<Output = Self::Truth>
        + BitOr<Output = Self::Truth>
        + Not<Output = Self::Truth>;

    /// A constant.
    fn float(self, x: f32) -> Self::Float;
    /// A constant.
    fn word(self, n: u32) -> Self::Word;
    /// The bits of a float.
    fn bits(self, x: Self::Float) -> Self::Word;
    #[allow(
        clippy::wrong_self_convention,
        reason = "the machine carries out the operation"
    )]
    /// The float of these bits.
    fn from_bits(self, bits: Self::Word) -> Self::Float;

    /// `a * b + c`, rounded once or twice, whichever is cheap.
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// `a * b` and the error of that, exact but for what lies below the least subnormal.
    fn two_prod(self, a: Self::Float, b: Self::Float) -> Double<Self::Float>;

    /// `c - a * b` rounded once, where the product is near `c`: exact wherever a float can hold it.
    fn residual(self, c: Self::Float, a: Self::Float, b: Self::Float) -> Self::Float;

    /// `a / b`, rounded once.
    fn div(self, a: Self::Float, b: Self::Float) -> Self::Float;

    /// Moves bits up; the count is below 32.
    fn shift_left(self, word: Self::Word, count: u32) -> Self::Word;
    /// Moves bits down; the count is below 32.
    fn shift_right(self, word: Self::Word, count: u32) -> Self::Word;
    /// Moves bits down and copies the sign bit in; the count is below 32.
    fn shift_right_signed(self, word: Self::Word, count: u32) -> Self::Word;

    /// Moves bits up; the count is taken modulo 32.
    fn shift_left_by(self, word: Self::Word, count: Self::Word) -> Self::Word;
    /// Moves bits down; the count is taken modulo 32.
    fn shift_right_by(self, word: Self::Word, count: Self::Word) -> Self::Word;
    /// The upper word of the product.
    fn mul_high(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// `a < b`; false where either is a NaN.
    fn less(self, a: Self::Float, b: Self::Float) -> Self::Truth;
    /// Whether it is a NaN.
    fn is_nan(self, x: Self::Float) -> Self::Truth;
    /// Whether two words are the same.
    fn same(self, a: Self::Word, b: Self::Word) -> Self::Truth;
    /// `a < b` as int32.
    fn less_signed(self, a: Self::Word, b: Self::Word) -> Self::Truth;

    /// `a < b` as uint32.
    fn less_word(self, a: Self::Word, b: Self::Word) -> Self::Truth;

    /// `yes` where the condition holds, else `no`.
    fn select(self, condition: Self::Truth, yes: Self::Float, no: Self::Float) -> Self::Float;
    /// `yes` where the condition holds, else `no`.
    fn select_word(self, condition: Self::Truth, yes: Self::Word, no: Self::Word) -> Self::Word;

    /// `other()` where the condition holds, which is seldom, else `usual`. A machine without
    /// branches gives `usual` throughout, so the caller counts such a value as hard.
    fn seldom<const N: usize>(
        self,
        condition: Self::Truth,
        usual: [Self::Word; N],
        other: impl FnOnce() -> [Self::Word; N],
    ) -> [Self::Word; N];

    /// The canonical NaN.
    #[inline(always)]
    fn nan(self) -> Self::Float {
        self.from_bits(self.word(NAN))
    }

    /// `value`, or the canonical NaN where `x` is a NaN.
    #[inline(always)]
    fn nan_from(self, x: Self::Float, value: Self::Float) -> Self::Float {
        self.select(self.is_nan(x), self.nan(), value)
    }

    /// `-x`.
    #[inline(always)]
    fn negative(self, x: Self::Float) -> Self::Float {
        self.from_bits(self.bits(x) ^ self.word(SIGN))
    }

    /// The bits of `|x|`.
    #[inline(always)]
    fn magnitude(self, x: Self::Float) -> Self::Word {
        self.bits(x) & self.word(!SIGN)
    }

    /// `|x|`.
    #[inline(always)]
    fn absolute(self, x: Self::Float) -> Self::Float {
        self.from_bits(self.magnitude(x))
    }

    /// The sign bit of `x`.
    #[inline(always)]
    fn sign(self, x: Self::Float) -> Self::Word {
        self.bits(x) & self.word(SIGN)
    }

    /// `|value|` with the sign of `x`.
    #[inline(always)]
    fn with_sign(self, value: Self::Float, x: Self::Float) -> Self::Float {
        self.from_bits(self.magnitude(value) | self.sign(x))
    }

    /// Whether `|x|` is this float.
    #[inline(always)]
    fn is_magnitude(self, x: Self::Float, value: f32) -> Self::Truth {
        self.same(self.magnitude(x), self.word(value.to_bits()))
    }

    /// Whether `|x| < limit`, for a limit above zero; false for a NaN.
    #[inline(always)]
    fn is_below(self, x: Self::Float, limit: f32) -> Self::Truth {
        // The order of magnitudes is that of their bits.
        self.less_signed(self.magnitude(x), self.word(limit.to_bits()))
    }

    /// `x` moved into `low ..= high`; a NaN stays one.
    #[inline(always)]
    fn clamp(self, x: Self::Float, low: f32, high: f32) -> Self::Float {
        let (low, high) = (self.float(low), self.float(high));
        let x = self.select(self.less(x, low), low, x);
        self.select(self.less(high, x), high, x)
    }
}
