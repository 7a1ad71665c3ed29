//! A small prover: differences and ranges of integers, by their mathematical values.
//!
//! Each SSA integer is a node with a range; a comparison that holds is an edge `a - b <= w`. An
//! addition, subtraction or multiplication says something only once its own result is shown not to
//! wrap, so every derived fact is about mathematical values. Rules are applied until nothing
//! changes; a question is a shortest path. Everything proved follows from the premises: facts,
//! guards and, where it is among them, the rule that ties the dispatch to a span's length.

use super::world::{Root, World};

mod define;
mod graph;

use graph::Graph;
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::kernel::LengthCond;
use nupp_core::ir::op::ScalarOp;

/// The greatest uint32.
pub(crate) const MAX: i64 = u32::MAX as i64;
const I32_MAX: i64 = i32::MAX as i64;
const I32_MIN: i64 = i32::MIN as i64;
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
    pub(super) graph: Graph,
    terms: Vec<Term>,
    /// The node of each integer of the kernel that has one.
    values: Vec<Option<usize>>,
    lengths: Vec<(SpanId, usize)>,
    known: Vec<(Value, bool)>,
    clauses: Vec<[(Value, bool); 2]>,
    unequal: Vec<(usize, usize)>,
    pub(super) linear: Vec<Linear>,
}

impl<'a> Reasoner<'a> {
    /// Takes the premises in and draws every conclusion about them and about `about`.
    pub(crate) fn new(world: &'a World, premises: &Premises<'_>, about: &[Term]) -> Self {
        let mut this = Reasoner {
            world,
            rule: premises.rule,
            trusting: premises.trusting,
            graph: Graph::default(),
            terms: Vec::new(),
            values: vec![None; world.b.values.len()],
            lengths: Vec::new(),
            known: Vec::new(),
            clauses: Vec::new(),
            unequal: Vec::new(),
            linear: Vec::new(),
        };
        this.node(Term::Zero);
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
        if let Some(at) = self.node_of(term) {
            return at;
        }
        let at = self.terms.len();
        self.terms.push(term);
        match term {
            Term::Zero => {}
            Term::Length(span) => self.lengths.push((span, at)),
            Term::Value(v) => self.values[v.index()] = Some(at),
        }
        self.graph.add(match term {
            Term::Zero => (0, 0),
            Term::Value(v) if self.world.b.ty(v) == Scalar::I32 => (I32_MIN, I32_MAX),
            Term::Value(_) | Term::Length(_) => (0, MAX),
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

    fn node_of(&self, term: Term) -> Option<usize> {
        match term {
            Term::Zero => (!self.terms.is_empty()).then_some(0),
            Term::Length(span) => self.lengths.iter().find(|l| l.0 == span).map(|l| l.1),
            Term::Value(v) => self.values[v.index()],
        }
    }

    fn value(&mut self, v: Value) -> usize {
        self.node(Term::Value(v))
    }

    /// Takes a boolean's truth and what follows from its definition.
    fn assume(&mut self, value: Value, truth: bool) {
        if let Some(was) = self.truth(value) {
            self.graph.absurd |= was != truth;
            return;
        }
        self.known.push((value, truth));
        self.graph.changed = true;
        let world = self.world;
        match world.b.def(value) {
            Def::Const(c) => self.graph.absurd |= (c.bits != 0) != truth,
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
                    self.graph.equal(a, b);
                } else {
                    self.unequal.push((a, b));
                }
            }
            O::U32Lt | O::I32Lt | O::U32Le | O::I32Le => {
                let (a, b) = (self.value(args[0]), self.value(args[1]));
                let strict = i64::from(matches!(op, O::U32Lt | O::I32Lt));
                if truth {
                    self.graph.edge(a, b, -strict);
                } else {
                    self.graph.edge(b, a, strict - 1);
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
        if let Some(was) = self.truth(value) {
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
                    self.graph.distance(b, a).is_some_and(|w| w < strict)
                } else {
                    self.graph.distance(a, b).is_some_and(|w| w <= -strict)
                }
            }
            _ => false,
        }
    }

    fn close(&mut self) {
        for _ in 0..MAX_ROUNDS {
            self.graph.changed = false;
            let mut at = 0;
            while at < self.terms.len().min(MAX_NODES) && !self.graph.absurd {
                self.define(at);
                at += 1;
            }
            self.tighten();
            self.clauses_and_gaps();
            if !self.graph.changed || self.graph.absurd {
                break;
            }
        }
        self.graph.absurd = self.graph.absurd || self.graph.has_negative_cycle();
    }

    fn tighten(&mut self) {
        self.graph.tighten();
        for at in 0..self.linear.len() {
            self.tighten_linear(at);
        }
    }

    fn tighten_linear(&mut self, at: usize) {
        let terms = self.linear[at].terms.clone();
        let constant = i128::from(self.linear[at].constant);
        let least = |(factor, node): (i64, usize)| {
            let (lo, hi) = self.graph.range[node];
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
                self.graph.at_most(node, limit);
            } else {
                self.graph.at_least(node, -limit);
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
            if self.graph.distance(a, b) == Some(0) {
                self.graph.edge(a, b, -1);
            }
            if self.graph.distance(b, a) == Some(0) {
                self.graph.edge(b, a, -1);
            }
        }
    }

    /// Whether the premises contradict each other.
    pub(crate) fn absurd(&self) -> bool {
        self.graph.absurd
    }

    /// Whether `a - b <= w` follows from the premises.
    pub(crate) fn proves(&mut self, a: Term, b: Term, w: i64) -> bool {
        if self.graph.absurd {
            return true;
        }
        let (a, b) = (self.node(a), self.node(b));
        self.graph.distance(a, b).is_some_and(|d| d <= w)
    }

    /// The least `w` known with `a - b <= w`.
    pub(crate) fn gap(&mut self, a: Term, b: Term) -> Option<i64> {
        let (a, b) = (self.node(a), self.node(b));
        self.graph.distance(a, b)
    }

    /// The range of a value.
    pub(crate) fn range_of(&mut self, v: Value) -> (i64, i64) {
        let at = self.value(v);
        self.graph.range[at]
    }

    /// Whether a boolean is known, and what it is.
    pub(crate) fn truth(&self, v: Value) -> Option<bool> {
        self.known.iter().find(|k| k.0 == v).map(|k| k.1)
    }
}
