//! Chooses how the lanes of a kernel run on the CPU.
//!
//! Straight code with consecutive accesses becomes a plain loop over slices of one length, which
//! rustc vectorises as it stands. Code with a loop, a gather, a shifted access or a
//! function with a rare branch becomes blocks of `W` lanes, one fixed-trip loop an operation with
//! a mask of live lanes, and a scalar tail: the vectoriser gives such code up, and the block form of straight code is slower than the plain
//! loop. Either way the bits are those of one lane after the other.

use super::liveness::Live;
use nupp_core::ir::entity::{Scope, Value};
use nupp_core::ir::flow::{Op, Region};
use nupp_core::ir::kernel::{Access, Body, Kernel, Leaf, Node, NodeSeq};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::Place;

/// How lanes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// One lane a turn of a plain loop.
    Straight,
    /// Blocks of lanes under a mask, then a scalar tail.
    Blocks,
}

/// How a CPU function runs one kernel.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is needed.
    pub live: Live,
    /// How a map's lanes run; each phase of a workgroup kernel is asked for on its own.
    pub lanes: Lanes,
    /// How each span is touched.
    pub spans: Vec<SpanUse>,
    /// Which uniforms are needed by the body.
    pub uniforms: Vec<bool>,
    /// Which lengths are needed by the body.
    pub lengths: Vec<bool>,
    /// Whether effects of different lanes (groups) are disjoint, so that parts may run at once.
    pub disjoint: bool,
}

/// How a body touches a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanUse {
    /// At the lane's own element.
    pub own: bool,
    /// At elements that are computed or shifted, of the whole span.
    pub whole: bool,
    /// At the lane's own element and a fixed distance.
    pub shifted: bool,
    /// Elements that each lane (map) or group owns of a written span; 0 where it owns none.
    pub stride: u32,
    /// By declared scatter.
    pub scatter: bool,
}

impl SpanUse {
    /// Whether it is touched at all.
    pub fn any(self) -> bool {
        self.own || self.whole || self.scatter || self.stride > 0
    }
}

impl Plan {
    /// The plan of a kernel.
    pub fn of(kernel: &Kernel) -> Plan {
        let mut plan = Plan {
            live: Live::of(kernel),
            lanes: Lanes::Straight,
            spans: vec![SpanUse::default(); kernel.spans.len()],
            uniforms: vec![false; kernel.uniforms.len()],
            lengths: vec![false; kernel.spans.len()],
            disjoint: true,
        };
        match &kernel.body {
            Body::Map { region, .. } => {
                plan.scan(region);
                plan.lanes = lanes_of(kernel, region, &plan.live);
            }
            Body::Groups(groups) => plan.scan_nodes(&groups.nodes),
        }
        plan.disjoint = plan.spans.iter().all(|span| !span.scatter);
        plan
    }

    fn scan_nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.scan_inst(inst),
                Node::Phase(phase) => self.scan(&phase.region),
                Node::Tree(_) => {}
                Node::Repeat(repeat) => {
                    if let nupp_core::ir::flow::LoopKind::While { cond, .. } = &repeat.kind {
                        self.scan(cond);
                    }
                    self.scan_seq(&repeat.body);
                }
                Node::Select { then, els, .. } => {
                    self.scan_seq(then);
                    self.scan_seq(els);
                }
            }
        }
    }

    fn scan_seq(&mut self, seq: &NodeSeq) {
        self.scan_nodes(&seq.nodes);
    }

    fn scan(&mut self, region: &Region<Leaf>) {
        for inst in &region.insts {
            self.scan_inst(inst);
        }
    }

    fn scan_inst(&mut self, inst: &nupp_core::ir::kernel::SourceInst) {
        if !self.live.inst(inst) {
            return;
        }
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(leaf) => self.scan_leaf(leaf),
            Op::If { then, els, .. } => {
                self.scan(then);
                self.scan(els);
            }
            Op::Loop(inner) => {
                if let nupp_core::ir::flow::LoopKind::While { cond, .. } = &inner.kind {
                    self.scan(cond);
                }
                self.scan(&inner.body);
            }
        }
    }

    fn scan_leaf(&mut self, leaf: &Leaf) {
        match leaf {
            Leaf::Uniform(id) => self.uniforms[id.index()] = true,
            Leaf::Length(id) => self.lengths[id.index()] = true,
            Leaf::Load { place, .. } | Leaf::Store { place, .. } => self.scan_place(place),
            Leaf::Scatter { span, .. } => self.spans[span.index()].scatter = true,
        }
    }

    fn scan_place(&mut self, place: &Place) {
        match place {
            Place::Element { span, offset, .. } => {
                let span = &mut self.spans[span.index()];
                span.own |= *offset == 0;
                span.whole |= *offset != 0;
                span.shifted |= *offset != 0;
            }
            Place::At { span, .. } => self.spans[span.index()].whole = true,
            Place::Block { span, stride, .. } | Place::GroupBlock { span, stride, .. } => {
                self.spans[span.index()].stride = *stride;
            }
            Place::GroupSlot { span, .. } => self.spans[span.index()].stride = 1,
            Place::Own { .. } | Place::Slot { .. } => {}
        }
    }
}

/// How the lanes of one region run.
pub fn lanes_of(kernel: &Kernel, region: &Region<Leaf>, live: &Live) -> Lanes {
    let blocks = wants_blocks(kernel, region, live) && !scatters(region);
    if blocks {
        Lanes::Blocks
    } else {
        Lanes::Straight
    }
}

fn is_lane(kernel: &Kernel, value: Value) -> bool {
    kernel.values[value.index()].scope == Scope::Lane
}

fn wants_blocks(kernel: &Kernel, region: &Region<Leaf>, live: &Live) -> bool {
    region
        .insts
        .iter()
        .filter(|inst| live.inst(inst))
        .any(|inst| match &inst.op {
            Op::Const(_) => false,
            // Its rare branch would keep a plain loop from being vectorised.
            Op::Scalar(op, args) => {
                matches!(op, ScalarOp::Math(_)) && args.iter().any(|&v| is_lane(kernel, v))
            }
            Op::Leaf(Leaf::Load { place, .. }) => match place {
                Place::Element { offset, .. } => *offset != 0,
                Place::At { span, index, .. } => {
                    kernel.spans[span.index()].access == Access::Read && is_lane(kernel, *index)
                }
                Place::Slot { index, .. } => is_lane(kernel, *index),
                Place::Block { .. }
                | Place::GroupBlock { .. }
                | Place::GroupSlot { .. }
                | Place::Own { .. } => false,
            },
            Op::Leaf(
                Leaf::Uniform(_) | Leaf::Length(_) | Leaf::Store { .. } | Leaf::Scatter { .. },
            ) => false,
            Op::If { then, els, .. } => {
                wants_blocks(kernel, then, live) || wants_blocks(kernel, els, live)
            }
            Op::Loop(_) => true,
        })
}

/// A scatter is checked lane by lane, in order.
fn scatters(region: &Region<Leaf>) -> bool {
    region.insts.iter().any(|inst| match &inst.op {
        Op::Const(_) | Op::Scalar(..) => false,
        Op::Leaf(leaf) => matches!(leaf, Leaf::Scatter { .. }),
        Op::If { then, els, .. } => scatters(then) || scatters(els),
        Op::Loop(inner) => scatters(&inner.body),
    })
}
