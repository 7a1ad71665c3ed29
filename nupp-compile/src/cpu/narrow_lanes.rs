//! Finds the lanes of a phase that can have an effect, where its shape says which: all that it does
//! stands under `localIndex == constant`, or under `localIndex < limit`. The others need no turn.
//!
//! Whatever this finds holds every lane that acts; the conditions stay where they are.

use super::liveness::{self, Live};
use nupp_core::ir::entity::{Scalar, Value};
use nupp_core::ir::flow::{Const, Op, Region};
use nupp_core::ir::kernel::{Leaf, Phase};
use nupp_core::ir::op::ScalarOp;
use std::collections::BTreeMap;

/// The lanes that may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acting {
    /// One.
    Only(u32),
    /// Those below a constant.
    BelowConst(u32),
    /// Those below a value that the controller holds.
    Below(Value),
}

/// What the scalar instructions at the top of a region compute.
struct Defs<'k> {
    ops: BTreeMap<Value, (ScalarOp, &'k [Value])>,
    consts: BTreeMap<Value, Const>,
    inside: Vec<Value>,
}

/// The lanes of a phase that may act; nothing where that may be all of them.
pub fn acting(phase: &Phase, live: &Live, is_lane: impl Fn(Value) -> bool) -> Option<Acting> {
    let defs = defs(&phase.region);
    let mut found = None;
    for inst in phase.region.insts.iter().filter(|inst| live.inst(inst)) {
        let cond = match &inst.op {
            Op::If { cond, els, .. } if !liveness::stores(els) => Some(*cond),
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::Loop(_) | Op::If { .. } => None,
        };
        if !liveness::inst_stores(inst) {
            continue;
        }
        let limit = bound(&defs, phase.local, cond?, &is_lane)?;
        if found.is_some_and(|found| found != limit) {
            return None;
        }
        found = Some(limit);
    }
    found
}

fn defs(region: &Region<Leaf>) -> Defs<'_> {
    let mut defs = Defs {
        ops: BTreeMap::new(),
        consts: BTreeMap::new(),
        inside: Vec::new(),
    };
    for inst in &region.insts {
        match (&inst.op, inst.results.first()) {
            (Op::Scalar(op, args), Some(&result)) => {
                defs.ops.insert(result, (*op, args));
            }
            (Op::Const(c), Some(&result)) => {
                defs.consts.insert(result, *c);
            }
            (Op::Leaf(_) | Op::If { .. } | Op::Loop(_) | Op::Scalar(..) | Op::Const(_), _) => {}
        }
        // The texts of uniforms and lengths are those of the function's parameters.
        if !matches!(inst.op, Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_))) {
            defs.inside.extend(&inst.results);
        }
    }
    defs
}

/// What a condition says of the lanes for which it holds.
fn bound(
    defs: &Defs<'_>,
    local: Value,
    cond: Value,
    is_lane: &impl Fn(Value) -> bool,
) -> Option<Acting> {
    let (op, args) = defs.ops.get(&cond)?;
    let number = |v: &Value| {
        let found = defs.consts.get(v)?;
        (found.ty == Scalar::U32).then_some(found.bits)
    };
    match (op, args) {
        (ScalarOp::BoolAnd, [a, b]) => {
            bound(defs, local, *a, is_lane).or_else(|| bound(defs, local, *b, is_lane))
        }
        (ScalarOp::U32Eq, [a, b]) if *a == local => number(b).map(Acting::Only),
        (ScalarOp::U32Eq, [a, b]) if *b == local => number(a).map(Acting::Only),
        (ScalarOp::U32Lt, [a, b]) if *a == local => match number(b) {
            Some(limit) => Some(Acting::BelowConst(limit)),
            None if is_lane(*b) || defs.inside.contains(b) => None,
            None => Some(Acting::Below(*b)),
        },
        _ => None,
    }
}
