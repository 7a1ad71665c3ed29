//! What is known at a point of a kernel: how each value was defined, in which interval it lies,
//! which booleans are true or false, and which sums are at most 0.
//!
//! The walk in `bounds` defines values as it meets them and opens and closes regions; facts end
//! with the region they hold in. Values are defined once, so a fact about one never goes stale.
//! Proofs are short combinations of facts, found by a search with fixed limits.

use std::collections::HashMap;

use super::linear::{Linear, Term};
use super::range::{self, Interval};
use crate::ir::entity::{Scalar, SpanId, UniformId, Value};
use crate::ir::flow::{Const, ValueInfo};
use crate::ir::op::ScalarOp;

mod assume;
mod search;
mod sums;

/// How a value is defined, as far as proofs look.
#[derive(Clone, Debug)]
pub enum Def<'a> {
    /// Nothing is known of how.
    Opaque,
    /// A constant.
    Const(Const),
    /// An operation.
    Scalar(ScalarOp, &'a [Value]),
    /// A span's length.
    Length(SpanId),
    /// A result of an `if`.
    If {
        cond: Value,
        then: Value,
        els: Value,
    },
}

/// What makes two values equal wherever both are visible.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Const(Const),
    Scalar(ScalarOp, Vec<Value>),
    Length(SpanId),
    Uniform(UniformId),
}

/// Everything known at a point.
pub struct Facts<'a> {
    values: &'a [ValueInfo],
    defs: Vec<Def<'a>>,
    /// The first visible value that is equal by construction.
    same: Vec<Value>,
    ranges: Vec<Interval>,
    /// A value as an exact sum, where its definition's point showed that it does not wrap.
    sums: Vec<Option<Linear>>,
    numbers: HashMap<Key, Value>,
    number_log: Vec<Key>,
    known: Vec<(Value, bool)>,
    /// Sums that are at most 0.
    at_most_zero: Vec<Linear>,
    /// Sums that are not 0, each with its first factor positive.
    not_zero: Vec<Linear>,
    /// Values whose definitions say something of a term that their operands are made of.
    speaks: Vec<(Term, Value)>,
    effort: Effort,
}

/// How far searches go. What is usual is quick, and enough for nearly every access; where it is not,
/// the access is tried once more before it is refused.
#[derive(Clone, Copy)]
struct Effort {
    /// The most facts that the proof of a bound adds up, and its steps.
    bound: (usize, usize),
    /// The same of a proof that a sum does not wrap.
    fits: (usize, usize),
    /// The same of what orders unequal sums or decides a comparison.
    order: (usize, usize),
    /// How many facts in a row may narrow an interval.
    chain: usize,
}

const USUAL: Effort = Effort {
    bound: (5, 3000),
    fits: (2, 100),
    order: (3, 300),
    chain: 0,
};

const GREAT: Effort = Effort {
    bound: (8, 30_000),
    fits: (4, 1000),
    order: (5, 2000),
    chain: 2,
};

/// Where a region began.
pub struct Mark {
    numbers: usize,
    speaks: usize,
    known: usize,
    at_most_zero: usize,
    not_zero: usize,
}

impl<'a> Facts<'a> {
    /// Nothing is known yet of the values in this table.
    pub fn new(values: &'a [ValueInfo]) -> Self {
        let count = values.len();
        Facts {
            values,
            defs: vec![Def::Opaque; count],
            same: (0..count as u32).map(Value).collect(),
            ranges: values.iter().map(|v| Interval::of_type(v.ty)).collect(),
            sums: vec![None; count],
            numbers: HashMap::new(),
            number_log: Vec::new(),
            known: Vec::new(),
            at_most_zero: Vec::new(),
            not_zero: Vec::new(),
            speaks: Vec::new(),
            effort: USUAL,
        }
    }

    /// Turns to a greater effort, and draws the conclusions that it shows; or back.
    pub fn make_effort(&mut self, great: bool) {
        self.effort = if great { GREAT } else { USUAL };
        if great {
            self.settle();
        }
    }

    /// The state at the start of a region.
    pub fn open(&self) -> Mark {
        Mark {
            numbers: self.number_log.len(),
            speaks: self.speaks.len(),
            known: self.known.len(),
            at_most_zero: self.at_most_zero.len(),
            not_zero: self.not_zero.len(),
        }
    }

    /// Forgets what held only in the region.
    pub fn close(&mut self, mark: Mark) {
        for key in self.number_log.drain(mark.numbers..) {
            self.numbers.remove(&key);
        }
        self.speaks.truncate(mark.speaks);
        self.known.truncate(mark.known);
        self.at_most_zero.truncate(mark.at_most_zero);
        self.not_zero.truncate(mark.not_zero);
    }

    fn ty(&self, value: Value) -> Scalar {
        self.values[value.index()].ty
    }

