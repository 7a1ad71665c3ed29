//! Estimates how much a lane or a group does, in operations, so that threads get parts that are
//! worth a task. It decides nothing but the size of parts: the bits are the same for any.

use nupp_core::ir::entity::Value;
use nupp_core::ir::flow::{Inst, LoopKind, Op, Region};
use nupp_core::ir::kernel::{Body, Kernel, Leaf, Node, NodeSeq};
use nupp_core::ir::op::ScalarOp;
use std::collections::BTreeMap;

/// Turns of a loop whose number is not known.
const TURNS: u64 = 16;
/// Operations of a function of `math`.
const FUNCTION: u64 = 40;

/// Operations of one lane of a map, or of one group; at least 1.
pub fn of_unit(kernel: &Kernel) -> u64 {
    let mut work = Work::default();
    let total = match &kernel.body {
        Body::Map { region, .. } => work.region(region),
        Body::Groups(groups) => work.nodes(&groups.nodes, u64::from(groups.size)),
    };
    total.clamp(1, 1 << 40)
}

/// The constants met so far.
#[derive(Default)]
struct Work {
    consts: BTreeMap<Value, u32>,
}

impl Work {
    fn region(&mut self, region: &Region<Leaf>) -> u64 {
        let insts = region.insts.iter();
        insts.fold(0, |sum, inst| sum.saturating_add(self.inst(inst)))
    }

    fn inst(&mut self, inst: &Inst<Leaf>) -> u64 {
        match &inst.op {
            Op::Const(c) => {
                if let Some(&result) = inst.results.first() {
                    self.consts.insert(result, c.bits);
                }
                0
            }
            Op::Scalar(ScalarOp::Math(_), _) => FUNCTION,
            Op::Scalar(..) | Op::Leaf(_) => 1,
            Op::If { then, els, .. } => self.region(then).saturating_add(self.region(els)),
            Op::Loop(inner) => {
                let turns = self.turns(&inner.kind);
                self.region(&inner.body).saturating_mul(turns)
            }
        }
    }

    fn turns(&self, kind: &LoopKind<Leaf>) -> u64 {
        let number = |v: &Value| {
            self.consts
                .get(v)
                .map(|&bits| i64::from(bits.cast_signed()))
        };
        match kind {
            LoopKind::Counted { lo, hi, .. } => match (number(lo), number(hi)) {
                (Some(lo), Some(hi)) => u64::try_from(hi - lo + 1).unwrap_or(0),
                _ => TURNS,
            },
            LoopKind::While { .. } => TURNS,
        }
    }

    fn nodes(&mut self, nodes: &[Node], size: u64) -> u64 {
        let each = nodes.iter();
        each.fold(0, |sum, node| sum.saturating_add(self.node(node, size)))
    }

    fn node(&mut self, node: &Node, size: u64) -> u64 {
        let seq = |work: &mut Self, seq: &NodeSeq| work.nodes(&seq.nodes, size);
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::Phase(phase) => self.region(&phase.region).saturating_mul(size),
            Node::Tree(_) => size * 2,
            Node::Repeat(repeat) => {
                let turns = self.turns(&repeat.kind);
                seq(self, &repeat.body).saturating_mul(turns)
            }
            Node::Select { then, els, .. } => seq(self, then).saturating_add(seq(self, els)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_unit;
    use nupp_core::ir::samples;

    #[test]
    fn a_group_does_more_than_a_lane() {
        let (lane, group) = (of_unit(&samples::map()), of_unit(&samples::groups()));
        assert!(lane > 4 && lane < 1000, "{lane}");
        assert!(group > 512 && group < 100_000, "{group}");
    }
}
