//! Cuts a region into runs, and a run into segments and what stands before and behind them.
//!
//! A run is a stretch of instructions without stores, barriers, choices and loops: its instructions may
//! stand in any order that keeps definitions before uses. A segment is the guarded operations of a run that
//! depend on each other by scalar operations at most, with those. A call or a load that needs a result of a
//! segment waits for it, since a call is dear and an address must be right.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::facts::Facts;
use crate::device::carried::Carried;
use crate::device::ir::DeviceLeaf;
use crate::ir::entity::Value;
use crate::ir::flow::{Inst, Op};

/// Guarded operations from which on a segment is worth a branch.
const LEAST: usize = 2;
/// Guarded operations after which a run ends: what they need is live at once.
const MOST: usize = 128;

/// A stretch of a region.
pub(super) enum Piece {
    /// Instructions that may be ordered anew.
    Run(Range<usize>),
    /// One that may not.
    Fixed(usize),
}

/// A part of a run, instructions by their positions in it.
pub(super) enum Step {
    /// As it is.
    Plain(usize),
    /// To be discharged.
    Segment(Vec<usize>),
}

fn is_fixed(inst: &Inst<DeviceLeaf>) -> bool {
    match &inst.op {
        Op::Const(_) | Op::Scalar(..) => false,
        Op::If { .. } | Op::Loop(_) => true,
        Op::Leaf(leaf) => match leaf {
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
        },
    }
}

/// The pieces of a region, in order.
pub(super) fn cut(facts: &Facts<'_>, insts: &[Inst<DeviceLeaf>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut guarded) = (0, 0);
    for (at, inst) in insts.iter().enumerate() {
        let fixed = is_fixed(inst);
        guarded += usize::from(facts.guarded(inst).is_some());
        if (fixed || guarded > MOST) && start < at {
            pieces.push(Piece::Run(start..at));
            start = at;
            guarded = usize::from(facts.guarded(inst).is_some());
        }
        if fixed {
            pieces.push(Piece::Fixed(at));
            (start, guarded) = (at + 1, 0);
        }
    }
    if start < insts.len() {
        pieces.push(Piece::Run(start..insts.len()));
    }
    pieces
}

/// Whether a guarded operation can be discharged, by what is known of its operands now.
pub(super) fn dischargeable(facts: &Facts<'_>, inst: &Inst<DeviceLeaf>) -> bool {
    let Some((carried, args)) = facts.guarded(inst) else {
        return false;
    };
    match (carried, args) {
        (Carried::Add, &[a, b]) => facts.summable(a) && facts.summable(b),
        (Carried::Mul, &[a, b]) => facts.product(a, b).is_some(),
        (Carried::Fma, &[a, b, c]) => facts.product(a, b).is_some() && facts.summable(c),
        (Carried::Add | Carried::Mul | Carried::Fma, _) => false,
        (Carried::Div | Carried::Sqrt | Carried::RefinedDiv | Carried::RefinedSqrt, _) => true,
    }
}

pub(super) fn operands(inst: &Inst<DeviceLeaf>) -> Vec<Value> {
    match &inst.op {
        Op::Const(_) => Vec::new(),
        Op::Scalar(_, args) => args.clone(),
        Op::Leaf(leaf) => leaf.operands(),
        // Not in a run.
        Op::If { .. } | Op::Loop(_) => Vec::new(),
    }
}

/// The steps of a run, in order.
pub(super) fn plan(facts: &Facts<'_>, run: &[Inst<DeviceLeaf>]) -> Vec<Step> {
    // When a value is there: 2n before segment n, 2n + 1 in it.
    let mut times: HashMap<Value, u32> = HashMap::new();
    let mut at = Vec::with_capacity(run.len());
    for inst in run {
        let ready = operands(inst).iter().filter_map(|v| times.get(v)).max();
        let ready = ready.copied().unwrap_or(0);
        let time = match &inst.op {
            _ if dischargeable(facts, inst) => ready | 1,
            Op::Const(_) | Op::Scalar(..) => ready,
            Op::Leaf(_) | Op::If { .. } | Op::Loop(_) => (ready + 1) & !1,
        };
        times.extend(inst.results.iter().map(|&result| (result, time)));
        at.push(time);
    }
    // What no guarded operation of its segment needs comes behind it.
    let mut wanted: HashSet<Value> = HashSet::new();
    for (inst, time) in run.iter().zip(&mut at).rev() {
        if *time % 2 == 0 {
            continue;
        }
        let member =
            dischargeable(facts, inst) || inst.results.iter().any(|result| wanted.contains(result));
        if member {
            let same = |v: &Value| times.get(v) == Some(time);
            wanted.extend(operands(inst).into_iter().filter(same));
        } else {
            *time += 1;
        }
    }
    let mut order: Vec<usize> = (0..run.len()).collect();
    order.sort_by_key(|&n| at[n]);
    let mut steps = Vec::new();
    for group in order.chunk_by(|&a, &b| at[a] == at[b]) {
        let guarded = group.iter().filter(|&&n| dischargeable(facts, &run[n]));
        if at[group[0]] % 2 == 1 && guarded.count() >= LEAST {
            steps.push(Step::Segment(group.to_vec()));
        } else {
            steps.extend(group.iter().map(|&n| Step::Plain(n)));
        }
    }
    steps
}
