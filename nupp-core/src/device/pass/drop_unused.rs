//! Removes instructions of Device IR whose results nobody uses and which touch nothing.
//!
//! The lowering makes a value's forms where it is defined, used or not; this takes away what was
//! not. Loads go as well: a proved load has no effect. Loops stay, since one may run for ever.

use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::ir::entity::Value;
use crate::ir::flow::{Inst, LoopKind, Op};

/// Removes them from the body of an entry point or function.
pub fn drop_unused(region: &mut DeviceRegion, values: usize) {
    let mut used = vec![false; values];
    sweep(region, &mut used);
}

fn mark(used: &mut [bool], values: &[Value]) {
    for value in values {
        used[value.index()] = true;
    }
}

/// Walks backwards, so that every use is seen before its definition. A loop's parameters are used
/// by what comes before its body in the text, and those are its initial values, kept anyhow.
fn sweep(region: &mut DeviceRegion, used: &mut [bool]) {
    mark(used, &region.yields);
    let mut kept = Vec::with_capacity(region.insts.len());
    while let Some(mut inst) = region.insts.pop() {
        if keep(&inst, used) {
            visit(&mut inst, used);
            kept.push(inst);
        }
    }
    kept.reverse();
    region.insts = kept;
}

fn keep(inst: &Inst<DeviceLeaf>, used: &[bool]) -> bool {
    let wanted = inst.results.iter().any(|v| used[v.index()]);
    match &inst.op {
        Op::Const(_) | Op::Scalar(..) => wanted,
        Op::Leaf(leaf) => wanted || has_effect(leaf),
        Op::If { then, els, .. } => wanted || !(is_empty(then) && is_empty(els)),
        Op::Loop(_) => true,
    }
}

/// Whether a region can be dropped with its results: nothing in it but pure instructions.
fn is_empty(region: &DeviceRegion) -> bool {
    region.insts.iter().all(|inst| match &inst.op {
        Op::Const(_) | Op::Scalar(..) => true,
        Op::Leaf(leaf) => !has_effect(leaf),
        Op::If { then, els, .. } => is_empty(then) && is_empty(els),
        Op::Loop(_) => false,
    })
}

fn has_effect(leaf: &DeviceLeaf) -> bool {
    match leaf {
        DeviceLeaf::BufferStore { .. }
        | DeviceLeaf::BufferMax { .. }
        | DeviceLeaf::SharedStore { .. }
        | DeviceLeaf::PrivateStore { .. }
        | DeviceLeaf::Barrier => true,
        DeviceLeaf::Builtin(_)
        | DeviceLeaf::UniformWord(_)
        | DeviceLeaf::BufferLoad { .. }
        | DeviceLeaf::SharedLoad { .. }
        | DeviceLeaf::PrivateLoad { .. }
        | DeviceLeaf::Call { .. } => false,
    }
}

fn visit(inst: &mut Inst<DeviceLeaf>, used: &mut [bool]) {
    match &mut inst.op {
        Op::Const(_) => {}
        Op::Scalar(_, args) => mark(used, args),
        Op::Leaf(leaf) => mark(used, &leaf.operands()),
        Op::If { cond, then, els } => {
            mark(used, &[*cond]);
            sweep(then, used);
            sweep(els, used);
        }
        Op::Loop(inner) => {
            mark(used, &inner.init);
            sweep(&mut inner.body, used);
            match &mut inner.kind {
                LoopKind::Counted { lo, hi, .. } => mark(used, &[*lo, *hi]),
                LoopKind::While { cond, .. } => sweep(cond, used),
            }
        }
    }
}
