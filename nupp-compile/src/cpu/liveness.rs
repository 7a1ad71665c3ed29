//! Which values and instructions of a kernel have an effect.
//!
//! What nobody needs is not printed, so that generated code has no unused variable. A loop whose
//! results nobody needs and that stores nothing is not needed either: it has no visible meaning
//! but its end.

use nupp_core::ir::entity::Value;
use nupp_core::ir::flow::{Inst, Loop, LoopKind, Op, Region};
use nupp_core::ir::kernel::{Body, Combine, GuardCond, Kernel, Leaf, Node, NodeSeq, Repeat};
use nupp_core::ir::place::{Family, Operand, Place};

/// The needed values of one kernel.
#[derive(Clone, Debug)]
pub struct Live {
    values: Vec<bool>,
    changed: bool,
}

/// Whether a region stores.
pub fn stores(region: &Region<Leaf>) -> bool {
    region.insts.iter().any(inst_stores)
}

/// Whether an instruction stores.
pub fn inst_stores(inst: &Inst<Leaf>) -> bool {
    match &inst.op {
        Op::Const(_) | Op::Scalar(..) => false,
        Op::Leaf(leaf) => matches!(leaf, Leaf::Store { .. } | Leaf::Scatter { .. }),
        Op::If { then, els, .. } => stores(then) || stores(els),
        Op::Loop(inner) => stores(&inner.body),
    }
}

impl Live {
    /// The needed values of a kernel's body and guards.
    pub fn of(kernel: &Kernel) -> Live {
        let mut live = Live {
            values: vec![false; kernel.values.len()],
            changed: true,
        };
        while live.changed {
            live.changed = false;
            for guard in &kernel.guards {
                if let GuardCond::Scalar(region) = &guard.cond {
                    live.mark_all(&region.yields);
                    live.region(region);
                }
            }
            match &kernel.body {
                Body::Map { region, .. } => live.region(region),
                Body::Groups(groups) => live.nodes(&groups.nodes),
            }
        }
        live
    }

    /// Whether a value is needed.
    pub fn value(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    /// Whether an instruction is needed.
    pub fn inst(&self, inst: &Inst<Leaf>) -> bool {
        inst_stores(inst) || inst.results.iter().any(|&v| self.value(v))
    }

    /// Whether a controller's node is needed.
    pub fn node(&self, node: &Node) -> bool {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::Phase(_) | Node::Tree(_) => true,
            Node::Repeat(repeat) => {
                self.seq_acts(&repeat.body) || repeat.results.iter().any(|&v| self.value(v))
            }
            Node::Select {
                then, els, results, ..
            } => {
                self.seq_acts(then) || self.seq_acts(els) || results.iter().any(|&v| self.value(v))
            }
        }
    }

    /// Whether a sequence holds a phase, a tree or a store.
    fn seq_acts(&self, seq: &NodeSeq) -> bool {
        seq.nodes.iter().any(|node| match node {
            Node::Inst(inst) => inst_stores(inst),
            Node::Phase(_) | Node::Tree(_) => true,
            Node::Repeat(repeat) => self.seq_acts(&repeat.body),
            Node::Select { then, els, .. } => self.seq_acts(then) || self.seq_acts(els),
        })
    }

    fn mark(&mut self, value: Value) {
        let slot = &mut self.values[value.index()];
        self.changed |= !*slot;
        *slot = true;
    }

    fn mark_all(&mut self, values: &[Value]) {
        for &value in values {
            self.mark(value);
        }
    }

    fn region(&mut self, region: &Region<Leaf>) {
        for inst in region.insts.iter().rev() {
            if self.inst(inst) {
                self.needed(inst);
            }
        }
    }

    /// Marks what a needed instruction needs.
    fn needed(&mut self, inst: &Inst<Leaf>) {
        match &inst.op {
            Op::Const(_) => {}
            Op::Scalar(_, args) => self.mark_all(args),
            Op::Leaf(leaf) => self.leaf(leaf),
            Op::If { cond, then, els } => {
                self.mark(*cond);
                self.joined(&inst.results, &then.yields, &els.yields);
                self.region(then);
                self.region(els);
            }
            Op::Loop(inner) => self.loop_(inner, &inst.results),
        }
    }

    fn joined(&mut self, results: &[Value], then: &[Value], els: &[Value]) {
        for ((&result, &t), &e) in results.iter().zip(then).zip(els) {
            if self.value(result) {
                self.mark_all(&[t, e]);
            }
        }
    }

    fn loop_(&mut self, inner: &Loop<Leaf>, results: &[Value]) {
        self.kind(&inner.kind);
        self.carried(
            &inner.params,
            &inner.init,
            &inner.body.yields,
            inner.breaks,
            results,
        );
        self.region(&inner.body);
    }

    fn kind(&mut self, kind: &LoopKind<Leaf>) {
        match kind {
            LoopKind::Counted { lo, hi, .. } => self.mark_all(&[*lo, *hi]),
            LoopKind::While { cond, .. } => {
                self.mark_all(&cond.yields);
                self.region(cond);
            }
        }
    }

    fn carried(
        &mut self,
        params: &[Value],
        init: &[Value],
        yields: &[Value],
        breaks: bool,
        results: &[Value],
    ) {
        if breaks {
            self.mark_all(yields.get(..1).unwrap_or_default());
        }
        let next = yields.get(usize::from(breaks)..).unwrap_or_default();
        for (i, &param) in params.iter().enumerate() {
            if results.get(i).is_some_and(|&v| self.value(v)) {
                self.mark(param);
            }
            if self.value(param) {
                self.mark_all(&[init[i], next[i]]);
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf) {
        match leaf {
            Leaf::Uniform(_) | Leaf::Length(_) => {}
            Leaf::Load { place, .. } => self.place(place),
            Leaf::Store { place, value, .. } => {
                self.place(place);
                self.mark(*value);
            }
            Leaf::Scatter { index, values, .. } => {
                self.mark(*index);
                self.mark_all(values);
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Element { .. } | Place::GroupSlot { .. } => {}
            Place::Block { slot, .. } => self.mark(*slot),
            Place::At { index, .. } | Place::Slot { index, .. } => self.mark(*index),
            Place::GroupBlock { slot, .. } | Place::Own { slot, .. } => match slot {
                Family::Strided { k } | Family::Blocked { j: k, .. } => {
                    if let Operand::Value(value) = k {
                        self.mark(*value);
                    }
                }
            },
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes.iter().rev() {
            if self.node(node) {
                self.needed_node(node);
            }
        }
    }

    fn needed_node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => self.needed(inst),
            Node::Phase(phase) => self.region(&phase.region),
            Node::Tree(tree) => {
                if let Combine::Region { region, .. } = &tree.combine {
                    self.mark_all(&region.yields);
                    self.region(region);
                }
            }
            Node::Repeat(repeat) => self.repeat(repeat),
            Node::Select {
                cond,
                then,
                els,
                results,
            } => {
                self.mark(*cond);
                self.joined(results, &then.yields, &els.yields);
                self.nodes(&then.nodes);
                self.nodes(&els.nodes);
            }
        }
    }

    fn repeat(&mut self, repeat: &Repeat) {
        self.kind(&repeat.kind);
        let body = &repeat.body;
        self.carried(
            &repeat.params,
            &repeat.init,
            &body.yields,
            repeat.breaks,
            &repeat.results,
        );
        self.nodes(&body.nodes);
    }
}
