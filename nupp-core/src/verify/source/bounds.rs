//! Walks a kernel with everything that is known at each point, and checks there that accesses are
//! in bounds, that certificates name facts, and that loops end where that is claimed.
//!
//! Structure, scopes and ownership were checked before.

use super::facts::{Facts, Mark};
use super::guards;
use super::linear::{Linear, Term};
use super::loops;
use super::range::{Interval, U32_MAX};
use super::{ensure, places};
use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::flow::{Loop, LoopKind, Op, Termination};
use crate::ir::kernel::{
    Body, Combine, Groups, GuardCond, Kernel, Leaf, Node, NodeSeq, Repeat, SourceInst, SourceRegion,
};
use crate::verify::VerifyError;

type Check = Result<(), VerifyError>;

pub fn check(kernel: &Kernel) -> Check {
    let mut bounds = Bounds {
        kernel,
        facts: Facts::new(&kernel.values),
        groups: None,
        local: None,
    };
    bounds.guards()?;
    match &kernel.body {
        Body::Map {
            primary,
            index,
            region,
        } => {
            bounds.map_index(*primary, *index);
            bounds.region(region)
        }
        Body::Groups(groups) => {
            bounds.groups = Some(groups);
            bounds.group_number(groups);
            bounds.nodes(&groups.nodes)
        }
    }
}

/// The walk; `places` checks each access with it.
pub struct Bounds<'a> {
    pub kernel: &'a Kernel,
    pub facts: Facts<'a>,
    pub groups: Option<&'a Groups>,
    /// The lane number of the phase that is walked.
    pub local: Option<Value>,
}

/// The length of a span as a sum.
pub fn length(span: SpanId) -> Linear {
    Linear::term(Term::Length(span))
}

impl<'a> Bounds<'a> {
    fn ty(&self, value: Value) -> Scalar {
        self.kernel.values[value.index()].ty
    }

    /// Guards hold before anything runs, and their values stay visible to proofs.
    fn guards(&mut self) -> Check {
        for guard in &self.kernel.guards {
            match &guard.cond {
                GuardCond::Lengths(cond) => {
                    let mut sums = Vec::new();
                    guards::implied(cond, true, &mut sums);
                    sums.into_iter().for_each(|sum| self.facts.add(sum));
                }
                GuardCond::Scalar(region) => {
                    self.region(region)?;
                    for &value in &region.yields {
                        self.facts.assume(value, true);
                    }
                }
            }
        }
        Ok(())
    }

    /// `1 <= index <= #primary`.
    fn map_index(&mut self, primary: SpanId, index: Value) {
        self.facts.define_range(index, Interval::new(1, U32_MAX));
        let sum = self.facts.atom(index).minus(&length(primary));
        sum.into_iter().for_each(|sum| self.facts.add(sum));
    }

    /// `group < floor(#span / divisor)`, or the quotient rounded up; groups times the divisor are
    /// at most 2^32 either way, since the launch is refused where they are not.
    fn group_number(&mut self, groups: &Groups) {
        let divisor = i128::from(groups.rule.divisor);
        let most = if groups.rule.ceil {
            ((U32_MAX + divisor - 1) / divisor).min((U32_MAX + 1) / divisor)
        } else {
            U32_MAX / divisor
        };
        let interval = Interval::new(0, (most - 1).max(0));
        self.facts.define_range(groups.group, interval);
        // Down: divisor * group + divisor <= #span. Up: divisor * group + 1 <= #span.
        let past = if groups.rule.ceil { 1 } else { divisor };
        let sum = self.facts.atom(groups.group);
        let sum = sum.combine(divisor, &length(groups.rule.span), -1);
        let sum = sum.and_then(|sum| sum.plus(past));
        sum.into_iter().for_each(|sum| self.facts.add(sum));
    }

    fn region(&mut self, region: &'a SourceRegion) -> Check {
        let mut insts = region.insts.iter();
        insts.try_for_each(|inst| self.instruction(inst))
    }

    /// The intervals of values here.
    fn ranges(&self, values: &[Value]) -> Vec<Interval> {
        values.iter().map(|&v| self.facts.range(v)).collect()
    }

    fn instruction(&mut self, inst: &'a SourceInst) -> Check {
        match (&inst.op, inst.results.as_slice()) {
            (Op::Const(c), &[value]) => self.facts.define_const(value, *c),
            (Op::Scalar(op, args), &[value]) => self.facts.define_scalar(value, *op, args),
            (Op::Leaf(leaf), results) => {
                let usual = places::leaf(self, leaf);
                if usual.is_err() {
                    self.retry(leaf)?;
                }
                match (leaf, results) {
                    (Leaf::Length(span), &[value]) => self.facts.define_length(value, *span),
                    (Leaf::Uniform(id), &[value]) => self.facts.define_uniform(value, *id),
                    _ => {}
                }
            }
            (Op::If { cond, then, els }, results) => {
                let sides = [
                    self.side(*cond, true, |b| b.region(then), &then.yields)?,
                    self.side(*cond, false, |b| b.region(els), &els.yields)?,
                ];
                self.joined(*cond, [&then.yields, &els.yields], &sides, results);
            }
            (Op::Loop(inner), results) => self.loop_(inner, results)?,
            // The structure was checked: these have one result.
            (Op::Const(_) | Op::Scalar(..), _) => {}
        }
        Ok(())
    }

    /// Checks an access once more, with a greater effort.
    fn retry(&mut self, leaf: &Leaf) -> Check {
        self.facts.make_effort(true);
        let found = places::leaf(self, leaf);
        self.facts.make_effort(false);
        found
    }

