//! Exact constants: rational numbers, read from literals and rounded once.
//!
//! A literal, and what `+ - * /` make of literals, is kept as an exact fraction until a type is
//! asked for; then it is rounded to the nearest binary32, ties to even, or must be an integer in
//! the type's range. Fractions are reduced and at most [`MAX_BITS`] bits a side; past that an
//! operation answers [`NumberError::TooLong`].

use super::big::Big;
use std::cmp::Ordering;

/// The most bits of a numerator or denominator.
pub(super) const MAX_BITS: u32 = 8192;

/// Why there is no exact value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    /// The text is no number.
    Malformed,
    /// The fraction is longer than [`MAX_BITS`].
    TooLong,
    /// Division by zero.
    DivisionByZero,
}

/// A rational number in lowest terms. A zero that a minus sign was written before remembers it,
/// for `-0.0`; the zero that arithmetic makes is positive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Exact {
    negative: bool,
    num: Big,
    den: Big,
}

impl Exact {
    /// From a natural number.
    pub fn nat(value: u128) -> Self {
        Exact {
            negative: false,
            num: Big::from(value),
            den: Big::one(),
        }
    }

    fn reduced(negative: bool, num: Big, den: Big) -> Result<Self, NumberError> {
        if den.is_zero() {
            return Err(NumberError::DivisionByZero);
        }
        if num.is_zero() {
            return Ok(Exact::nat(0));
        }
        // Twice the limit is what one product of two allowed numbers may reach before reduction.
        if num.bits().max(den.bits()) > 2 * MAX_BITS + 1 {
            return Err(NumberError::TooLong);
        }
        let common = num.gcd(&den);
        let (num, den) = (num.div_rem(&common).0, den.div_rem(&common).0);
        if num.bits().max(den.bits()) > MAX_BITS {
            return Err(NumberError::TooLong);
        }
        Ok(Exact { negative, num, den })
    }

    /// The opposite number.
    #[must_use]
    pub fn neg(&self) -> Self {
        Exact {
            negative: !self.negative,
            ..self.clone()
        }
    }

    /// The sum.
    pub fn add(&self, other: &Exact) -> Result<Self, NumberError> {
        let (a, b) = (self.num.mul(&other.den), other.num.mul(&self.den));
        let den = self.den.mul(&other.den);
        if self.negative == other.negative {
            return Exact::reduced(self.negative, a.add(&b), den);
        }
        match a.cmp(&b) {
            Ordering::Less => Exact::reduced(other.negative, b.sub(&a), den),
            _ => Exact::reduced(self.negative, a.sub(&b), den),
        }
    }

    /// The difference.
    pub fn sub(&self, other: &Exact) -> Result<Self, NumberError> {
        self.add(&other.neg())
    }

    /// The product.
    pub fn mul(&self, other: &Exact) -> Result<Self, NumberError> {
        Exact::reduced(
            self.negative != other.negative,
            self.num.mul(&other.num),
            self.den.mul(&other.den),
        )
    }

    /// The quotient.
    pub fn div(&self, other: &Exact) -> Result<Self, NumberError> {
        Exact::reduced(
            self.negative != other.negative,
            self.num.mul(&other.den),
            self.den.mul(&other.num),
        )
    }

