//! Sums of values and lengths in exact integers: `constant + Σ factor * term`.
//!
//! A sum never wraps and never overflows: an operation whose exact result does not fit 128 bits
//! gives nothing, and whoever asked has proved nothing. Terms are sorted and none is zero, so equal
//! sums are equal as data.

use crate::ir::entity::{SpanId, Value};

/// What a sum may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// The length of a span.
    Length(SpanId),
    /// A value of the kernel, by its mathematical value.
    Value(Value),
}

/// A sum.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Linear {
    /// Terms and their factors, in ascending order of terms; no factor is 0.
    pub terms: Vec<(Term, i128)>,
    /// The constant.
    pub constant: i128,
}

/// Factors and constants stay below this, so that a product of two of them fits.
const LIMIT: i128 = 1 << 62;

impl Linear {
    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    /// One term.
    pub fn term(term: Term) -> Self {
        Linear {
            terms: vec![(term, 1)],
            constant: 0,
        }
    }

    /// The factor of a term.
    pub fn factor(&self, term: Term) -> i128 {
        match self.terms.binary_search_by_key(&term, |&(t, _)| t) {
            Ok(at) => self.terms[at].1,
            Err(_) => 0,
        }
    }

    /// `self * m + other * n`, if every number in it is small enough.
    pub fn combine(&self, m: i128, other: &Linear, n: i128) -> Option<Linear> {
        if m.abs() > LIMIT || n.abs() > LIMIT {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), None) => x.0,
                (None, Some(y)) => y.0,
                (Some(x), Some(y)) => x.0.min(y.0),
            };
            let left = a.next_if(|x| x.0 == next).map_or(0, |x| x.1);
            let right = b.next_if(|y| y.0 == next).map_or(0, |y| y.1);
            let factor = left * m + right * n;
            if factor.abs() > LIMIT {
                return None;
            }
            if factor != 0 {
                terms.push((next, factor));
            }
        }
        let constant = self.constant * m + other.constant * n;
        (constant.abs() <= LIMIT).then_some(Linear { terms, constant })
    }

    /// The sum and a constant.
    pub fn plus(&self, constant: i128) -> Option<Linear> {
        self.combine(1, &Linear::constant(constant), 1)
    }

    /// `self - other`.
    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.combine(1, other, -1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(parts: &[(u32, i128)], constant: i128) -> Linear {
        let mut total = Linear::constant(constant);
        for &(value, factor) in parts {
            let term = Linear::term(Term::Value(Value(value)));
            total = total.combine(1, &term, factor).expect("small numbers");
        }
        total
    }

    #[test]
    fn terms_stay_sorted_and_cancel() {
        let a = sum(&[(2, 3), (1, 1)], 5);
        let b = sum(&[(1, 1), (3, -4)], 2);
        let c = a.minus(&b).expect("small numbers");
        assert_eq!(c, sum(&[(3, 4), (2, 3)], 3));
        assert_eq!(c.factor(Term::Value(Value(1))), 0);
        assert_eq!(c.factor(Term::Value(Value(3))), 4);
    }

    #[test]
    fn numbers_that_grow_too_large_give_nothing() {
        let a = sum(&[(1, 1 << 61)], 0);
        assert!(a.combine(2, &a, 1).is_none());
        assert!(a.combine(i128::MAX, &a, 1).is_none());
        assert!(sum(&[], LIMIT).plus(1).is_none());
    }
}
