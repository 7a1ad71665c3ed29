//! From a boolean that is known, everything that follows: through `and`, `or`, `not`, selections
//! and `if`s with a constant side down to comparisons, which become sums.

use super::{Def, Facts, Linear};
use crate::ir::entity::Value;
use crate::ir::op::ScalarOp;

/// How far a known boolean is looked through.
const DEPTH: usize = 128;
/// How many booleans one assumption may follow, since shared operands are met again and again.
const STEPS: usize = 2048;
/// How often what is known is gone through again: each time carries a conclusion one step further.
const ROUNDS: usize = 8;

struct Steps {
    depth: usize,
    left: usize,
}

impl Steps {
    fn new() -> Self {
        Steps {
            depth: DEPTH,
            left: STEPS,
        }
    }

    /// Goes one level deeper, if there is one.
    fn enter(&mut self) -> bool {
        if self.depth == 0 || self.left == 0 {
            return false;
        }
        self.depth -= 1;
        self.left -= 1;
        true
    }
}

impl Facts<'_> {
    /// Takes a boolean as true or false from here to the end of the region.
    pub fn assume(&mut self, value: Value, truth: bool) {
        self.learn(value, truth, &mut Steps::new());
        self.settle();
    }

    /// Goes through what is known until it says nothing new: a comparison that came first may be an
    /// exact sum only by one that came later, an `or` may have a side that only the rest shows to be
    /// false, and what is unequal may turn out to be ordered.
    pub fn settle(&mut self) {
        for _ in 0..ROUNDS {
            let before = self.learned();
            let mut at = 0;
            while at < self.known.len() {
                let (value, truth) = self.known[at];
                self.learn_comparison(value, truth);
                self.learn_open(value, truth);
                at += 1;
            }
            self.learn_strict();
            if self.learned() == before {
                break;
            }
        }
    }

    fn learned(&self) -> [usize; 3] {
        [
            self.known.len(),
            self.at_most_zero.len(),
            self.not_zero.len(),
        ]
    }

    /// What was open when a boolean became known: an `and` that is false, an `or` that is true, a
    /// choice.
    fn learn_open(&mut self, value: Value, truth: bool) {
        match *self.def(value) {
            Def::Scalar(op @ (ScalarOp::BoolAnd | ScalarOp::BoolOr), args)
                if truth == (op == ScalarOp::BoolOr) =>
            {
                self.learn_op(op, args, truth, &mut Steps::new());
            }
            Def::Scalar(ScalarOp::BoolSelect, &[c, a, b]) => {
                self.learn_choice([c, a, b], truth, &mut Steps::new());
            }
            Def::If { cond, then, els } => {
                self.learn_choice([cond, then, els], truth, &mut Steps::new());
            }
            Def::Scalar(..) | Def::Opaque | Def::Const(_) | Def::Length(_) => {}
        }
    }

    /// From `x ~= y` and `x <= y` follows `x < y`, on either side.
    fn learn_strict(&mut self) {
        for at in 0..self.not_zero.len() {
            let sum = self.not_zero[at].clone();
            let opposite = Linear::default().minus(&sum);
            for side in [Some(sum), opposite].into_iter().flatten() {
                let Some(strict) = side.plus(1) else { continue };
                if !self.at_most_zero.contains(&strict) && self.search(&side, self.effort.order) {
                    self.add(strict);
                }
            }
        }
    }

    fn learn(&mut self, value: Value, truth: bool, steps: &mut Steps) {
        if !steps.enter() {
            return;
        }
        let same = self.same(value);
        if !self.known.contains(&(same, truth)) {
            self.known.push((same, truth));
        }
        match *self.def(value) {
            Def::Scalar(op, args) => self.learn_op(op, args, truth, steps),
            Def::If { cond, then, els } => self.learn_choice([cond, then, els], truth, steps),
            Def::Opaque | Def::Const(_) | Def::Length(_) => {}
        }
        self.learn_comparison(value, truth);
        steps.depth += 1;
    }

    fn learn_op(&mut self, op: ScalarOp, args: &[Value], truth: bool, steps: &mut Steps) {
        match (op, args) {
            (ScalarOp::BoolNot, &[a]) => self.learn(a, !truth, steps),
            (ScalarOp::BoolAnd, &[a, b]) if truth => {
                self.learn(a, true, steps);
                self.learn(b, true, steps);
            }
            (ScalarOp::BoolOr, &[a, b]) if !truth => {
                self.learn(a, false, steps);
                self.learn(b, false, steps);
            }
            // One side is known to be idle, so the other decides.
            (ScalarOp::BoolAnd, &[a, b]) => self.learn_other(a, b, true, false, steps),
            (ScalarOp::BoolOr, &[a, b]) => self.learn_other(a, b, false, true, steps),
            (ScalarOp::BoolSelect, &[c, a, b]) => self.learn_choice([c, a, b], truth, steps),
            _ => {}
        }
    }

    fn learn_other(&mut self, a: Value, b: Value, idle: bool, truth: bool, steps: &mut Steps) {
        if self.shown(a) == Some(idle) {
            self.learn(b, truth, steps);
        }
        if self.shown(b) == Some(idle) {
            self.learn(a, truth, steps);
        }
    }

    /// A choice gave `truth`, so a side that is the opposite was not taken.
    fn learn_choice(&mut self, [cond, then, els]: [Value; 3], truth: bool, steps: &mut Steps) {
        if self.decide(els) == Some(!truth) || self.shown(cond) == Some(true) {
            self.learn(cond, true, steps);
            self.learn(then, truth, steps);
        } else if self.decide(then) == Some(!truth) || self.shown(cond) == Some(false) {
            self.learn(cond, false, steps);
            self.learn(els, truth, steps);
        }
    }

    /// Whether a boolean is known, or is a comparison that the sums decide.
    fn shown(&self, value: Value) -> Option<bool> {
        if let Some(truth) = self.decide(value) {
            return Some(truth);
        }
        let &Def::Scalar(op, args) = self.def(value) else {
            return None;
        };
        if op == ScalarOp::BoolNot {
            return self.shown(args[0]).map(|truth| !truth);
        }
        let apart = match op {
            ScalarOp::U32Lt | ScalarOp::I32Lt => 1,
            ScalarOp::U32Le | ScalarOp::I32Le | ScalarOp::U32Eq | ScalarOp::I32Eq => 0,
            _ => return None,
        };
        let sum = self.sum(args[0]).minus(&self.sum(args[1]))?;
        let opposite = Linear::default().minus(&sum)?;
        let holds =
            |sum: Option<Linear>| sum.is_some_and(|sum| self.search(&sum, self.effort.order));
        if matches!(op, ScalarOp::U32Eq | ScalarOp::I32Eq) {
            let apart = holds(sum.plus(1)) || holds(opposite.plus(1));
            return apart.then_some(false);
        }
        if holds(sum.plus(apart)) {
            return Some(true);
        }
        holds(opposite.plus(1 - apart)).then_some(false)
    }

    /// Turns a comparison of integers into sums.
    fn learn_comparison(&mut self, value: Value, truth: bool) {
        let &Def::Scalar(op, &[a, b]) = self.def(value) else {
            return;
        };
        let (less, more, apart) = match (op, truth) {
            (ScalarOp::U32Lt | ScalarOp::I32Lt, true) => (a, b, 1),
            (ScalarOp::U32Lt | ScalarOp::I32Lt, false) => (b, a, 0),
            (ScalarOp::U32Le | ScalarOp::I32Le, true) => (a, b, 0),
            (ScalarOp::U32Le | ScalarOp::I32Le, false) => (b, a, 1),
            (ScalarOp::U32Eq | ScalarOp::I32Eq, true) => {
                self.learn_order(a, b, 0);
                (b, a, 0)
            }
            (ScalarOp::U32Eq | ScalarOp::I32Eq, false) => {
                let apart = self.sum(a).minus(&self.sum(b));
                if let Some(apart) = apart.and_then(first_positive)
                    && !self.not_zero.contains(&apart)
                {
                    self.not_zero.push(apart);
                }
                return;
            }
            _ => return,
        };
        self.learn_order(less, more, apart);
    }

    /// `less + apart <= more`.
    fn learn_order(&mut self, less: Value, more: Value, apart: i128) {
        let sum = self.sum(less).minus(&self.sum(more));
        if let Some(sum) = sum.and_then(|sum| sum.plus(apart)) {
            self.add(sum);
        }
    }

    /// A sum that is at most 0.
    pub fn add(&mut self, sum: Linear) {
        if !sum.terms.is_empty() && !self.at_most_zero.contains(&sum) {
            self.at_most_zero.push(sum);
        }
    }

    /// Whether a boolean is known here.
    pub fn decide(&self, value: Value) -> Option<bool> {
        self.decide_to(value, 6)
    }

    pub(super) fn decide_to(&self, value: Value, depth: usize) -> Option<bool> {
        if let Def::Const(c) = self.def(value) {
            return Some(c.bits != 0);
        }
        let same = self.same(value);
        if let Some(&(_, truth)) = self.known.iter().find(|&&(v, _)| v == same) {
            return Some(truth);
        }
        let depth = depth.checked_sub(1)?;
        match *self.def(value) {
            Def::Scalar(op, args) => self.decide_op(op, args, depth),
            Def::If { cond, then, els } => self.decide_choice([cond, then, els], depth),
            Def::Const(_) | Def::Opaque | Def::Length(_) => None,
        }
    }

    fn decide_op(&self, op: ScalarOp, args: &[Value], depth: usize) -> Option<bool> {
        match (op, args) {
            (ScalarOp::BoolNot, &[a]) => Some(!self.decide_to(a, depth)?),
            (ScalarOp::BoolAnd, &[a, b]) => {
                match (self.decide_to(a, depth), self.decide_to(b, depth)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), other) => other,
                    _ => None,
                }
            }
            (ScalarOp::BoolOr, &[a, b]) => {
                match (self.decide_to(a, depth), self.decide_to(b, depth)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), other) => other,
                    _ => None,
                }
            }
            (ScalarOp::BoolSelect, &[c, a, b]) => self.decide_choice([c, a, b], depth),
            (
                ScalarOp::U32Lt
                | ScalarOp::U32Le
                | ScalarOp::U32Eq
                | ScalarOp::I32Lt
                | ScalarOp::I32Le
                | ScalarOp::I32Eq,
                &[a, b],
            ) => {
                let intervals = [
                    self.range_to(a, depth.min(2)),
                    self.range_to(b, depth.min(2)),
                ];
                let outcome = super::range::of_op(op, &intervals).single()?;
                Some(outcome != 0)
            }
            _ => None,
        }
    }

    fn decide_choice(&self, [cond, then, els]: [Value; 3], depth: usize) -> Option<bool> {
        match self.decide_to(cond, depth) {
            Some(true) => self.decide_to(then, depth),
            Some(false) => self.decide_to(els, depth),
            None => {
                let then = self.decide_to(then, depth)?;
                (self.decide_to(els, depth)? == then).then_some(then)
            }
        }
    }
}

/// The same inequality with its first factor positive; nothing where there is no term.
fn first_positive(sum: Linear) -> Option<Linear> {
    match sum.terms.first() {
        Some((_, factor)) if *factor < 0 => Linear::default().minus(&sum),
        Some(_) => Some(sum),
        None => None,
    }
}
