//! A small prover: differences and ranges of integers, by their mathematical values.
//!
//! Each SSA integer is a node with a range; a comparison that holds is an edge `a - b <= w`. An
//! addition, subtraction or multiplication says something only once its own result is shown not to
//! wrap, so every derived fact is about mathematical values. Rules are applied until nothing
//! changes; a question is a shortest path. Everything proved follows from the premises: facts,
//! guards and, where it is among them, the rule that ties the dispatch to a span's length.

use std::collections::HashMap;

use super::world::{Root, Rule, World};
use crate::ir::build::Def;
use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::kernel::LengthCond;
use crate::ir::op::ScalarOp;

/// The greatest uint32.
pub(crate) const MAX: i64 = u32::MAX as i64;
const I32_MAX: i64 = i32::MAX as i64;
const I32_MIN: i64 = i32::MIN as i64;
/// No two 32-bit integers are further apart; a wider bound says nothing.
const FAR: i64 = 1 << 40;
/// Past this many nodes a question is given up rather than asked slowly.
const MAX_NODES: usize = 768;
/// Rounds of the fixed point; each carries a bound through one more definition.
const MAX_ROUNDS: usize = 12;

/// What a question may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// The constant 0.
    Zero,
    /// A span's length.
    Length(SpanId),
    /// An integer.
    Value(Value),
}

/// What may be used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Premises<'a> {
    /// Booleans and what they are known to be.
    pub facts: Vec<(Value, bool)>,
    /// Guards over lengths, all of them true.
    pub guards: Vec<&'a LengthCond>,
    /// The dispatch length is the primary's, or the group count follows from the rule's span.
    pub rule: bool,
    /// Pretends that no addition or subtraction wraps: only to explain a refusal.
    pub trusting: bool,
}

/// `Σ factor * node + constant <= 0`.
pub(super) struct Linear {
    pub(super) terms: Vec<(i64, usize)>,
    pub(super) constant: i64,
}

/// The state of one question.
pub(crate) struct Reasoner<'a> {
    pub(super) world: &'a World,
    pub(super) rule: bool,
    trusting: bool,
    terms: Vec<Term>,
    index: HashMap<Term, usize>,
    range: Vec<(i64, i64)>,
    edges: HashMap<(usize, usize), i64>,
    known: HashMap<Value, bool>,
    clauses: Vec<[(Value, bool); 2]>,
    unequal: Vec<(usize, usize)>,
    pub(super) linear: Vec<Linear>,
    changed: bool,
    /// Whether the premises contradict each other.
    pub absurd: bool,
}

impl<'a> Reasoner<'a> {
    /// Takes the premises in and draws every conclusion about them and about `about`.
    pub(crate) fn new(world: &'a World, premises: &Premises<'_>, about: &[Term]) -> Self {
        let mut this = Reasoner {
            world,
            rule: premises.rule,
            trusting: premises.trusting,
            terms: vec![Term::Zero],
            index: HashMap::from([(Term::Zero, 0)]),
            range: vec![(0, 0)],
            edges: HashMap::new(),
            known: HashMap::new(),
            clauses: Vec::new(),
            unequal: Vec::new(),
            linear: Vec::new(),
            changed: false,
            absurd: false,
        };
        for term in about {
            this.node(*term);
        }
        for guard in &premises.guards {
            this.assume_guard(guard, true);
        }
        for (value, truth) in &premises.facts {
            this.assume(*value, *truth);
        }
        this.close();
        this
    }

    /// The number of a term's node; its definition's operands get nodes as well.
    pub(super) fn node(&mut self, term: Term) -> usize {
        let term = match term {
            Term::Value(v) => match self.world.roots.get(&v) {
                Some(Root::Length(span)) => Term::Length(*span),
                _ => term,
            },
            other => other,
        };
        if let Some(&at) = self.index.get(&term) {
            return at;
        }
        let at = self.terms.len();
        self.terms.push(term);
        self.index.insert(term, at);
        self.range.push(match term {
            Term::Value(v) if self.world.b.ty(v) == Scalar::I32 => (I32_MIN, I32_MAX),
            _ => (0, MAX),
        });
        if at < MAX_NODES
            && let Term::Value(v) = term
        {
            for operand in self.world.operands(v) {
                self.node(Term::Value(operand));
            }
        }
        at
    }

