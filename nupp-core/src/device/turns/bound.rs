//! How many turns the loops of a kernel take at most, where their bounds are constants.
//!
//! Counted as a driver may that runs both sides of every branch, some with no lane in them: a loop has at
//! least one turn there, whatever its bounds. What the lowering adds, to fill arrays and to walk trees, is
//! counted from above.

use std::collections::HashMap;

use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Const, LoopKind, Op, Region};
use crate::ir::kernel::{Body, Combine, Groups, Kernel, Leaf, Node, SourceInst, Tree};

/// Loops of a tree in a row: a level for each bit of the count, each read and written.
const LEVELS: u64 = 64;

/// The most turns that all loops of a lane take together; nothing where that is not known from the kernel
/// alone.
pub fn most(kernel: &Kernel) -> Option<u64> {
    let mut known = Known::default();
    match &kernel.body {
        Body::Map { region, .. } => known.region(region),
        Body::Groups(groups) => {
            let fills = groups.scratch.iter();
            let fills: u64 = fills.map(|array| slots(groups, array.count)).sum();
            known.nodes(groups, &groups.nodes)?.checked_add(2 * fills)
        }
    }
}

/// Slots of an array for each lane, and one.
fn slots(groups: &Groups, count: u32) -> u64 {
    u64::from(count / groups.size.max(1)) + 1
}

/// The constants that were met; a value is defined before its uses.
#[derive(Default)]
struct Known {
    constants: HashMap<Value, Const>,
}

impl Known {
    fn nodes(&mut self, groups: &Groups, nodes: &[Node]) -> Option<u64> {
        let all = nodes.iter().map(|node| self.node(groups, node));
        sum(all)
    }

    fn node(&mut self, groups: &Groups, node: &Node) -> Option<u64> {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::Phase(phase) => self.region(&phase.region),
            Node::Tree(Tree { array, combine, .. }) => {
                let inner = match combine {
                    Combine::Op(_) => 0,
                    Combine::Region { region, .. } => self.region(region)?,
                };
                let array = groups.scratch.get(array.index())?;
                let turns = LEVELS.checked_mul(slots(groups, array.count))?;
                turns.checked_mul(inner.checked_add(1)?)
            }
            Node::Repeat(repeat) => {
                let turns = self.turns(&repeat.kind)?;
                let inner = self.nodes(groups, &repeat.body.nodes)?;
                turns.checked_mul(inner.checked_add(1)?)
            }
            Node::Select { then, els, .. } => {
                let then = self.nodes(groups, &then.nodes)?;
                then.checked_add(self.nodes(groups, &els.nodes)?)
            }
        }
    }

    fn region(&mut self, region: &Region<Leaf>) -> Option<u64> {
        let all = region.insts.iter().map(|inst| self.inst(inst));
        sum(all)
    }

    fn inst(&mut self, inst: &SourceInst) -> Option<u64> {
        match &inst.op {
            Op::Const(constant) => {
                let values = inst.results.iter();
                self.constants
                    .extend(values.map(|&value| (value, *constant)));
                Some(0)
            }
            Op::Scalar(..) | Op::Leaf(_) => Some(0),
            Op::If { then, els, .. } => {
                let then = self.region(then)?;
                then.checked_add(self.region(els)?)
            }
            Op::Loop(inner) => {
                let turns = self.turns(&inner.kind)?;
                turns.checked_mul(self.region(&inner.body)?.checked_add(1)?)
            }
        }
    }

    /// Turns of one loop, at least one.
    fn turns(&self, kind: &LoopKind<Leaf>) -> Option<u64> {
        let LoopKind::Counted { lo, hi, .. } = kind else {
            return None;
        };
        let number = |value: &Value| {
            let constant = self.constants.get(value)?;
            Some(match constant.ty {
                Scalar::I32 => i64::from(constant.bits as i32),
                _ => i64::from(constant.bits),
            })
        };
        let turns = number(hi)? - number(lo)? + 1;
        Some(turns.max(1) as u64)
    }
}

fn sum(mut all: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    all.try_fold(0_u64, |sum, one| sum.checked_add(one?))
}