    /// The order of two numbers; zeros are equal.
    pub fn compare(&self, other: &Exact) -> Ordering {
        let (a, b) = (self.num.mul(&other.den), other.num.mul(&self.den));
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => a.cmp(&b),
            (true, true) => b.cmp(&a),
        }
    }

    fn is_negative(&self) -> bool {
        self.negative && !self.num.is_zero()
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        self.den == Big::one()
    }

    /// The integer, where it is one that 127 bits hold.
    pub fn to_int(&self) -> Option<i128> {
        let magnitude = i128::try_from(self.num.to_u128()?).ok()?;
        self.is_integer()
            .then_some(if self.negative { -magnitude } else { magnitude })
    }

    /// The bits of the nearest binary32, ties to even; nothing where that would be an infinity.
    pub fn to_f32(&self) -> Option<u32> {
        let sign = u32::from(self.negative) << 31;
        if self.num.is_zero() {
            return Some(sign);
        }
        // The exponent of the last place of the result, from the exponent of the value.
        let mut exponent = i64::from(self.num.bits()) - i64::from(self.den.bits());
        if self.scaled(-exponent).0 < self.scaled(-exponent).1 {
            exponent -= 1;
        }
        let last = exponent.max(-126) - 23;
        let (num, den) = self.scaled(-last);
        let mut mantissa = rounded(&num, &den).low_word();
        let mut last = last;
        if mantissa == 1 << 24 {
            mantissa >>= 1;
            last += 1;
        }
        if mantissa < 1 << 23 {
            return Some(sign | mantissa);
        }
        let field = u32::try_from(last + 23 + 127).ok()?;
        (field < 255).then_some(sign | field << 23 | (mantissa & 0x7f_ffff))
    }

    /// The nearest integer, ties to even, modulo 2^32.
    pub fn wrap32(&self) -> u32 {
        let low = rounded(&self.num, &self.den).low_word();
        if self.negative {
            low.wrapping_neg()
        } else {
            low
        }
    }

    /// Numerator and denominator of `|self| * 2^power`.
    fn scaled(&self, power: i64) -> (Big, Big) {
        let by = power.unsigned_abs() as u32;
        if power >= 0 {
            (self.num.shl(by), self.den.clone())
        } else {
            (self.num.clone(), self.den.shl(by))
        }
    }
}

/// `num / den` to the nearest integer, ties to even.
fn rounded(num: &Big, den: &Big) -> Big {
    let (quotient, rest) = num.div_rem(den);
    let up = match rest.shl(1).cmp(den) {
        Ordering::Less => false,
        Ordering::Equal => quotient.is_odd(),
        Ordering::Greater => true,
    };
    if up {
        quotient.add(&Big::one())
    } else {
        quotient
    }
}

/// Reads decimal digits with an optional point and exponent, without a sign.
pub(super) fn decimal(text: &str) -> Result<Exact, NumberError> {
    let (digits, exponent) = split_exponent(text)?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && part.is_empty() {
        return Err(NumberError::Malformed);
    }
    // A digit is more than three bits, so longer texts cannot fit unless they start with zeros.
    if (whole.len() + part.len()) as u64 * 3 > u64::from(MAX_BITS) {
        return Err(NumberError::TooLong);
    }
    let mut num = Big::zero();
    for digit in whole.chars().chain(part.chars()) {
        let digit = digit.to_digit(10).ok_or(NumberError::Malformed)?;
        num = num.mul(&Big::from(10)).add(&Big::from(u128::from(digit)));
    }
    let mut den = power_of_ten(part.len() as i64)?;
    if exponent >= 0 {
        num = num.mul(&power_of_ten(exponent)?);
    } else {
        den = den.mul(&power_of_ten(-exponent)?);
    }
    Exact::reduced(false, num, den)
}

fn split_exponent(text: &str) -> Result<(&str, i64), NumberError> {
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else {
        return Ok((text, 0));
    };
    let plain = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NumberError::Malformed);
    }
    // More digits than this say a number that is too long in any case.
    let value: i64 = plain.parse().unwrap_or(i64::MAX);
    let negative = exponent.starts_with('-');
    Ok((digits, if negative { -value } else { value }))
}

