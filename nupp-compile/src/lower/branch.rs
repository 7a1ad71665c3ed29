//! Branches and how they join: what differs after the two sides becomes a result of the `if`.
//!
//! In a controller a side may hold phases; then the choice is a node instead of an instruction.

use super::state::{Env, Lower, Val};
use nupp_core::ir::entity::{Scalar, Value};
use nupp_core::ir::kernel::{Node, NodeSeq, SourceRegion};

/// A closed sequence: instructions, or nodes where a phase is among them.
pub(super) enum Seq {
    Plain(SourceRegion),
    Nodes(Vec<Node>),
}

/// Whether control reaches a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Live {
    /// On every path.
    Always,
    /// On none.
    Never,
    /// Where this boolean is true.
    When(Value),
    /// On some paths; nobody asked which.
    Some,
}

/// One side of a branch.
pub(super) struct Side {
    pub seq: Seq,
    pub env: Env,
    pub live: Live,
    /// The scatters passed up to its end.
    pub scattered: Vec<usize>,
}

/// A result on its way: what each side hands on.
struct Pair {
    then: Value,
    els: Value,
}

impl Lower<'_> {
    /// Opens a sequence; what is lowered next goes into it.
    pub(super) fn open_seq(&mut self) {
        self.world.b.open();
        self.numbers.open();
        if self.controller {
            self.nodes.push(Vec::new());
        }
    }

    /// Closes the innermost sequence.
    pub(super) fn close_seq(&mut self) -> Seq {
        self.numbers.close();
        let region = self.world.b.close(Vec::new());
        let nodes = if self.controller {
            self.nodes.pop()
        } else {
            None
        };
        match nodes {
            Some(mut nodes) if !nodes.is_empty() => {
                nodes.extend(region.insts.into_iter().map(Node::Inst));
                Seq::Nodes(nodes)
            }
            _ => Seq::Plain(region),
        }
    }

    /// Moves the instructions so far before a node that is about to be added.
    pub(super) fn push_node(&mut self, node: Node) {
        let insts = self.world.b.take_insts();
        if let Some(nodes) = self.nodes.last_mut() {
            nodes.extend(insts.into_iter().map(Node::Inst));
            nodes.push(node);
        }
    }

    /// Builds one side of a branch from the locals as they are now, which it leaves as they are.
    pub(super) fn side(&mut self, inside: impl FnOnce(&mut Self) -> Live) -> Side {
        let (before, passed) = (self.frame().env.clone(), self.scattered.clone());
        self.open_seq();
        let live = inside(self);
        let seq = self.close_seq();
        let env = std::mem::replace(self.env(), before);
        let scattered = std::mem::replace(&mut self.scattered, passed);
        Side {
            seq,
            env,
            live,
            scattered,
        }
    }

    /// Joins two sides: the locals that differ become results. Whether control comes out is worked
    /// out only where it is `wanted`.
    pub(super) fn join(&mut self, cond: Value, then: Side, els: Side, wanted: bool) -> Live {
        self.scattered = then.scattered;
        for one in els.scattered {
            if !self.scattered.contains(&one) {
                self.scattered.push(one);
            }
        }
        let mut pairs = Vec::new();
        let slots = then
            .env
            .len()
            .max(els.env.len())
            .max(self.frame().env.len());
        let mut after: Vec<Option<Vec<Result<Value, usize>>>> = vec![None; slots];
        for (slot, joined) in after.iter_mut().enumerate() {
            let (a, b) = (held(&then.env, slot), held(&els.env, slot));
            let exit = slot >= self.frame().func.locals.len();
            if !exit && held(&self.frame().env, slot).is_none() {
                continue;
            }
            let (a, b) = match (a, b) {
                (Some(a), Some(b)) => (a.clone(), b.clone()),
                (Some(a), None) => (a.clone(), self.zeros_like(a)),
                (None, Some(b)) => (self.zeros_like(b), b.clone()),
                (None, None) => continue,
            };
            let fields = a.into_iter().zip(b);
            *joined = Some(
                fields
                    .map(|(a, b)| self.join_value(cond, a, b, &mut pairs))
                    .collect(),
            );
        }
        let live: Result<Live, usize> = if wanted {
            self.join_live(cond, then.live, els.live, &mut pairs)
        } else {
            Ok(coarse(then.live, els.live))
        };
        let results = self.emit_if(cond, then.seq, els.seq, &pairs);
        let resolve = |r: Result<Value, usize>| r.unwrap_or_else(|at| results[at]);
        let env: Env = after
            .into_iter()
            .map(|val| val.map(|fields| fields.into_iter().map(resolve).collect()))
            .collect();
        *self.env() = env;
        live.unwrap_or_else(|at| Live::When(results[at]))
    }

    fn zeros_like(&mut self, val: &Val) -> Val {
        let types: Vec<Scalar> = val.iter().map(|v| self.world.b.ty(*v)).collect();
        types.into_iter().map(|ty| self.constant(ty, 0)).collect()
    }

    /// One value of a join: at hand already, or the number of a result of the `if`.
    fn join_value(
        &mut self,
        cond: Value,
        a: Value,
        b: Value,
        pairs: &mut Vec<Pair>,
    ) -> Result<Value, usize> {
        if a == b {
            return Ok(a);
        }
        if let (Some(x), Some(y)) = (self.world.b.as_const(a), self.world.b.as_const(b)) {
            if x == y {
                return Ok(self.constant(x.ty, x.bits));
            }
            if x.ty == Scalar::Bool {
                return Ok(if x.bits != 0 { cond } else { self.not(cond) });
            }
        }
        pairs.push(Pair { then: a, els: b });
        Err(pairs.len() - 1)
    }

    fn join_live(
        &mut self,
        cond: Value,
        a: Live,
        b: Live,
        pairs: &mut Vec<Pair>,
    ) -> Result<Live, usize> {
        if a == b && a != Live::Some {
            return Ok(a);
        }
        let mut value = |live: Live| match live {
            Live::Always | Live::Some => self.boolean(true),
            Live::Never => self.boolean(false),
            Live::When(v) => v,
        };
        let (x, y) = (value(a), value(b));
        self.join_value(cond, x, y, pairs).map(Live::When)
    }

    fn emit_if(&mut self, cond: Value, then: Seq, els: Seq, pairs: &[Pair]) -> Vec<Value> {
        let (ts, es): (Vec<Value>, Vec<Value>) = pairs.iter().map(|p| (p.then, p.els)).unzip();
        match (then, els) {
            (Seq::Plain(then), Seq::Plain(els)) => {
                if pairs.is_empty() && then.insts.is_empty() && els.insts.is_empty() {
                    return Vec::new();
                }
                let then = SourceRegion { yields: ts, ..then };
                let els = SourceRegion { yields: es, ..els };
                self.world.b.if_(cond, then, els)
            }
            (then, els) => {
                let results = self.world.b.if_results(cond, &ts, &es);
                let node = Node::Select {
                    cond,
                    then: NodeSeq {
                        nodes: into_nodes(then),
                        yields: ts,
                    },
                    els: NodeSeq {
                        nodes: into_nodes(els),
                        yields: es,
                    },
                    results: results.clone(),
                };
                self.push_node(node);
                results
            }
        }
    }
}

/// A sequence as nodes.
pub(super) fn into_nodes(seq: Seq) -> Vec<Node> {
    match seq {
        Seq::Plain(region) => region.insts.into_iter().map(Node::Inst).collect(),
        Seq::Nodes(nodes) => nodes,
    }
}

fn held(env: &Env, slot: usize) -> Option<&Val> {
    env.get(slot).and_then(Option::as_ref)
}

/// Whether control comes out of a join, as far as the two sides say without a value.
fn coarse(a: Live, b: Live) -> Live {
    match (a, b) {
        (Live::Always, Live::Always) => Live::Always,
        (Live::Never, Live::Never) => Live::Never,
        _ => Live::Some,
    }
}
