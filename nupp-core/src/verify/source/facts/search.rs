//! Proofs that a sum is at most 0, by adding up facts.
//!
//! A fact `F <= 0` helps a goal `G <= 0` where they share a term of one sign: with positive `m` and
//! `n` that cancel it, `m * G = (m * G - n * F) + n * F`, so if `m * G - n * F` is at most 0, so is
//! `G`. The search tries one fact, then two, and so on, to a fixed depth and a fixed number of
//! steps, and ends a branch where the intervals of the terms suffice.

use std::cell::Cell;

use super::{Def, Facts, Linear, Term};
use crate::ir::entity::Value;
use crate::ir::op::ScalarOp;

/// The most facts one proof adds up.
const DEPTH: usize = 5;
/// The most steps one proof may take.
const STEPS: usize = 3000;

/// A goal: whether `sum`, which is `scale` times an integer, is at most 0.
struct Goal {
    sum: Linear,
    scale: i128,
}

impl Facts<'_> {
    /// Whether a sum is shown to be at most 0.
    pub fn at_most_zero(&self, sum: &Linear) -> bool {
        self.search(sum, DEPTH, STEPS)
    }

    pub(super) fn search(&self, sum: &Linear, depth: usize, steps: usize) -> bool {
        let goal = Goal {
            sum: sum.clone(),
            scale: 1,
        };
        let steps = Cell::new(steps);
        (0..=depth).any(|depth| self.step(&goal, depth, &steps))
    }

    fn step(&self, goal: &Goal, depth: usize, steps: &Cell<usize>) -> bool {
        let Some(left) = steps.get().checked_sub(1) else {
            return false;
        };
        steps.set(left);
        // The goal is an integer times `scale`, so below `scale` means at most 0.
        if self
            .ends(&goal.sum)
            .is_some_and(|ends| ends.hi < goal.scale)
        {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let mut terms = goal.sum.terms.iter();
        terms.any(|&(term, factor)| {
            let use_fact = |fact: &Linear| self.cancel(goal, fact, term, factor, depth, steps);
            self.at_most_zero.iter().rev().any(use_fact)
                || self.definition(term).iter().any(use_fact)
        })
    }

    fn cancel(
        &self,
        goal: &Goal,
        fact: &Linear,
        term: Term,
        factor: i128,
        depth: usize,
        steps: &Cell<usize>,
    ) -> bool {
        let other = fact.factor(term);
        if other.signum() != factor.signum() || other == 0 {
            return false;
        }
        let common = gcd(other.unsigned_abs(), factor.unsigned_abs());
        let (m, n) = (other.abs() / common, factor.abs() / common);
        let Some(scale) = goal.scale.checked_mul(m) else {
            return false;
        };
        let Some(sum) = goal.sum.combine(m, fact, -n) else {
            return false;
        };
        self.step(&Goal { sum, scale }, depth - 1, steps)
    }

    /// What the definition of a value says of it, as sums that are at most 0.
    fn definition(&self, term: Term) -> Vec<Linear> {
        let mut out = Vec::new();
        let Term::Value(value) = term else {
            return out;
        };
        let &Def::Scalar(op, args) = self.def(value) else {
            return out;
        };
        let v = Linear::term(term);
        // `less` and a distance are at most `more`.
        let mut order = |less: &Linear, more: &Linear, apart: i128| {
            let sum = less.minus(more).and_then(|sum| sum.plus(apart));
            out.extend(sum.filter(|sum| !sum.terms.is_empty()));
        };
        let (a, b) = match *args {
            [a, b] => (self.atom_or_number(a), self.atom_or_number(b)),
            _ => return out,
        };
        match op {
            ScalarOp::U32Min | ScalarOp::I32Min => {
                order(&v, &a, 0);
                order(&v, &b, 0);
            }
            ScalarOp::U32Max | ScalarOp::I32Max => {
                order(&a, &v, 0);
                order(&b, &v, 0);
            }
            ScalarOp::U32And => {
                order(&v, &a, 0);
                order(&v, &b, 0);
            }
            ScalarOp::U32Mod => {
                order(&v, &a, 0);
                if self.range(args[1]).lo >= 1 {
                    order(&v, &b, 1);
                }
            }
            ScalarOp::U32Div | ScalarOp::U32Shr => {
                if let Some(divisor) = self.divisor(op, args[1])
                    && let Some(whole) = v.combine(divisor, &Linear::default(), 0)
                {
                    order(&whole, &a, 0);
                    if let Some(a) = a.plus(1 - divisor) {
                        order(&a, &whole, 0);
                    }
                }
            }
            _ => {}
        }
        out
    }

    /// What a division or a right shift divides by, if that is one positive number.
    fn divisor(&self, op: ScalarOp, value: Value) -> Option<i128> {
        let number = self.range(value).single()?;
        if op == ScalarOp::U32Shr {
            Some(1 << (number & 31))
        } else {
            (number > 0).then_some(number)
        }
    }

    /// A value as the sum stored with it; no new proof is started for it.
    fn atom_or_number(&self, value: Value) -> Linear {
        match (&self.sums[value.index()], self.def(value)) {
            (Some(sum), _) => sum.clone(),
            (None, Def::Const(c)) => Linear::constant(super::number_of(*c)),
            (None, &Def::Length(span)) => Linear::term(Term::Length(span)),
            (None, _) => self.atom(value),
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1) as i128
}