    fn value(&mut self, v: Value) -> usize {
        self.node(Term::Value(v))
    }

    /// `a - b <= w`.
    pub(super) fn edge(&mut self, a: usize, b: usize, w: i64) {
        if a == b {
            self.absurd |= w < 0;
            return;
        }
        if w > FAR {
            return;
        }
        let w = w.max(-FAR);
        if b == 0 {
            self.at_most(a, w);
        } else if a == 0 {
            self.at_least(b, -w);
        } else {
            let slot = self.edges.entry((a, b)).or_insert(i64::MAX);
            if w < *slot {
                *slot = w;
                self.changed = true;
            }
        }
    }

    fn equal(&mut self, a: usize, b: usize) {
        self.edge(a, b, 0);
        self.edge(b, a, 0);
    }

    pub(super) fn at_most(&mut self, a: usize, hi: i64) {
        if hi < self.range[a].1 {
            self.range[a].1 = hi;
            self.changed = true;
            self.absurd |= self.range[a].0 > hi;
        }
    }

    pub(super) fn at_least(&mut self, a: usize, lo: i64) {
        if lo > self.range[a].0 {
            self.range[a].0 = lo;
            self.changed = true;
            self.absurd |= lo > self.range[a].1;
        }
    }

    fn within(&mut self, a: usize, lo: i64, hi: i64) {
        self.at_least(a, lo);
        self.at_most(a, hi);
    }

    /// Takes a boolean's truth and what follows from its definition.
    fn assume(&mut self, value: Value, truth: bool) {
        if let Some(&was) = self.known.get(&value) {
            self.absurd |= was != truth;
            return;
        }
        self.known.insert(value, truth);
        self.changed = true;
        let world = self.world;
        match world.b.def(value) {
            Def::Const(c) => self.absurd |= (c.bits != 0) != truth,
            Def::Scalar(op, args) => self.assume_op(*op, args, truth),
            Def::If { cond, then, els } => self.assume_choice(*cond, *then, *els, truth),
            Def::External
            | Def::Leaf
            | Def::LoopParam { .. }
            | Def::Counted { .. }
            | Def::LoopResult { .. } => {}
        }
    }

    fn assume_choice(&mut self, cond: Value, then: Value, els: Value, truth: bool) {
        let never = |v: Value| {
            self.world
                .b
                .as_const(v)
                .is_some_and(|c| (c.bits != 0) != truth)
        };
        if never(then) {
            self.assume(cond, false);
            self.assume(els, truth);
        } else if never(els) {
            self.assume(cond, true);
            self.assume(then, truth);
        }
    }