    /// The definition of a value.
    pub fn def(&self, value: Value) -> &Def<'a> {
        &self.defs[value.index()]
    }

    /// The first visible value that is equal to this one by construction.
    fn same(&self, value: Value) -> Value {
        self.same[value.index()]
    }

    fn number(&mut self, value: Value, key: Key) {
        match self.numbers.get(&key) {
            Some(&first) => self.same[value.index()] = first,
            None => {
                self.numbers.insert(key.clone(), value);
                self.number_log.push(key);
            }
        }
    }

    /// A value of which only the interval is known.
    pub fn define_range(&mut self, value: Value, interval: Interval) {
        let whole = Interval::of_type(self.ty(value));
        self.ranges[value.index()] = interval.meet(whole);
    }

    /// A constant.
    pub fn define_const(&mut self, value: Value, c: Const) {
        self.defs[value.index()] = Def::Const(c);
        self.ranges[value.index()] = Interval::point(number_of(c));
        self.number(value, Key::Const(c));
    }

    /// A span's length.
    pub fn define_length(&mut self, value: Value, span: SpanId) {
        self.defs[value.index()] = Def::Length(span);
        self.number(value, Key::Length(span));
    }

    /// A uniform.
    pub fn define_uniform(&mut self, value: Value, uniform: UniformId) {
        self.number(value, Key::Uniform(uniform));
    }

    /// An operation on values defined before.
    pub fn define_scalar(&mut self, value: Value, op: ScalarOp, args: &'a [Value]) {
        self.defs[value.index()] = Def::Scalar(op, args);
        let intervals: Vec<Interval> = args.iter().map(|&arg| self.range(arg)).collect();
        self.ranges[value.index()] = range::of_op(op, &intervals);
        let same = args.iter().map(|&arg| self.same(arg)).collect();
        self.number(value, Key::Scalar(op, same));
        self.sums[value.index()] = self.exact(value, sums::DEPTH);
        self.note_speaker(value, op, args);
    }

    /// A result of an `if`, whose sides lie in this interval.
    pub fn define_if(&mut self, value: Value, parts: [Value; 3], interval: Interval) {
        let [cond, then, els] = parts;
        self.defs[value.index()] = Def::If { cond, then, els };
        self.define_range(value, interval);
    }

    /// The interval of a value here: that of its definition, narrowed by what is known.
    pub fn range(&self, value: Value) -> Interval {
        self.range_to(value, 3)
    }

    fn range_to(&self, value: Value, depth: usize) -> Interval {
        let mut interval = self.ranges[value.index()];
        if interval.single().is_some() {
            return interval;
        }
        if self.ty(value) == Scalar::Bool {
            return match self.decide_to(value, depth) {
                Some(truth) => Interval::point(i128::from(truth)),
                None => interval,
            };
        }
        if let (Def::Scalar(op, args), 1..) = (self.def(value), depth) {
            let args: Vec<Interval> = args
                .iter()
                .map(|&arg| self.range_to(arg, depth - 1))
                .collect();
            interval = interval.meet(range::of_op(*op, &args));
        }
        if let (&Def::If { then, els, .. }, 1..) = (self.def(value), depth) {
            let sides = [then, els].map(|side| self.range_to(side, depth - 1));
            interval = interval.meet(sides[0].join(sides[1]));
        }
        // Facts speak of what the value is a sum of, not of the value.
        if let Def::Length(span) = *self.def(value) {
            return interval.meet(self.term_range(Term::Length(span)));
        }
        if let Some(ends) = self.sums[value.index()].as_ref().and_then(|s| self.ends(s)) {
            interval = interval.meet(ends);
        }
        let term = Term::Value(self.same(value));
        self.narrow_by_others(term, self.narrow(term, interval), self.effort.chain)
    }

    /// Narrows an interval by the facts that relate the term to one other.
    fn narrow_by_others(&self, term: Term, mut interval: Interval, chain: usize) -> Interval {
        let Some(chain) = chain.checked_sub(1) else {
            return interval;
        };
        for fact in &self.at_most_zero {
            let (own, other) = match *fact.terms.as_slice() {
                [(a, x), (b, y)] if a == term && x + y == 0 => (x, b),
                [(a, x), (b, y)] if b == term && x + y == 0 => (y, a),
                _ => continue,
            };
            // With a factor of 1: term <= other - constant; with -1: other + constant <= term.
            let ends = self.narrow_by_others(other, self.term_range(other), chain);
            interval = interval.meet(match own {
                1 => Interval::new(i128::MIN, ends.hi - fact.constant),
                -1 => Interval::new(ends.lo + fact.constant, i128::MAX),
                _ => continue,
            });
        }
        interval
    }

    /// The interval of a sum, from those of its terms.
    fn ends(&self, sum: &Linear) -> Option<Interval> {
        let (mut lo, mut hi) = (sum.constant, sum.constant);
        for &(term, factor) in &sum.terms {
            let interval = self.term_range(term);
            let (a, b) = (
                interval.lo.checked_mul(factor)?,
                interval.hi.checked_mul(factor)?,
            );
            lo = lo.checked_add(a.min(b))?;
            hi = hi.checked_add(a.max(b))?;
        }
        Some(Interval::new(lo, hi))
    }

    /// Narrows an interval by the facts that speak of one term alone.
    fn narrow(&self, term: Term, mut interval: Interval) -> Interval {
        for fact in &self.at_most_zero {
            let &[(t, factor)] = fact.terms.as_slice() else {
                continue;
            };
            if t != term {
                continue;
            }
            // factor * term <= -constant.
            let bound = -fact.constant;
            interval = interval.meet(if factor > 0 {
                Interval::new(i128::MIN, bound.div_euclid(factor))
            } else {
                Interval::new(-bound.div_euclid(-factor), i128::MAX)
            });
        }
        for fact in &self.not_zero {
            if fact.terms == [(term, 1)] {
                let except = -fact.constant;
                if interval.lo == except && interval.hi > except {
                    interval.lo += 1;
                } else if interval.hi == except && interval.lo < except {
                    interval.hi -= 1;
                }
            }
        }
        interval
    }

    /// The interval of a term here.
    fn term_range(&self, term: Term) -> Interval {
        match term {
            Term::Length(_) => self.narrow(term, Interval::of_type(Scalar::U32)),
            Term::Value(value) => self.narrow(term, self.ranges[value.index()]),
        }
    }
}

/// The mathematical value of a constant; of a float, its bits, which nobody compares.
fn number_of(c: Const) -> i128 {
    match c.ty {
        Scalar::I32 => i128::from(c.bits as i32),
        Scalar::U32 | Scalar::F32 | Scalar::Bool => i128::from(c.bits),
    }
}
