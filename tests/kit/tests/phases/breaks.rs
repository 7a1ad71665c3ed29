//! Broken Source IR: of a verified workgroup kernel one claim is changed, and the verifier refuses
//! it, or it still means one thing in every order of lanes.

use crate::execute::{Executors, compile};
use crate::tally::Tally;
use crate::{ORDERS, caught, seeds};
use nupp_core::device::profile::Profile;
use nupp_core::eval::source::{EvalError, LaneOrder, run_within};
use nupp_core::ir::entity::{PhaseId, Scalar, Scope, ScratchId, Value};
use nupp_core::ir::flow::{Const, LoopKind, Op, ValueInfo};
use nupp_core::ir::kernel::{Body, Combine, Groups, Kernel, Leaf, Node, SourceInst, SourceRegion};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Certificate, Family, Operand, Place};
use nupp_core::verify;
use nupp_testkit::generate::group_kernel;
use nupp_testkit::grouped;
use nupp_testkit::random::Random;

/// Kernels by default, and mutants of each.
const KERNELS: u64 = 60;
const MUTANTS: u64 = 25;
/// Instructions of a run; a broken loop may go on for ever.
const BUDGET: u64 = 2_000_000;

#[test]
fn broken_claims_are_refused_or_harmless() {
    let mut tally = Tally::default();
    for seed in seeds(KERNELS) {
        let text = group_kernel(seed);
        if text.contains(":scatter(") {
            continue;
        }
        let Ok((program, Ok(kernel))) = compile(&text) else {
            continue;
        };
        let len = grouped::lengths(&program)[5];
        let Ok(run) = grouped::run(&program, seed, len) else {
            continue;
        };
        let kernel = kernel.into_inner();
        let mut random = Random::new(seed ^ 0x6272_6561);
        for _ in 0..MUTANTS {
            let mut broken = kernel.clone();
            let Some(kind) = break_one(&mut broken, &mut random) else {
                continue;
            };
            if broken == kernel {
                continue;
            }
            let outcome = caught(|| harmless(broken, &run));
            tally.add(seed, kind, outcome, &text);
        }
    }
    tally.finish();
}

/// Whether it is accepted; an error if it should not be.
fn harmless(kernel: Kernel, run: &grouped::Run) -> Result<bool, String> {
    let Ok(kernel) = verify::source::verify(kernel) else {
        return Ok(false);
    };
    let mut run = run.clone();
    let mut spans = run.spans.clone();
    let order = LaneOrder::Ascending;
    match run_within(&kernel, &mut spans, &run.uniforms, order, BUDGET) {
        Err(EvalError::Budget { .. } | EvalError::Guard { .. }) => return Ok(true),
        other => other.map_err(|fault| fault.to_string())?,
    }
    run.expected = spans;
    let executors = Executors::new(kernel, &Profile::ALL[..1])?;
    executors.in_order(&run, &ORDERS[1..])?;
    executors.scheduled(&run, 0..3)?;
    Ok(true)
}

/// Changes one thing and says what.
fn break_one(kernel: &mut Kernel, random: &mut Random) -> Option<&'static str> {
    let kind = random.below(10);
    if kind < 2 {
        return merge(kernel, random).then_some("a boundary is removed");
    }
    let values = kernel.values.len() as u32;
    let Body::Groups(groups) = &mut kernel.body else {
        return None;
    };
    let arrays = groups.scratch.len() as u32;
    match kind {
        2 => {
            let at = random.below(arrays) as usize;
            groups.scratch[at].count = nearby(groups.scratch[at].count, random).max(1);
            return Some("a count is changed");
        }
        3 => {
            let rule = &mut groups.rule;
            if random.once_in(2) {
                rule.divisor = nearby(rule.divisor, random).max(1);
            } else {
                groups.size = nearby(groups.size, random).clamp(1, 256);
            }
            return Some("the group rule is changed");
        }
        4 | 5 => {
            let mut found = Vec::new();
            regions(groups, &mut |inst| {
                if matches!(inst.op, Op::Const(_) | Op::If { .. }) {
                    found.push(());
                }
            });
            let chosen = random.below(found.len().max(1) as u32) as usize;
            let mut at = 0;
            let truth = Value(values);
            let mut dropped = false;
            regions(groups, &mut |inst| {
                if !matches!(inst.op, Op::Const(_) | Op::If { .. }) {
                    return;
                }
                if at == chosen {
                    match &mut inst.op {
                        Op::Const(c) => c.bits = nearby(c.bits, random),
                        Op::If { cond, .. } => {
                            *cond = truth;
                            dropped = true;
                        }
                        _ => {}
                    }
                }
                at += 1;
            });
            if dropped {
                let node = SourceInst {
                    results: vec![truth],
                    op: Op::Const(Const {
                        ty: Scalar::Bool,
                        bits: 1,
                    }),
                };
                groups.nodes.insert(0, Node::Inst(node));
                forget(groups);
                kernel.values.push(ValueInfo {
                    ty: Scalar::Bool,
                    scope: Scope::Dispatch,
                });
                return Some("a condition is dropped");
            }
            return Some("a constant is changed");
        }
        _ => {}
    }
    let mut count = 0;
    places(groups, &mut |_| count += 1);
    if count == 0 {
        return None;
    }
    let chosen = random.below(count);
    let (mut at, mut kind) = (0, None);
    let size = groups.size;
    places(groups, &mut |place| {
        if at == chosen {
            kind = Some(change(place, (arrays, values, size), random));
        }
        at += 1;
    });
    kind
}