    /// Walks a side of a choice and gives the intervals of what it yields.
    fn side(
        &mut self,
        cond: Value,
        truth: bool,
        body: impl FnOnce(&mut Self) -> Check,
        yields: &[Value],
    ) -> Result<Vec<Interval>, VerifyError> {
        let mark = self.facts.open();
        self.facts.assume(cond, truth);
        body(self)?;
        let ranges = self.ranges(yields);
        self.facts.close(mark);
        Ok(ranges)
    }

    fn joined(
        &mut self,
        cond: Value,
        yields: [&[Value]; 2],
        sides: &[Vec<Interval>; 2],
        results: &[Value],
    ) {
        let yields = yields[0].iter().zip(yields[1]);
        let ranges = sides[0].iter().zip(&sides[1]);
        for ((&result, (&then, &els)), (a, b)) in results.iter().zip(yields).zip(ranges) {
            self.facts.define_if(result, [cond, then, els], a.join(*b));
        }
    }

    fn loop_(&mut self, inner: &'a Loop<Leaf>, results: &'a [Value]) -> Check {
        let turn = Turn {
            kind: &inner.kind,
            params: &inner.params,
            init: &inner.init,
            yields: &inner.body.yields,
            breaks: inner.breaks,
            results,
        };
        let mark = self.begin(&turn)?;
        self.region(&inner.body)?;
        self.end(&turn, mark)
    }

    /// Opens a turn of a loop, up to its body.
    fn begin(&mut self, turn: &Turn<'a>) -> Result<Mark, VerifyError> {
        let mark = self.facts.open();
        match turn.kind {
            LoopKind::Counted { var, lo, hi } => {
                let (from, to) = (self.facts.range(*lo), self.facts.range(*hi));
                if from.lo <= to.hi {
                    let interval = Interval::new(from.lo, to.hi);
                    self.facts.define_range(*var, interval);
                }
                let var = self.facts.atom(*var);
                let (lo, hi) = (self.facts.sum(*lo), self.facts.sum(*hi));
                let both = [lo.minus(&var), var.minus(&hi)];
                both.into_iter()
                    .flatten()
                    .for_each(|sum| self.facts.add(sum));
                self.facts.settle();
            }
            LoopKind::While { cond, .. } => {
                self.region(cond)?;
                for &go_on in &cond.yields {
                    self.facts.assume(go_on, true);
                }
            }
        }
        Ok(mark)
    }

    /// Closes a turn: what a parameter ends as is what it started as or what some turn yields.
    fn end(&mut self, turn: &Turn<'a>, mark: Mark) -> Check {
        let next = &turn.yields[usize::from(turn.breaks)..];
        if let LoopKind::While {
            class: Termination::Variant,
            ..
        } = turn.kind
        {
            let types: Vec<Scalar> = turn.params.iter().map(|&p| self.ty(p)).collect();
            let ends = loops::has_variant(&self.facts, turn.params, next, &types);
            ensure!(
                ends,
                "termination",
                "no parameter of a loop strictly grows or shrinks"
            );
        }
        let yields = self.ranges(next);
        self.facts.close(mark);
        let init = self.ranges(turn.init);
        for ((&result, a), b) in turn.results.iter().zip(init).zip(yields) {
            self.facts.define_range(result, a.join(b));
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &'a [Node]) -> Check {
        nodes.iter().try_for_each(|node| self.node(node))
    }

    fn node(&mut self, node: &'a Node) -> Check {
        match node {
            Node::Inst(inst) => self.instruction(inst),
            Node::Phase(phase) => {
                let mark = self.facts.open();
                let size = self.groups.map_or(1, |groups| groups.size);
                let lanes = Interval::new(0, i128::from(size) - 1);
                self.facts.define_range(phase.local, lanes);
                self.local = Some(phase.local);
                self.region(&phase.region)?;
                self.local = None;
                self.facts.close(mark);
                Ok(())
            }
            Node::Tree(tree) => match &tree.combine {
                Combine::Op(_) => Ok(()),
                Combine::Region { region, .. } => {
                    let mark = self.facts.open();
                    self.region(region)?;
                    self.facts.close(mark);
                    Ok(())
                }
            },
            Node::Repeat(repeat) => self.repeat(repeat),
            Node::Select {
                cond,
                then,
                els,
                results,
            } => self.select(*cond, then, els, results),
        }
    }

    fn select(
        &mut self,
        cond: Value,
        then: &'a NodeSeq,
        els: &'a NodeSeq,
        results: &[Value],
    ) -> Check {
        let sides = [
            self.side(cond, true, |b| b.nodes(&then.nodes), &then.yields)?,
            self.side(cond, false, |b| b.nodes(&els.nodes), &els.yields)?,
        ];
        self.joined(cond, [&then.yields, &els.yields], &sides, results);
        Ok(())
    }

    fn repeat(&mut self, repeat: &'a Repeat) -> Check {
        let turn = Turn {
            kind: &repeat.kind,
            params: &repeat.params,
            init: &repeat.init,
            yields: &repeat.body.yields,
            breaks: repeat.breaks,
            results: &repeat.results,
        };
        let mark = self.begin(&turn)?;
        self.nodes(&repeat.body.nodes)?;
        self.end(&turn, mark)
    }
}

/// What the two kinds of loops share.
struct Turn<'a> {
    kind: &'a LoopKind<Leaf>,
    params: &'a [Value],
    init: &'a [Value],
    yields: &'a [Value],
    breaks: bool,
    results: &'a [Value],
}
