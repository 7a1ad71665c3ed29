//! Loops: assigned locals become parameters, `break` and `return` a boolean that the body yields.

use super::branch::{Live, Seq, into_nodes};
use super::exits::{assigned, breaks, locals_of, returns};
use super::state::Lower;
use super::turns::Carried;
use crate::proof::reason::{Premises, Reasoner, Term};
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{Scalar, Value};
use nupp_core::ir::flow::{LoopKind, Termination};
use nupp_core::ir::kernel::{Leaf, Node, NodeSeq, Repeat, SourceRegion};
use nupp_core::ir::op::ScalarOp;
use nupp_front::hir::{Block, Expr, LocalId, Stmt, StmtKind};

/// A loop while its parts are made.
struct Shape {
    /// The slots that are parameters.
    slots: Vec<usize>,
    /// What they start as, field by field.
    init: Vec<Value>,
    /// The parameters.
    params: Vec<Value>,
    /// Whether the body yields a boolean first.
    breaks: bool,
    /// Whether a `return` stands in it.
    returns: bool,
}

impl<'a> Lower<'a> {
    /// A loop. Gives the boolean that says whether it returned, where a `return` stands in it.
    pub(super) fn repeat(&mut self, stmt: &'a Stmt) -> Option<Value> {
        self.open_turns(stmt);
        match &stmt.kind {
            StmtKind::While(cond, body) => self.while_loop(cond, body),
            StmtKind::Repeat(body, until) => self.repeat_loop(body, until),
            StmtKind::For { var, lo, hi, body } => self.counted_loop(*var, lo, hi, body),
            StmtKind::Let(..)
            | StmtKind::Assign(_)
            | StmtKind::If(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Do(_)
            | StmtKind::Return(_)
            | StmtKind::Call(..)
            | StmtKind::Scatter { .. }
            | StmtKind::Run { .. }
            | StmtKind::Tree { .. } => None,
        }
    }

    /// Makes the parameters and enters the loop: from here on the locals hold them.
    fn enter_loop(
        &mut self,
        body: &'a Block,
        always_breaks: bool,
        except: Option<LocalId>,
    ) -> Shape {
        let (leaves, returns) = (breaks(body), returns(body));
        let mut slots: Vec<usize> = assigned(body)
            .into_iter()
            .filter(|id| Some(*id) != except)
            .map(LocalId::index)
            .filter(|slot| self.get(*slot).is_some())
            .collect();
        if returns {
            self.prepare_return(&mut slots);
        }
        let mut init = Vec::new();
        for slot in &slots {
            init.extend(self.get(*slot).cloned().unwrap_or_default());
        }
        let breaks = always_breaks || leaves || returns;
        let depth = self.frame().loops;
        let broken = self.frame().broken(depth);
        if leaves || returns {
            let no = self.boolean(false);
            self.set(broken, vec![no]);
        }
        let params = self.world.b.loop_params(&init);
        let shape = Shape {
            slots,
            init,
            params,
            breaks,
            returns,
        };
        self.spread(&shape.slots, &shape.params);
        self.numbers.open();
        self.frame_mut().loops += 1;
        shape
    }

    /// A `return` in a loop needs a flag and a result that are parameters.
    fn prepare_return(&mut self, slots: &mut Vec<usize>) {
        let (returned, result) = (self.frame().returned(), self.frame().result());
        let no = self.boolean(false);
        self.set(returned, vec![no]);
        slots.push(returned);
        if let Some(ty) = self.frame().func.result {
            if self.get(result).is_none() {
                let zeros = self.zeros(ty);
                self.set(result, zeros);
            }
            slots.push(result);
        }
    }

    /// Puts values, field by field, into slots.
    fn spread(&mut self, slots: &[usize], values: &[Value]) {
        let mut next = values.iter().copied();
        for slot in slots {
            let width = self.get(*slot).map_or(0, Vec::len);
            let val = next.by_ref().take(width).collect();
            self.set(*slot, val);
        }
    }

    /// What the body hands on: whether to go on, where it says so, and the next parameters.
    fn yields(&mut self, shape: &Shape, go_on: Option<Value>) -> Vec<Value> {
        let mut yields: Vec<Value> = go_on.into_iter().collect();
        for slot in &shape.slots {
            yields.extend(self.get(*slot).cloned().unwrap_or_default());
        }
        yields
    }

    /// Whether the turn ended without a `break` or `return`.
    fn unbroken(&mut self) -> Option<Value> {
        let depth = self.frame().loops - 1;
        let slot = self.frame().broken(depth);
        let broken = self.get(slot).map(|v| v[0])?;
        Some(self.not(broken))
    }

    /// Appends the loop, and gives the locals their last values.
    fn leave_loop(
        &mut self,
        kind: LoopKind<Leaf>,
        shape: Shape,
        body: Seq,
        yields: Vec<Value>,
    ) -> Option<Value> {
        self.numbers.close();
        let depth = self.frame().loops - 1;
        self.frame_mut().loops = depth;
        let broken = self.frame().broken(depth);
        if let Some(slot) = self.env().get_mut(broken) {
            *slot = None;
        }
        let Shape {
            slots,
            init,
            params,
            breaks,
            returns,
        } = shape;
        let carried = Carried::new(&kind, &params, &init, &yields);
        let results = match body {
            Seq::Plain(region) => {
                let body = SourceRegion { yields, ..region };
                self.world.b.loop_(kind, params, init, body, breaks)
            }
            nodes @ Seq::Nodes(_) => {
                let results = self.world.b.loop_results(&init);
                let body = NodeSeq {
                    nodes: into_nodes(nodes),
                    yields,
                };
                let whole = Repeat {
                    kind,
                    params,
                    init,
                    body,
                    breaks,
                    results: results.clone(),
                };
                self.push_node(Node::Repeat(Box::new(whole)));
                results
            }
        };
        self.close_turns(carried, &results);
        self.spread(&slots, &results);
        let returned = self.frame().returned();
        if returns {
            self.get(returned).map(|v| v[0])
        } else {
            None
        }
    }

    /// Builds a loop's body; the locals after it are the ones it leaves.
    fn body(&mut self, inside: impl FnOnce(&mut Self) -> Vec<Value>) -> (Seq, Vec<Value>) {
        let before = self.frame().env.clone();
        self.open_seq();
        let yields = inside(self);
        let seq = self.close_seq();
        *self.env() = before;
        (seq, yields)
    }

    fn while_loop(&mut self, cond: &'a Expr, body: &'a Block) -> Option<Value> {
        let shape = self.enter_loop(body, false, None);
        self.world.b.open();
        let test = self.scalar(cond);
        let test_region = self.world.b.close(vec![test]);
        let mut class = Termination::Unproved;
        let (seq, yields) = self.body(|this| {
            this.given(test, true, Some(cond), |this| {
                this.seq(&body.stmts, None, false);
                let go_on = if shape.breaks { this.unbroken() } else { None };
                let yields = this.yields(&shape, go_on);
                class = this.termination(&shape, &yields);
                yields
            })
        });
        let kind = LoopKind::While {
            cond: test_region,
            class,
        };
        self.leave_loop(kind, shape, seq, yields)
    }

    /// The body runs first: the condition is always true, and the body says whether to go on.
    fn repeat_loop(&mut self, body: &'a Block, until: &'a Expr) -> Option<Value> {
        let shape = self.enter_loop(body, true, None);
        self.world.b.open();
        let always = self.world.b.bool(true);
        let cond = self.world.b.close(vec![always]);
        let leaves = breaks(body) || returns(body);
        let (seq, yields) = self.body(|this| {
            if leaves {
                this.declare_ahead(body, until);
            }
            this.seq(&body.stmts, None, false);
            let go_on = match this.unbroken() {
                Some(unbroken) if leaves => this.unless_done(unbroken, until),
                _ => {
                    let done = this.scalar(until);
                    this.not(done)
                }
            };
            this.yields(&shape, Some(go_on))
        });
        let kind = LoopKind::While {
            cond,
            class: Termination::Unproved,
        };
        self.leave_loop(kind, shape, seq, yields)
    }

    /// The condition of a `repeat` whose turn may have been left: asked only where it was not.
    fn unless_done(&mut self, unbroken: Value, until: &'a Expr) -> Value {
        if super::exits::is_eager(until) {
            let done = self.scalar(until);
            let more = self.not(done);
            return self.op(ScalarOp::BoolAnd, &[unbroken, more]);
        }
        let mut more = None;
        let slot = self.frame().broken(self.frame().loops + 1);
        let then = self.side(|this| {
            let done = this.given(unbroken, true, None, |this| this.scalar(until));
            let value = this.not(done);
            this.set(slot, vec![value]);
            more = Some(value);
            Live::Always
        });
        let els = self.side(|this| {
            let no = this.boolean(false);
            this.set(slot, vec![no]);
            Live::Always
        });
        self.join(unbroken, then, els, false);
        let result = self.get(slot).map(|v| v[0]);
        if let Some(kept) = self.env().get_mut(slot) {
            *kept = None;
        }
        result.unwrap_or(unbroken)
    }

    /// Locals that the condition reads, declared in a body that may be left before: they exist
    /// from the start, so that every path has a value for them.
    fn declare_ahead(&mut self, body: &'a Block, until: &'a Expr) {
        let mut read = Vec::new();
        locals_of(until, &mut read);
        for stmt in &body.stmts {
            if let StmtKind::Let(id, e) = &stmt.kind
                && read.contains(id)
            {
                let zeros = self.zeros(e.ty);
                self.set(id.index(), zeros);
            }
        }
    }

    fn counted_loop(
        &mut self,
        var: LocalId,
        lo: &'a Expr,
        hi: &'a (Expr, i64),
        body: &'a Block,
    ) -> Option<Value> {
        let first = self.scalar(lo);
        let last = self.scalar(&hi.0);
        let (first, last) = self.shifted(first, last, hi.1);
        let shape = self.enter_loop(body, false, Some(var));
        let counter = self.world.b.counted_var(first, last);
        let (seq, yields) = self.body(|this| {
            this.set(var.index(), vec![counter]);
            this.seq(&body.stmts, None, false);
            let go_on = if shape.breaks { this.unbroken() } else { None };
            this.yields(&shape, go_on)
        });
        let kind = LoopKind::Counted {
            var: counter,
            lo: first,
            hi: last,
        };
        self.leave_loop(kind, shape, seq, yields)
    }

    /// The bounds `lo ..= hi + by`, the sum taken without wrapping: where it would fall below the
    /// type the range is empty, where it would rise above it stops at the greatest value.
    fn shifted(&mut self, lo: Value, hi: Value, by: i64) -> (Value, Value) {
        use ScalarOp as O;
        let ty = self.world.b.ty(hi);
        let signed = ty == Scalar::I32;
        let (least, most) = if signed {
            (i64::from(i32::MIN), i64::from(i32::MAX))
        } else {
            (0, i64::from(u32::MAX))
        };
        let number = |this: &mut Self, n: i64| this.constant(ty, n as u32);
        let by = by.clamp(least - most, most - least);
        if by == 0 {
            return (lo, hi);
        }
        let step = number(self, by.abs());
        if by > 0 {
            let top = number(self, most - by);
            let (min, add) = if signed {
                (O::I32Min, O::I32Add)
            } else {
                (O::U32Min, O::U32Add)
            };
            let capped = self.op(min, &[hi, top]);
            return (lo, self.op(add, &[capped, step]));
        }
        let (max, sub, lt) = if signed {
            (O::I32Max, O::I32Sub, O::I32Lt)
        } else {
            (O::U32Max, O::U32Sub, O::U32Lt)
        };
        let bottom = number(self, least - by);
        let raised = self.op(max, &[hi, bottom]);
        let last = self.op(sub, &[raised, step]);
        let empty = self.op(lt, &[hi, bottom]);
        let above = number(self, least + 1);
        (self.select_op(empty, above, lo), last)
    }

    /// Whether some parameter strictly grows or shrinks in every turn, as what holds at the end of
    /// the body shows: then it passes each value of its type at most once, and the loop ends.
    fn termination(&self, shape: &Shape, yields: &[Value]) -> Termination {
        let next = &yields[usize::from(shape.breaks)..];
        let facts = self.known();
        let moves = shape.params.iter().zip(next).any(|(&param, &next)| {
            self.world.is_integer(param)
                && (self.moves(&facts, param, next, true, 8)
                    || self.moves(&facts, param, next, false, 8))
        });
        if moves {
            Termination::Variant
        } else {
            Termination::Unproved
        }
    }

    /// Whether `next` is beyond `param`, on each way that led to it.
    fn moves(
        &self,
        facts: &[(Value, bool)],
        param: Value,
        next: Value,
        up: bool,
        depth: u32,
    ) -> bool {
        if let (Def::If { then, els, .. }, 1..) = (self.world.b.def(next), depth) {
            let (then, els) = (*then, *els);
            return self.moves(facts, param, then, up, depth - 1)
                && self.moves(facts, param, els, up, depth - 1);
        }
        let (from, to) = (Term::Value(param), Term::Value(next));
        let premises = Premises {
            facts: facts.to_vec(),
            ..Premises::default()
        };
        let mut r = Reasoner::new(&self.world, &premises, &[from, to]);
        if r.absurd() {
            // No turn is taken here; what is claimed must follow from a step, not from that.
            return false;
        }
        if up {
            r.proves(from, to, -1)
        } else {
            r.proves(to, from, -1)
        }
    }
}