fn nearby(n: u32, random: &mut Random) -> u32 {
    match random.below(5) {
        0 => n.wrapping_sub(1),
        1 => n.wrapping_mul(2),
        2 => n / 2,
        3 => 0,
        _ => n.wrapping_add(1),
    }
}

fn certificate(random: &mut Random) -> Certificate {
    match random.below(4) {
        0 => Certificate::Const,
        1 => Certificate::Interval,
        2 => Certificate::Primary,
        _ => Certificate::Cursor { facts: Vec::new() },
    }
}

fn family(slot: Family, (values, size): (u32, u32), random: &mut Random) -> Family {
    let operand = |operand: Operand, random: &mut Random| match operand {
        Operand::Const(n) => Operand::Const(nearby(n, random)),
        Operand::Value(_) => Operand::Value(Value(random.below(values))),
    };
    match (slot, random.below(3)) {
        (Family::Strided { k }, 0) => Family::Blocked {
            stride: size.max(2),
            j: k,
        },
        (Family::Strided { k }, _) => Family::Strided {
            k: operand(k, random),
        },
        (Family::Blocked { j, .. }, 0) => Family::Strided { k: j },
        (Family::Blocked { stride, j }, 1) => Family::Blocked {
            stride: nearby(stride, random),
            j,
        },
        (Family::Blocked { stride, j }, _) => Family::Blocked {
            stride,
            j: operand(j, random),
        },
    }
}

fn change(
    place: &mut Place,
    (arrays, values, size): (u32, u32, u32),
    random: &mut Random,
) -> &'static str {
    match place {
        Place::Own { array, slot } => {
            match random.below(4) {
                0 => *array = ScratchId(random.below(arrays)),
                1 => {
                    *place = Place::Slot {
                        array: *array,
                        index: Value(random.below(values)),
                        proof: certificate(random),
                    };
                }
                _ => *slot = family(*slot, (values, size), random),
            }
            "an owned slot is changed"
        }
        Place::Slot {
            array,
            index,
            proof,
        } => {
            match random.below(4) {
                0 => *array = ScratchId(random.below(arrays)),
                1 => *index = Value(random.below(values)),
                2 => {
                    *place = Place::Own {
                        array: *array,
                        slot: Family::Strided {
                            k: Operand::Const(random.below(2)),
                        },
                    };
                }
                _ => *proof = certificate(random),
            }
            "a slot is changed"
        }
        Place::GroupBlock {
            stride,
            slot,
            proof,
            ..
        } => {
            match random.below(3) {
                0 => *stride = nearby(*stride, random),
                1 => *slot = family(*slot, (values, size), random),
                _ => *proof = certificate(random),
            }
            "a block of a group is changed"
        }
        Place::GroupSlot { lane, proof, span } => {
            match random.below(3) {
                0 => *lane = nearby(*lane, random),
                1 => *proof = certificate(random),
                _ => {
                    *place = Place::GroupBlock {
                        span: *span,
                        stride: 1,
                        slot: Family::Strided {
                            k: Operand::Const(0),
                        },
                        proof: proof.clone(),
                    };
                }
            }
            "an element of a group is changed"
        }
        Place::At { index, proof, .. } => {
            if random.once_in(2) {
                *index = Value(random.below(values));
            } else {
                *proof = certificate(random);
            }
            "a cursor is changed"
        }
        Place::Element { .. } | Place::Block { .. } => "a map's place",
    }
}

/// Visits every instruction.
fn regions(groups: &mut Groups, visit: &mut dyn FnMut(&mut SourceInst)) {
    nodes(&mut groups.nodes, visit);
}