/// `10^exponent`.
fn power_of_ten(exponent: i64) -> Result<Big, NumberError> {
    let mut value = Big::one();
    for _ in 0..exponent.min(i64::from(MAX_BITS)) {
        value = value.mul(&Big::from(10));
        if value.bits() > MAX_BITS {
            return Err(NumberError::TooLong);
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Option<u32> {
        decimal(text).expect("a number").to_f32()
    }

    #[test]
    fn decimals_round_as_rust_does() {
        for text in [
            "0.1",
            "1.0",
            "3.14159265358979",
            "16777217",
            "16777219",
            "1e-45",
            "7e-46",
            "1.4e-45",
            "1.1754942807573643e-38",
            "1.17549435e-38",
            "3.4028235e38",
            "3.402823567797336e38",
            "0.0",
            "123456789.0",
            "9007199254740993.0",
            "2.98023223876953125e-8",
            "5.9604645e-8",
            "1e-300",
            "33554431.0",
            "1.",
            "1E+3",
            "7.0064923216240853546186479164495e-46",
        ] {
            let expected: f32 = text.parse().expect("a float");
            assert_eq!(bits(text), Some(expected.to_bits()), "{text}");
        }
    }

    #[test]
    fn halfway_cases_go_to_even_and_just_above_goes_up() {
        // 1 + 2^-24 lies halfway between 1 and the next float; rounding to binary64 first would
        // send what lies just above it to even as well.
        assert_eq!(bits("1.000000059604644775390625"), Some(0x3f80_0000));
        assert_eq!(
            bits("1.00000005960464477539062500000000000000000000001"),
            Some(0x3f80_0001)
        );
        assert_eq!(bits("1.000000178813934326171875"), Some(0x3f80_0002));
    }

    #[test]
    fn what_rounds_to_infinity_has_no_value() {
        assert_eq!(bits("3.4028236e38"), None);
        assert_eq!(bits("340282356779733661637539395458142568448"), None);
        assert_eq!(
            bits("340282356779733661637539395458142568447"),
            Some(0x7f7f_ffff)
        );
    }

    #[test]
    fn malformed_and_endless_numbers_are_refused() {
        for text in ["", ".", "1e", "1e+", "12a", "0x10"] {
            assert_eq!(decimal(text), Err(NumberError::Malformed), "{text}");
        }
        assert_eq!(decimal("1e99999999999999999999"), Err(NumberError::TooLong));
        assert_eq!(
            decimal("1e-99999999999999999999"),
            Err(NumberError::TooLong)
        );
        assert_eq!(decimal(&"9".repeat(5000)), Err(NumberError::TooLong));
        let mut value = Exact::nat(3);
        let grown = (0..20).try_for_each(|_| {
            value = value.mul(&value)?;
            Ok(())
        });
        assert_eq!(grown, Err(NumberError::TooLong));
    }

    #[test]
    fn arithmetic_is_exact() {
        let third = Exact::nat(1).div(&Exact::nat(3)).expect("a third");
        let one = third.add(&third).and_then(|x| x.add(&third)).expect("one");
        assert_eq!(one, Exact::nat(1));
        assert_eq!(third.to_f32(), Some((1.0f32 / 3.0).to_bits()));
        assert_eq!(
            Exact::nat(1).div(&Exact::nat(0)),
            Err(NumberError::DivisionByZero)
        );
        assert_eq!(third.sub(&third), Ok(Exact::nat(0)));
        assert_eq!(third.to_int(), None);
        assert_eq!(third.neg().compare(&third), Ordering::Less);
        assert_eq!(third.neg().compare(&one.neg()), Ordering::Greater);
        assert_eq!(Exact::nat(7).neg().to_int(), Some(-7));
    }

    #[test]
    fn a_written_minus_zero_keeps_its_sign() {
        let zero = Exact::nat(0).neg();
        assert_eq!(zero.to_f32(), Some(0x8000_0000));
        assert_eq!(zero.to_int(), Some(0));
        assert_eq!(zero.compare(&Exact::nat(0)), Ordering::Equal);
        assert_eq!(zero.add(&Exact::nat(0)).map(|x| x.to_f32()), Ok(Some(0)));
    }

    #[test]
    fn wrap_is_nearest_even_modulo_two_to_the_32() {
        let wrap = |text: &str| decimal(text).expect("a number").wrap32();
        assert_eq!(wrap("2.5"), 2);
        assert_eq!(wrap("3.5"), 4);
        assert_eq!(wrap("4294967297"), 1);
        assert_eq!(Exact::nat(1).neg().wrap32(), u32::MAX);
    }
}
