//! Instructions, choices and loops, of lanes and of the controller.

use super::{EvalError, Lane, LaneOrder, Machine};
use crate::eval::scalar::apply3;
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Loop, LoopKind, Op};
use crate::ir::kernel::{Groups, Leaf, Node, NodeSeq, Phase, Repeat, SourceInst, SourceRegion};
use crate::ir::op::ScalarOp;

type Step = Result<(), EvalError>;

impl<'a> Machine<'a> {
    pub(super) fn region(&mut self, region: &'a SourceRegion) -> Step {
        for inst in &region.insts {
            self.instruction(inst)?;
        }
        Ok(())
    }

    fn tick(&mut self) -> Step {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(EvalError::Budget {
                budget: self.budget,
            }),
        }
    }

    fn scalar(&self, op: ScalarOp, args: &[Value]) -> u32 {
        match *args {
            [a] => apply3(op, self.get(a), 0, 0),
            [a, b] => apply3(op, self.get(a), self.get(b), 0),
            [a, b, c] => apply3(op, self.get(a), self.get(b), self.get(c)),
            // The verifier counted the operands.
            _ => 0,
        }
    }

    fn instruction(&mut self, inst: &'a SourceInst) -> Step {
        self.tick()?;
        match &inst.op {
            Op::Const(c) => self.set(inst.results[0], c.bits),
            Op::Scalar(op, args) => {
                let word = self.scalar(*op, args);
                self.set(inst.results[0], word);
            }
            Op::Leaf(leaf) => return self.leaf(leaf, &inst.results),
            Op::If { cond, then, els } => {
                let side = if self.get(*cond) != 0 { then } else { els };
                self.region(side)?;
                self.copy(&side.yields, &inst.results);
            }
            Op::Loop(inner) => return self.loop_(inner, &inst.results),
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &'a Leaf, results: &[Value]) -> Step {
        match leaf {
            Leaf::Uniform(id) => self.set(results[0], self.uniforms[id.index()]),
            Leaf::Length(span) => self.set(results[0], self.lengths[span.index()]),
            Leaf::Load { place, field } => {
                let word = self.load(place, *field)?;
                self.set(results[0], word);
            }
            Leaf::Store {
                place,
                field,
                value,
            } => return self.store(place, *field, self.get(*value)),
            Leaf::Scatter {
                span,
                index,
                values,
                ..
            } => return self.scatter(*span, self.get(*index), values),
        }
        Ok(())
    }

    /// Copies values; no result is among the sources.
    fn copy(&mut self, from: &[Value], to: &[Value]) {
        for (&from, &to) in from.iter().zip(to) {
            self.set(to, self.get(from));
        }
    }

    /// Hands on next parameters, all at once: one parameter may be yielded as another.
    fn hand_on(&mut self, next: &[Value], params: &[Value]) {
        match (next, params) {
            (&[next], &[param]) => self.set(param, self.get(next)),
            _ => {
                let words: Vec<u32> = next.iter().map(|&v| self.get(v)).collect();
                for (&param, word) in params.iter().zip(words) {
                    self.set(param, word);
                }
            }
        }
    }

    fn loop_(&mut self, inner: &'a Loop<Leaf>, results: &[Value]) -> Step {
        let turns = Turns {
            kind: &inner.kind,
            params: &inner.params,
            init: &inner.init,
            yields: &inner.body.yields,
            breaks: inner.breaks,
            results,
        };
        self.turns(&turns, |machine| machine.region(&inner.body))
    }

    /// Runs a loop of either level.
    fn turns(&mut self, turns: &Turns<'a, '_>, mut body: impl FnMut(&mut Self) -> Step) -> Step {
        self.hand_on(turns.init, turns.params);
        match turns.kind {
            LoopKind::Counted { var, lo, hi } => {
                let (mut at, last) = (self.number(*lo), self.number(*hi));
                while at <= last {
                    self.set(*var, at as u32);
                    if !self.turn(turns, &mut body)? {
                        break;
                    }
                    at += 1;
                }
            }
            LoopKind::While { cond, .. } => loop {
                self.region(cond)?;
                if self.get(cond.yields[0]) == 0 || !self.turn(turns, &mut body)? {
                    break;
                }
            },
        }
        self.copy(turns.params, turns.results);
        Ok(())
    }

    /// One turn; gives whether another may follow.
    fn turn(
        &mut self,
        turns: &Turns<'a, '_>,
        body: &mut impl FnMut(&mut Self) -> Step,
    ) -> Result<bool, EvalError> {
        // A turn counts by itself, so that an empty loop ends as well.
        self.tick()?;
        body(self)?;
        let go_on = !turns.breaks || self.get(turns.yields[0]) != 0;
        self.hand_on(&turns.yields[usize::from(turns.breaks)..], turns.params);
        Ok(go_on)
    }

    /// A bound of a counted loop by mathematical value.
    fn number(&self, value: Value) -> i64 {
        let word = self.get(value);
        match self.types[value.index()] {
            Scalar::I32 => i64::from(word as i32),
            Scalar::U32 | Scalar::F32 | Scalar::Bool => i64::from(word),
        }
    }

    pub(super) fn nodes(
        &mut self,
        nodes: &'a [Node],
        groups: &'a Groups,
        order: LaneOrder,
    ) -> Step {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst)?,
                Node::Phase(phase) => self.phase(phase, groups, order)?,
                Node::Tree(tree) => self.tree(tree, groups)?,
                Node::Repeat(repeat) => self.repeat(repeat, groups, order)?,
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => {
                    let side = if self.get(*cond) != 0 { then } else { els };
                    self.sequence(side, groups, order)?;
                    self.copy(&side.yields, results);
                }
            }
        }
        Ok(())
    }

    fn sequence(&mut self, seq: &'a NodeSeq, groups: &'a Groups, order: LaneOrder) -> Step {
        self.tick()?;
        self.nodes(&seq.nodes, groups, order)
    }

    fn repeat(&mut self, repeat: &'a Repeat, groups: &'a Groups, order: LaneOrder) -> Step {
        let turns = Turns {
            kind: &repeat.kind,
            params: &repeat.params,
            init: &repeat.init,
            yields: &repeat.body.yields,
            breaks: repeat.breaks,
            results: &repeat.results,
        };
        self.turns(&turns, |machine| {
            machine.nodes(&repeat.body.nodes, groups, order)
        })
    }

    fn phase(&mut self, phase: &'a Phase, groups: &'a Groups, order: LaneOrder) -> Step {
        let group = self.lane.group;
        let salt = u64::from(group) << 20 | (u64::from(phase.id.0) + 2);
        for local in order.lanes(groups.size, salt) {
            self.lane = Lane {
                local,
                group,
                global: u64::from(group) * u64::from(groups.size) + u64::from(local),
            };
            self.set(phase.local, local);
            self.region(&phase.region)?;
        }
        Ok(())
    }
}

/// What the two kinds of loops share.
struct Turns<'a, 'r> {
    kind: &'a LoopKind<Leaf>,
    params: &'a [Value],
    init: &'a [Value],
    yields: &'a [Value],
    breaks: bool,
    results: &'r [Value],
}