fn nodes(list: &mut [Node], visit: &mut dyn FnMut(&mut SourceInst)) {
    for node in list {
        match node {
            Node::Inst(inst) => instruction(inst, visit),
            Node::Phase(phase) => region(&mut phase.region, visit),
            Node::Tree(tree) => {
                if let Combine::Region { region: inner, .. } = &mut tree.combine {
                    region(inner, visit);
                }
            }
            Node::Repeat(repeat) => {
                if let LoopKind::While { cond, .. } = &mut repeat.kind {
                    region(cond, visit);
                }
                nodes(&mut repeat.body.nodes, visit);
            }
            Node::Select { then, els, .. } => {
                nodes(&mut then.nodes, visit);
                nodes(&mut els.nodes, visit);
            }
        }
    }
}

fn region(region_: &mut SourceRegion, visit: &mut dyn FnMut(&mut SourceInst)) {
    for inst in &mut region_.insts {
        instruction(inst, visit);
    }
}

fn instruction(inst: &mut SourceInst, visit: &mut dyn FnMut(&mut SourceInst)) {
    visit(inst);
    match &mut inst.op {
        Op::If { then, els, .. } => {
            region(then, visit);
            region(els, visit);
        }
        Op::Loop(inner) => {
            if let LoopKind::While { cond, .. } = &mut inner.kind {
                region(cond, visit);
            }
            region(&mut inner.body, visit);
        }
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
    }
}

/// Visits every place.
fn places(groups: &mut Groups, visit: &mut dyn FnMut(&mut Place)) {
    regions(groups, &mut |inst| {
        if let Op::Leaf(Leaf::Load { place, .. } | Leaf::Store { place, .. }) = &mut inst.op {
            visit(place);
        }
    });
}

/// Certificates no longer name comparisons: the bound alone decides.
fn forget(groups: &mut Groups) {
    places(groups, &mut |place| match place {
        Place::At { proof, .. }
        | Place::GroupBlock { proof, .. }
        | Place::GroupSlot { proof, .. }
        | Place::Slot { proof, .. } => *proof = Certificate::Interval,
        Place::Own { .. } | Place::Element { .. } | Place::Block { .. } => {}
    });
}

/// Two phases that follow each other become one: the second's lane is the first's.
fn merge(kernel: &mut Kernel, random: &mut Random) -> bool {
    let next = kernel.values.len() as u32;
    let Body::Groups(groups) = &mut kernel.body else {
        return false;
    };
    let mut count = 0;
    merge_in(&mut groups.nodes, next, &mut count, None);
    if count == 0 {
        return false;
    }
    let chosen = random.below(count);
    let mut at = 0;
    merge_in(&mut groups.nodes, next, &mut at, Some(chosen));
    kernel.values.push(ValueInfo {
        ty: Scalar::U32,
        scope: Scope::Lane,
    });
    let mut number = 0;
    renumber(&mut groups.nodes, &mut number);
    true
}

/// Counts the pairs; merges the one of this number.
fn merge_in(list: &mut Vec<Node>, zero: u32, count: &mut u32, chosen: Option<u32>) {
    let mut at = 0;
    while at < list.len() {
        if at + 1 < list.len()
            && matches!(list[at], Node::Phase(_))
            && matches!(list[at + 1], Node::Phase(_))
        {
            if chosen == Some(*count)
                && let Node::Phase(second) = list.remove(at + 1)
                && let Node::Phase(first) = &mut list[at]
            {
                let insts = &mut first.region.insts;
                insts.push(SourceInst {
                    results: vec![Value(zero)],
                    op: Op::Const(Const {
                        ty: Scalar::U32,
                        bits: 0,
                    }),
                });
                insts.push(SourceInst {
                    results: vec![second.local],
                    op: Op::Scalar(ScalarOp::U32Add, vec![first.local, Value(zero)]),
                });
                insts.extend(second.region.insts);
                *count += 1;
                return;
            }
            *count += 1;
        }
        match &mut list[at] {
            Node::Repeat(repeat) => merge_in(&mut repeat.body.nodes, zero, count, chosen),
            Node::Select { then, els, .. } => {
                merge_in(&mut then.nodes, zero, count, chosen);
                merge_in(&mut els.nodes, zero, count, chosen);
            }
            Node::Inst(_) | Node::Phase(_) | Node::Tree(_) => {}
        }
        at += 1;
    }
}

fn renumber(list: &mut [Node], number: &mut u32) {
    for node in list {
        match node {
            Node::Inst(_) => {}
            Node::Phase(phase) => phase.id = next_phase(number),
            Node::Tree(tree) => tree.id = next_phase(number),
            Node::Repeat(repeat) => renumber(&mut repeat.body.nodes, number),
            Node::Select { then, els, .. } => {
                renumber(&mut then.nodes, number);
                renumber(&mut els.nodes, number);
            }
        }
    }
}

fn next_phase(number: &mut u32) -> PhaseId {
    *number += 1;
    PhaseId(*number - 1)
}
