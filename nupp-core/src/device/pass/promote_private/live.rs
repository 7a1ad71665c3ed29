//! Which slots a choice or a loop has to hand on: those it writes and somebody reads after it, in
//! a later turn included.

use std::collections::BTreeSet;

use super::Slots;
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::ir::flow::{Inst, Loop, LoopKind, Op};

/// What one choice or loop hands on, and those inside its regions, in order.
pub(super) struct Joins {
    pub slots: Vec<u32>,
    /// Of a choice: where it is true, where it is false. Of a loop: the condition, the body.
    pub inner: [Vec<Joins>; 2],
}

type Live = BTreeSet<u32>;

/// The choices and loops of a body, after which no slot is read.
pub(super) fn joins(slots: &Slots, body: &DeviceRegion) -> Vec<Joins> {
    region(slots, body, &mut Live::new())
}

/// Walks backwards: `live` holds the slots read later, then those read here or later.
fn region(slots: &Slots, region: &DeviceRegion, live: &mut Live) -> Vec<Joins> {
    let mut found = Vec::new();
    for inst in region.insts.iter().rev() {
        found.extend(instruction(slots, inst, live));
    }
    found.reverse();
    found
}

fn instruction(slots: &Slots, inst: &Inst<DeviceLeaf>, live: &mut Live) -> Option<Joins> {
    match &inst.op {
        Op::Const(_) | Op::Scalar(..) => None,
        Op::Leaf(leaf) => {
            match (leaf, slots.slot(leaf)) {
                (DeviceLeaf::PrivateStore { .. }, Some(slot)) => live.remove(&slot),
                (_, Some(slot)) => live.insert(slot),
                (_, None) => false,
            };
            None
        }
        Op::If { then, els, .. } => {
            let mut written = Live::new();
            stores(slots, then, &mut written);
            stores(slots, els, &mut written);
            let handed_on = written.intersection(live).copied().collect();
            let mut other = live.clone();
            let inner = [region(slots, then, live), region(slots, els, &mut other)];
            live.extend(other);
            Some(Joins {
                slots: handed_on,
                inner,
            })
        }
        Op::Loop(inner) => Some(turns(slots, inner, live)),
    }
}

fn turns(slots: &Slots, inner: &Loop<DeviceLeaf>, live: &mut Live) -> Joins {
    let mut written = Live::new();
    stores(slots, &inner.body, &mut written);
    loop {
        // What is read after the loop, or in a turn from its top.
        let mut before = live.clone();
        let body = region(slots, &inner.body, &mut before);
        let cond = match &inner.kind {
            LoopKind::Counted { .. } => Vec::new(),
            LoopKind::While { cond, .. } => region(slots, cond, &mut before),
        };
        if before.is_subset(live) {
            return Joins {
                slots: written.intersection(live).copied().collect(),
                inner: [cond, body],
            };
        }
        live.extend(before);
    }
}

fn stores(slots: &Slots, region: &DeviceRegion, written: &mut Live) {
    for inst in &region.insts {
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(leaf) => {
                if let DeviceLeaf::PrivateStore { .. } = leaf {
                    written.extend(slots.slot(leaf));
                }
            }
            Op::If { then, els, .. } => {
                stores(slots, then, written);
                stores(slots, els, written);
            }
            Op::Loop(inner) => stores(slots, &inner.body, written),
        }
    }
}
