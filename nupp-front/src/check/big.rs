//! Natural numbers of any size up to a limit, for exact constants.
//!
//! Small on purpose: constants are short, so every operation is the schoolbook one. A number is
//! little-endian 32-bit words without leading zeros; zero is empty. Whoever multiplies or shifts
//! checks [`Big::bits`] against its own limit, so that no program makes a number without end.

use std::cmp::Ordering;

/// A natural number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Big {
    words: Vec<u32>,
}

impl From<u128> for Big {
    fn from(mut value: u128) -> Self {
        let mut words = Vec::new();
        while value != 0 {
            words.push(value as u32);
            value >>= 32;
        }
        Big { words }
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        self.words
            .len()
            .cmp(&other.words.len())
            .then_with(|| self.words.iter().rev().cmp(other.words.iter().rev()))
    }
}

impl Big {
    /// Zero.
    pub fn zero() -> Self {
        Big::default()
    }
    /// One.
    pub fn one() -> Self {
        Big::from(1)
    }
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.words.is_empty()
    }
    /// Whether it is odd.
    pub fn is_odd(&self) -> bool {
        self.words.first().is_some_and(|w| w & 1 == 1)
    }
    /// The position of the highest one, from 1; 0 for zero.
    pub fn bits(&self) -> u32 {
        self.words
            .last()
            .map_or(0, |top| self.words.len() as u32 * 32 - top.leading_zeros())
    }
    /// The lowest 32 bits.
    pub fn low_word(&self) -> u32 {
        self.words.first().copied().unwrap_or(0)
    }
    /// The value, where 128 bits hold it.
    pub fn to_u128(&self) -> Option<u128> {
        (self.words.len() <= 4).then(|| {
            self.words
                .iter()
                .rev()
                .fold(0, |value, word| value << 32 | u128::from(*word))
        })
    }

    fn trimmed(mut words: Vec<u32>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Big { words }
    }

    /// The sum.
    pub fn add(&self, other: &Big) -> Big {
        let len = self.words.len().max(other.words.len()) + 1;
        let mut words = Vec::with_capacity(len);
        let mut carry = 0u64;
        for i in 0..len {
            let sum = carry + self.word(i) + other.word(i);
            words.push(sum as u32);
            carry = sum >> 32;
        }
        Big::trimmed(words)
    }

    /// The difference; `other` is at most `self`.
    pub fn sub(&self, other: &Big) -> Big {
        let mut words = Vec::with_capacity(self.words.len());
        let mut borrow = 0u64;
        for i in 0..self.words.len() {
            let take = other.word(i) + borrow;
            let have = self.word(i);
            borrow = u64::from(have < take);
            words.push((have + (borrow << 32)).wrapping_sub(take) as u32);
        }
        Big::trimmed(words)
    }

    /// The product.
    pub fn mul(&self, other: &Big) -> Big {
        let mut words = vec![0u32; self.words.len() + other.words.len()];
        for (i, a) in self.words.iter().enumerate() {
            let mut carry = 0u64;
            for (j, b) in other.words.iter().enumerate() {
                let sum = u64::from(*a) * u64::from(*b) + u64::from(words[i + j]) + carry;
                words[i + j] = sum as u32;
                carry = sum >> 32;
            }
            words[i + other.words.len()] = carry as u32;
        }
        Big::trimmed(words)
    }

    /// `self * 2^count`.
    pub fn shl(&self, count: u32) -> Big {
        if self.is_zero() {
            return Big::zero();
        }
        let (whole, part) = ((count / 32) as usize, count % 32);
        let mut words = vec![0u32; whole];
        let mut carry = 0u64;
        for word in &self.words {
            let moved = u64::from(*word) << part | carry;
            words.push(moved as u32);
            carry = moved >> 32;
        }
        words.push(carry as u32);
        Big::trimmed(words)
    }

    /// `self / 2^count`, rounded down.
    pub fn shr(&self, count: u32) -> Big {
        let (whole, part) = ((count / 32) as usize, count % 32);
        let words = (whole..self.words.len())
            .map(|i| ((self.word(i) | self.word(i + 1) << 32) >> part) as u32)
            .collect();
        Big::trimmed(words)
    }

    /// Quotient and remainder; `divisor` is not zero.
    pub fn div_rem(&self, divisor: &Big) -> (Big, Big) {
        if let (Some(a), Some(b)) = (self.to_u128(), divisor.to_u128()) {
            return (Big::from(a / b), Big::from(a % b));
        }
        if self < divisor {
            return (Big::zero(), self.clone());
        }
        let mut quotient = vec![0u32; self.words.len()];
        let mut rest = self.clone();
        for shift in (0..=self.bits() - divisor.bits()).rev() {
            let part = divisor.shl(shift);
            if part <= rest {
                rest = rest.sub(&part);
                quotient[(shift / 32) as usize] |= 1 << (shift % 32);
            }
        }
        (Big::trimmed(quotient), rest)
    }

    /// The greatest common divisor; neither is zero.
    pub fn gcd(&self, other: &Big) -> Big {
        if let (Some(mut a), Some(mut b)) = (self.to_u128(), other.to_u128()) {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return Big::from(a);
        }
        let twos = self.trailing_zeros().min(other.trailing_zeros());
        let mut a = self.shr(self.trailing_zeros());
        let mut b = other.shr(other.trailing_zeros());
        loop {
            match a.cmp(&b) {
                Ordering::Equal => return a.shl(twos),
                Ordering::Less => std::mem::swap(&mut a, &mut b),
                Ordering::Greater => {}
            }
            a = a.sub(&b);
            a = a.shr(a.trailing_zeros());
        }
    }

    fn trailing_zeros(&self) -> u32 {
        let whole = self.words.iter().take_while(|w| **w == 0).count();
        whole as u32 * 32 + self.words.get(whole).map_or(0, |w| w.trailing_zeros())
    }

    fn word(&self, i: usize) -> u64 {
        u64::from(self.words.get(i).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_division_inverts_multiplication() {
        let mut a = Big::from(0xdead_beef_0123_4567_89ab_cdef_dead_beef);
        let b = Big::from(0x1_0000_0001_ffff_ffff_0000_0001);
        for _ in 0..5 {
            let product = a.mul(&b).add(&Big::from(77));
            let (quotient, rest) = product.div_rem(&b);
            assert_eq!(quotient, a);
            assert_eq!(rest, Big::from(77));
            a = product;
        }
    }

    #[test]
    fn gcd_of_long_numbers() {
        let g = Big::from(3u128.pow(50)).shl(200);
        let a = g.mul(&Big::from(1_000_003));
        let b = g.mul(&Big::from(999_983));
        assert_eq!(a.gcd(&b), g);
    }

    #[test]
    fn shifts_undo_each_other() {
        let a = Big::from(0x8000_0001_8000_0001);
        for count in [0, 1, 31, 32, 33, 100] {
            assert_eq!(a.shl(count).shr(count), a);
            assert_eq!(a.shl(count).bits(), a.bits() + count);
        }
    }
}
