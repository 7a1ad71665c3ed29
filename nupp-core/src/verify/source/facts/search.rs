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
use crate::verify::source::range::Interval;

/// A goal: whether `sum`, which is `scale` times an integer, is at most 0.
struct Goal {
    sum: Linear,
    scale: i128,
}

impl Facts<'_> {
    /// Whether a sum is shown to be at most 0.
    pub fn at_most_zero(&self, sum: &Linear) -> bool {
        self.search(sum, self.effort.bound)
    }

    pub(super) fn search(&self, sum: &Linear, (depth, steps): (usize, usize)) -> bool {
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
                || (self.speakers(term)).any(|by| self.definition(by).iter().any(use_fact))
                || self.either(goal, term, factor, depth, steps)
        })
    }

    /// Whether the goal holds for both values that a term may be, where it is the lesser, the
    /// greater or the chosen one of two.
    fn either(
        &self,
        goal: &Goal,
        term: Term,
        factor: i128,
        depth: usize,
        steps: &Cell<usize>,
    ) -> bool {
        let Term::Value(value) = term else {
            return false;
        };
        let sides = match *self.def(value) {
            // The definition itself says that the lesser one is at most each of them.
            Def::Scalar(ScalarOp::U32Min | ScalarOp::I32Min, &[a, b]) if factor < 0 => [a, b],
            Def::Scalar(ScalarOp::U32Max | ScalarOp::I32Max, &[a, b]) if factor > 0 => [a, b],
            Def::Scalar(ScalarOp::U32Select | ScalarOp::I32Select, &[_, a, b]) => [a, b],
            Def::If { then, els, .. } => [then, els],
            Def::Scalar(..) | Def::Opaque | Def::Const(_) | Def::Length(_) => return false,
        };
        sides.into_iter().all(|side| {
            let apart = self.atom_or_number(side).minus(&Linear::term(term));
            let sum = apart.and_then(|apart| goal.sum.combine(1, &apart, factor));
            let scale = goal.scale;
            sum.is_some_and(|sum| self.step(&Goal { sum, scale }, depth - 1, steps))
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

    /// The terms whose definitions speak of this one.
    fn speakers(&self, term: Term) -> impl Iterator<Item = Term> {
        let about = self.speaks.iter().filter(move |(of, _)| *of == term);
        about.map(|&(_, by)| Term::Value(by))
    }

    /// Remembers that the definition of a value says something of what its operands are made of.
    pub(super) fn note_speaker(&mut self, value: Value, op: ScalarOp, args: &[Value]) {
        use ScalarOp as O;
        let speaks = matches!(
            op,
            O::U32Min
                | O::I32Min
                | O::U32Max
                | O::I32Max
                | O::U32And
                | O::I32And
                | O::U32Mod
                | O::I32Mod
                | O::U32Div
                | O::I32Div
                | O::U32Shr
                | O::I32Shr
                | O::U32Mul
                | O::I32Mul
                | O::U32FromI32
                | O::I32FromU32
        );
        if !speaks || self.same(value) != value || self.sums[value.index()].is_some() {
            return;
        }
        for &arg in args {
            for (term, _) in self.atom_or_number(arg).terms {
                self.speaks.push((term, value));
            }
        }
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
        let [a, b] = match *args {
            [a, b] => [a, b].map(|arg| self.atom_or_number(arg)),
            [a] => [self.atom_or_number(a), Linear::default()],
            _ => return out,
        };
        // An operation on signed integers says the same of numbers that are not negative.
        let natural = |arg: usize| self.range(args[arg]).lo >= 0;
        match op {
            ScalarOp::U32Min | ScalarOp::I32Min => {
                order(&v, &a, 0);
                order(&v, &b, 0);
            }
            ScalarOp::U32Max | ScalarOp::I32Max => {
                order(&a, &v, 0);
                order(&b, &v, 0);
            }
            ScalarOp::U32And | ScalarOp::I32And => {
                [&a, &b].into_iter().enumerate().for_each(|(arg, side)| {
                    if natural(arg) {
                        order(&v, side, 0);
                    }
                });
            }
            ScalarOp::U32Mod | ScalarOp::I32Mod => {
                // A remainder by 0 is 0.
                if natural(0) {
                    order(&v, &a, 0);
                }
                if self.range(args[1]).lo >= 1 {
                    order(&v, &b, 1);
                }
            }
            ScalarOp::U32Mul | ScalarOp::I32Mul if self.product_fits(op, args) => {
                if self.range(args[1]).lo >= 1 {
                    order(&a, &v, 0);
                }
                if self.range(args[0]).lo >= 1 {
                    order(&b, &v, 0);
                }
            }
            ScalarOp::U32Div | ScalarOp::U32Shr | ScalarOp::I32Div | ScalarOp::I32Shr
                if natural(0) && natural(1) =>
            {
                order(&v, &a, 0);
                if let Some(divisor) = self.divisor(op, args[1])
                    && let Some(whole) = v.combine(divisor, &Linear::default(), 0)
                {
                    order(&whole, &a, 0);
                    if let Some(a) = a.plus(1 - divisor) {
                        order(&a, &whole, 0);
                    }
                }
            }
            // A word that is one number in both readings.
            ScalarOp::U32FromI32 | ScalarOp::I32FromU32
                if natural(0) && self.range(args[0]).hi <= i128::from(i32::MAX)
                    || self.range(value).lo >= 0
                        && self.range(value).hi <= i128::from(i32::MAX) =>
            {
                order(&v, &a, 0);
                order(&a, &v, 0);
            }
            _ => {}
        }
        out
    }

    /// Whether a product of two numbers that are not negative cannot wrap.
    fn product_fits(&self, op: ScalarOp, args: &[Value]) -> bool {
        let (a, b) = (self.range(args[0]), self.range(args[1]));
        let most = Interval::of_type(op.result()).hi;
        a.lo >= 0 && b.lo >= 0 && a.hi.checked_mul(b.hi).is_some_and(|top| top <= most)
    }

    /// What a division or a right shift divides by, if that is one positive number.
    fn divisor(&self, op: ScalarOp, value: Value) -> Option<i128> {
        let number = self.range(value).single()?;
        if matches!(op, ScalarOp::U32Shr | ScalarOp::I32Shr) {
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