    fn assume_op(&mut self, op: ScalarOp, args: &[Value], truth: bool) {
        use ScalarOp as O;
        match op {
            O::BoolNot => self.assume(args[0], !truth),
            O::BoolAnd | O::BoolOr if truth == (op == O::BoolAnd) => {
                self.assume(args[0], truth);
                self.assume(args[1], truth);
            }
            O::BoolAnd | O::BoolOr => self.clauses.push([(args[0], truth), (args[1], truth)]),
            O::BoolSelect => self.assume_choice(args[0], args[1], args[2], truth),
            O::U32Eq | O::I32Eq => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                if truth {
                    self.equal(a, b);
                } else {
                    self.unequal.push((a, b));
                }
            }
            O::U32Lt | O::I32Lt | O::U32Le | O::I32Le => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                let strict = i64::from(matches!(op, O::U32Lt | O::I32Lt));
                if truth {
                    self.edge(a, b, -strict);
                } else {
                    self.edge(b, a, strict - 1);
                }
            }
            _ => {}
        }
    }

    pub(super) fn mark_unequal(&mut self, a: usize, b: usize) {
        self.unequal.push((a, b));
    }

    /// Whether what is known makes this boolean the opposite of `truth`.
    fn refutes(&mut self, value: Value, truth: bool) -> bool {
        if let Some(&was) = self.known.get(&value) {
            return was != truth;
        }
        let world = self.world;
        let Def::Scalar(op, args) = world.b.def(value) else {
            return false;
        };
        use ScalarOp as O;
        match op {
            O::BoolNot => self.refutes(args[0], !truth),
            O::U32Lt | O::I32Lt | O::U32Le | O::I32Le => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                let strict = i64::from(matches!(op, O::U32Lt | O::I32Lt));
                if truth {
                    self.distance(b, a).is_some_and(|w| w < strict)
                } else {
                    self.distance(a, b).is_some_and(|w| w <= -strict)
                }
            }
            _ => false,
        }
    }

    fn close(&mut self) {
        for _ in 0..MAX_ROUNDS {
            self.changed = false;
            let mut at = 0;
            while at < self.terms.len().min(MAX_NODES) && !self.absurd {
                self.define(at);
                at += 1;
            }
            self.tighten();
            self.clauses_and_gaps();
            if !self.changed || self.absurd {
                break;
            }
        }
        self.absurd = self.absurd || self.paths(None).1;
    }

    fn tighten(&mut self) {
        let edges: Vec<_> = self.edges.iter().map(|(k, w)| (*k, *w)).collect();
        for ((a, b), w) in edges {
            let (hi, lo) = (self.range[b].1 + w, self.range[a].0 - w);
            self.at_most(a, hi);
            self.at_least(b, lo);
        }
        for at in 0..self.linear.len() {
            self.tighten_linear(at);
        }
    }

    fn tighten_linear(&mut self, at: usize) {
        let terms = self.linear[at].terms.clone();
        let constant = i128::from(self.linear[at].constant);
        let least = |(factor, node): (i64, usize)| {
            let (lo, hi) = self.range[node];
            i128::from(factor) * i128::from(if factor > 0 { lo } else { hi })
        };
        let sum: i128 = constant + terms.iter().map(|t| least(*t)).sum::<i128>();
        let bounds: Vec<(usize, i64, i128)> = terms
            .iter()
            .map(|&(factor, node)| (node, factor, -(sum - least((factor, node)))))
            .collect();
        // factor * node <= room
        for (node, factor, room) in bounds {
            let limit = room.div_euclid(i128::from(factor.abs()));
            let Ok(limit) = i64::try_from(limit) else {
                continue;
            };
            if factor > 0 {
                self.at_most(node, limit);
            } else {
                self.at_least(node, -limit);
            }
        }
    }

    fn clauses_and_gaps(&mut self) {
        for [(a, ta), (b, tb)] in self.clauses.clone() {
            if self.refutes(a, ta) {
                self.assume(b, tb);
            } else if self.refutes(b, tb) {
                self.assume(a, ta);
            }
        }
        for (a, b) in self.unequal.clone() {
            if self.distance(a, b) == Some(0) {
                self.edge(a, b, -1);
            }
            if self.distance(b, a) == Some(0) {
                self.edge(b, a, -1);
            }
        }
    }

    /// The least `w` known with `a - b <= w`.
    pub(crate) fn distance(&self, a: usize, b: usize) -> Option<i64> {
        if a == b {
            return Some(0);
        }
        self.paths(Some(b)).0[a]
    }

    /// For every node `x`, the least known `w` with `x - from <= w`; from everywhere at once where
    /// `from` is absent. The flag says that some sum around a cycle is below 0.
    fn paths(&self, from: Option<usize>) -> (Vec<Option<i64>>, bool) {
        let start = if from.is_some() { None } else { Some(0) };
        let mut best: Vec<Option<i64>> = vec![start; self.terms.len()];
        if let Some(from) = from {
            best[from] = Some(0);
        }
        let mut moved = true;
        for _ in 0..=self.terms.len() {
            moved = false;
            let mut relax = |best: &mut Vec<Option<i64>>, a: usize, b: usize, w: i64| {
                if let Some(d) = best[b]
                    && best[a].is_none_or(|old| d + w < old)
                {
                    best[a] = Some(d + w);
                    moved = true;
                }
            };
            for (&(a, b), &w) in &self.edges {
                relax(&mut best, a, b, w);
            }
            for (node, &(lo, hi)) in self.range.iter().enumerate().skip(1) {
                relax(&mut best, node, 0, hi);
                relax(&mut best, 0, node, -lo);
            }
            if !moved {
                break;
            }
        }
        (best, moved)
    }

    /// Whether `a - b <= w` follows from the premises.
    pub(crate) fn proves(&mut self, a: Term, b: Term, w: i64) -> bool {
        if self.absurd {
            return true;
        }
        let (a, b) = (self.node(a), self.node(b));
        self.distance(a, b).is_some_and(|d| d <= w)
    }

    /// The least `w` known with `a - b <= w`.
    pub(crate) fn gap(&mut self, a: Term, b: Term) -> Option<i64> {
        let (a, b) = (self.node(a), self.node(b));
        self.distance(a, b)
    }

    /// The range of a node.
    pub(super) fn range_at(&self, at: usize) -> (i64, i64) {
        self.range[at]
    }

    /// The range of a value.
    pub(crate) fn range_of(&mut self, v: Value) -> (i64, i64) {
        let at = self.value(v);
        self.range[at]
    }

    /// Whether a boolean is known, and what it is.
    pub(crate) fn truth(&self, v: Value) -> Option<bool> {
        self.known.get(&v).copied()
    }

    fn define(&mut self, at: usize) {
        let world = self.world;
        let v = match self.terms[at] {
            Term::Value(v) => v,
            Term::Zero | Term::Length(_) => return,
        };
        match world.b.def(v) {
            Def::Const(c) => {
                let n = match c.ty {
                    Scalar::I32 => i64::from(c.bits as i32),
                    Scalar::U32 | Scalar::F32 | Scalar::Bool => i64::from(c.bits),
                };
                self.within(at, n, n);
            }
            Def::Scalar(op, args) => self.define_op(at, *op, args),
            Def::If { cond, then, els } => self.define_choice(at, *cond, *then, *els),
            Def::Counted { lo, hi } => {
                let (lo, hi) = (self.value(*lo), self.value(*hi));
                self.edge(lo, at, 0);
                self.edge(at, hi, 0);
            }
            Def::External | Def::Leaf => self.define_root(at, v),
            Def::LoopParam { .. } | Def::LoopResult { .. } => {}
        }
    }

    fn define_root(&mut self, at: usize, v: Value) {
        match (self.world.roots.get(&v), self.world.rule) {
            (Some(Root::Index), Rule::Map { primary }) => {
                self.at_least(at, 1);
                if self.rule {
                    let length = self.node(Term::Length(primary));
                    self.edge(at, length, 0);
                }
            }
            (Some(Root::Lane), Rule::Groups { size, .. }) => {
                self.within(at, 0, i64::from(size) - 1);
            }
            (Some(Root::Group), Rule::Groups { .. }) if self.rule => self.define_group(at),
            _ => {}
        }
    }

    fn define_choice(&mut self, at: usize, cond: Value, then: Value, els: Value) {
        if self.world.b.ty(then) == Scalar::Bool || self.world.b.ty(then) == Scalar::F32 {
            return;
        }
        let (t, e) = (self.value(then), self.value(els));
        match self.truth(cond) {
            Some(true) => self.equal(at, t),
            Some(false) => self.equal(at, e),
            None => {
                let (a, b) = (self.range[t], self.range[e]);
                self.within(at, a.0.min(b.0), a.1.max(b.1));
            }
        }
    }

    fn define_op(&mut self, at: usize, op: ScalarOp, args: &[Value]) {
        use ScalarOp as O;
        let world = self.world;
        let nodes: Vec<usize> = args
            .iter()
            .filter(|v| world.is_integer(**v))
            .map(|v| self.value(*v))
            .collect();
        match (op, nodes.as_slice()) {
            (O::U32Add | O::I32Add, &[a, b]) => self.define_add(at, a, b),
            (O::U32Sub | O::I32Sub, &[a, b]) => self.define_sub(at, a, b),
            (O::U32Mul, &[a, b]) => self.define_mul(at, a, b, args),
            (O::I32Mul, &[a, b]) => self.define_signed_mul(at, a, b),
            (O::U32Div, &[a, b]) => self.define_div(at, a, b),
            (O::I32Div, &[a, b]) if self.range[a].0 >= 0 && self.range[b].0 >= 1 => {
                self.define_div(at, a, b);
            }
            (O::U32Mod, &[a, b]) => self.define_mod(at, a, b),
            (O::I32Mod, &[a, b]) if self.range[b].0 >= 1 => {
                let most = self.range[b].1 - 1;
                self.within(at, -most, most);
                if self.range[a].0 >= 0 {
                    self.define_mod(at, a, b);
                    self.at_least(at, 0);
                }
            }
            (O::U32Min | O::I32Min, &[a, b]) => {
                self.edge(at, a, 0);
                self.edge(at, b, 0);
                let lo = self.range[a].0.min(self.range[b].0);
                self.at_least(at, lo);
            }
            (O::U32Max | O::I32Max, &[a, b]) => {
                self.edge(a, at, 0);
                self.edge(b, at, 0);
                let hi = self.range[a].1.max(self.range[b].1);
                self.at_most(at, hi);
            }
            (O::U32And, &[a, b]) => {
                self.edge(at, a, 0);
                self.edge(at, b, 0);
            }
            (O::I32And, &[a, b]) => {
                for side in [a, b] {
                    if self.range[side].0 >= 0 {
                        self.at_least(at, 0);
                        self.edge(at, side, 0);
                    }
                }
            }
            (O::U32Or | O::U32Xor, &[a, b]) => {
                let most = self.range[a].1.max(self.range[b].1).max(0) as u64;
                self.at_most(at, (most + 1).next_power_of_two() as i64 - 1);
            }
            (O::U32Shl, &[a, b]) => self.define_shl(at, a, b),
            (O::U32Shr | O::I32Shr, &[a, b]) if self.range[b].0 == self.range[b].1 => {
                let by = self.range[b].0 & 31;
                let (lo, hi) = self.range[a];
                self.within(at, lo >> by, hi >> by);
                if lo >= 0 {
                    self.edge(at, a, 0);
                }
            }
            (O::U32Shr, &[a, _]) => self.edge(at, a, 0),
            (O::U32Popcount | O::U32LeadingZeros | O::U32TrailingZeros, _) => {
                self.within(at, 0, 32);
            }
            (O::U32MulHigh, &[a, b]) => {
                let most = i128::from(self.range[a].1) * i128::from(self.range[b].1);
                self.at_most(at, (most >> 32) as i64);
            }
            (O::U32FromI32, &[a]) if self.range[a].0 >= 0 || self.range[at].1 <= I32_MAX => {
                self.equal(at, a);
            }
            (O::I32FromU32, &[a]) if self.range[a].1 <= I32_MAX || self.range[at].0 >= 0 => {
                self.equal(at, a);
            }
            (O::U32Select | O::I32Select, _) => {
                self.define_choice(at, args[0], args[1], args[2]);
            }
            _ => {}
        }
    }

    fn limits(&self, at: usize) -> (i64, i64) {
        match self.terms[at] {
            Term::Value(v) if self.world.b.ty(v) == Scalar::I32 => (I32_MIN, I32_MAX),
            _ => (0, MAX),
        }
    }

    fn define_add(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.range[a], self.range[b]);
        let (least, most) = self.limits(at);
        if !(self.trusting || alo + blo >= least && ahi + bhi <= most) {
            return;
        }
        self.within(at, (alo + blo).max(least), (ahi + bhi).min(most));
        self.edge(at, a, bhi);
        self.edge(a, at, -blo);
        self.edge(at, b, ahi);
        self.edge(b, at, -alo);
    }

    fn define_sub(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.range[a], self.range[b]);
        let (least, most) = self.limits(at);
        let gap = self.distance(b, a).unwrap_or(MAX);
        let low = (alo - bhi).max(-gap);
        if !(self.trusting || low >= least && ahi - blo <= most) {
            return;
        }
        self.within(at, low.max(least), (ahi - blo).min(most));
        self.edge(at, a, -blo);
        self.edge(a, at, bhi);
    }

    fn define_mul(&mut self, at: usize, a: usize, b: usize, args: &[Value]) {
        let exact = self.define_group_mul(at, a, b, args);
        let ((alo, ahi), (blo, bhi)) = (self.range[a], self.range[b]);
        let most = i128::from(ahi) * i128::from(bhi);
        let part = self.is_quotient_times(args);
        if let Some(whole) = part {
            let whole = self.value(whole);
            self.edge(at, whole, 0);
        }
        // That a comparison bounds the product from above does not say that it did not wrap.
        if most > i128::from(MAX) && part.is_none() && !exact {
            return;
        }
        self.at_least(at, alo.saturating_mul(blo).min(MAX));
        if let Ok(most) = i64::try_from(most) {
            self.at_most(at, most);
        }
        if blo >= 1 {
            self.edge(a, at, 0);
        }
        if alo >= 1 {
            self.edge(b, at, 0);
        }
    }

    /// `(x div c) * c` for one constant `c`: never above `x`, so it cannot wrap.
    fn is_quotient_times(&self, args: &[Value]) -> Option<Value> {
        let by = |v: Value| self.world.b.as_const(v).map(|c| c.bits);
        for (q, c) in [(args[0], args[1]), (args[1], args[0])] {
            if let (Def::Scalar(ScalarOp::U32Div, inner), Some(c)) = (self.world.b.def(q), by(c))
                && by(inner[1]) == Some(c)
            {
                return Some(inner[0]);
            }
        }
        None
    }

    fn define_signed_mul(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.range[a], self.range[b]);
        let all = [alo * blo, alo * bhi, ahi * blo, ahi * bhi];
        let lo = all.into_iter().fold(i64::MAX, i64::min);
        let hi = all.into_iter().fold(i64::MIN, i64::max);
        if lo >= I32_MIN && hi <= I32_MAX {
            self.within(at, lo, hi);
        }
    }

    fn define_div(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.range[a], self.range[b]);
        self.edge(at, a, 0);
        if blo >= 1 {
            self.within(at, alo / bhi, ahi / blo);
        }
    }

    fn define_mod(&mut self, at: usize, a: usize, b: usize) {
        self.edge(at, a, 0);
        let (blo, bhi) = self.range[b];
        self.at_most(at, (bhi - 1).max(0));
        if blo >= 1 {
            self.edge(at, b, -1);
        }
    }

    fn define_shl(&mut self, at: usize, a: usize, b: usize) {
        let (lo, hi) = self.range[a];
        let by = self.range[b];
        if by.0 == by.1 && hi << (by.0 & 31) <= MAX {
            let by = by.0 & 31;
            self.within(at, lo << by, hi << by);
            self.edge(a, at, 0);
        }
    }
}
