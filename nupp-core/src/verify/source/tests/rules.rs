//! One broken kernel a rule, each made from a sample that verifies.

use super::*;
use crate::ir::entity::{PhaseId, Scalar, Scope, ScratchId, SpanId, StructId, UniformId, Value};
use crate::ir::flow::{Inst, LoopKind, Op, Region};
use crate::ir::kernel::{
    Access, Body, Combine, Elem, Groups, GuardCond, Leaf, Node, ParamRef, Phase, SourceRegion,
    Target, TreeKind,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::ir::samples;
use crate::ir::scope;
use crate::limits::MAX_DEPTH;

/// The rule that a kernel breaks.
fn rule(kernel: Kernel) -> &'static str {
    match verify(kernel) {
        Ok(kernel) => panic!("it verifies:\n{}", crate::ir::print::print(&kernel)),
        Err(error) => error.rule,
    }
}

/// A change to a kernel, with the scopes assigned anew.
fn changed(mut kernel: Kernel, change: impl FnOnce(&mut Kernel)) -> &'static str {
    change(&mut kernel);
    scope::assign(&mut kernel);
    rule(kernel)
}

/// A change to the first operation that the closure accepts.
fn changed_op(mut kernel: Kernel, mut change: impl FnMut(&mut Op<Leaf>) -> bool) -> &'static str {
    let mut done = false;
    more::each_instruction(&mut kernel, &mut |op| done = done || change(op));
    assert!(done, "there was nothing to change");
    scope::assign(&mut kernel);
    rule(kernel)
}

fn changed_place(kernel: Kernel, mut change: impl FnMut(&mut Place) -> bool) -> &'static str {
    changed_op(kernel, |op| match op {
        Op::Leaf(Leaf::Load { place, .. } | Leaf::Store { place, .. }) => change(place),
        _ => false,
    })
}

fn groups(kernel: &mut Kernel) -> &mut Groups {
    match &mut kernel.body {
        Body::Groups(groups) => groups,
        Body::Map { .. } => panic!("the sample has groups"),
    }
}

fn region(kernel: &mut Kernel) -> &mut SourceRegion {
    match &mut kernel.body {
        Body::Map { region, .. } => region,
        Body::Groups(_) => panic!("the sample is a map"),
    }
}

fn phase(kernel: &mut Kernel, id: u32) -> &mut Phase {
    let mut nodes = groups(kernel).nodes.iter_mut();
    let found = nodes.find_map(|node| match node {
        Node::Phase(phase) if phase.id == PhaseId(id) => Some(phase),
        _ => None,
    });
    found.expect("the sample has this phase")
}

#[test]
fn declarations() {
    let map = samples::map;
    for change in [
        (|k| k.params.swap(0, 1)) as fn(&mut Kernel),
        |k| k.params.truncate(4),
        |k| k.params.push(ParamRef::Uniform(UniformId(0))),
        |k| k.uniforms[0].ty = Scalar::Bool,
        |k| k.spans[3].elem = Elem::Scalar(Scalar::Bool),
        |k| k.spans[3].elem = Elem::Struct(StructId(0)),
        |k| k.spans[0].access = Access::Read,
        |k| k.guards[0].cond = GuardCond::Scalar(Region::default()),
        |k| {
            while k.spans.len() <= crate::limits::MAX_SPANS {
                k.params.insert(0, ParamRef::Span(SpanId(0)));
                k.spans.push(k.spans[1].clone());
            }
        },
        |k| {
            k.uniforms = vec![k.uniforms[0].clone(); 33];
            k.params.truncate(4);
            k.params
                .extend((0..33).map(|i| ParamRef::Uniform(UniformId(i))));
        },
    ] {
        assert_eq!(changed(map(), change), "declarations");
    }
    let blocks = more::blocks;
    assert_eq!(
        changed(blocks(), |k| k.structs[0].fields.clear()),
        "declarations"
    );
    assert_eq!(
        changed(blocks(), |k| k.structs[0].fields[0].1 = Scalar::Bool),
        "declarations"
    );
    for change in [
        (|g| g.rule.divisor = 0) as fn(&mut Groups),
        |g| g.rule.span = SpanId(2),
        |g| g.scratch[0].count = 0,
        |g| g.scratch[0].initial.clear(),
        |g| g.scratch[0].initial[0].ty = Scalar::U32,
        |g| g.scratch.clear(),
    ] {
        assert_eq!(
            changed(samples::groups(), |k| change(groups(k))),
            "declarations"
        );
    }
    for size in [0, 257] {
        assert_eq!(
            changed(samples::groups(), |k| groups(k).size = size),
            "group size"
        );
    }
}

#[test]
fn guards_name_spans_once() {
    use crate::ir::kernel::LengthCond;
    let sums = |change: fn(&mut Vec<(i64, SpanId)>)| {
        changed(samples::map(), |k| match &mut k.guards[0].cond {
            GuardCond::Lengths(LengthCond::Cmp { lhs, .. }) => change(&mut lhs.terms),
            _ => panic!("the guard is a comparison"),
        })
    };
    assert_eq!(sums(|terms| terms.push(terms[0])), "declarations");
    assert_eq!(sums(|terms| terms[0].1 = SpanId(9)), "declarations");
    let deep = changed(samples::map(), |k| {
        for _ in 0..=MAX_DEPTH {
            if let GuardCond::Lengths(cond) = &mut k.guards[0].cond {
                *cond = LengthCond::Not(Box::new(cond.clone()));
            }
        }
    });
    assert_eq!(deep, "depth");
}

#[test]
fn definitions_come_once_and_before_uses() {
    // Operands: later, from a closed region, from no table.
    for wrong in [19, 6, 1000] {
        let found = changed_op_raw(samples::map(), |op| match op {
            Op::Scalar(ScalarOp::F32Fma, args) => {
                args[2] = Value(wrong);
                true
            }
            _ => false,
        });
        assert_eq!(found, "definitions", "v{wrong}");
    }
    for wrong in [1, 1000] {
        let mut kernel = samples::map();
        region(&mut kernel).insts[1].results[0] = Value(wrong);
        assert_eq!(rule(kernel), "definitions", "v{wrong}");
    }
    let mut kernel = samples::map();
    region(&mut kernel).insts.swap(0, 6);
    assert_eq!(rule(kernel), "definitions");
    // A value of one phase in another.
    let mut kernel = samples::groups();
    phase(&mut kernel, 2).region.insts.remove(1);
    assert_eq!(rule(kernel), "definitions");
}

/// As [`changed_op`], with the scopes as they were: numbers outside of tables have none.
fn changed_op_raw(
    mut kernel: Kernel,
    mut change: impl FnMut(&mut Op<Leaf>) -> bool,
) -> &'static str {
    let mut done = false;
    more::each_instruction(&mut kernel, &mut |op| done = done || change(op));
    assert!(done, "there was nothing to change");
    rule(kernel)
}

#[test]
fn types() {
    let fma = |change: fn(&mut Vec<Value>)| {
        changed_op_raw(samples::map(), |op| match op {
            Op::Scalar(ScalarOp::F32Fma, args) => {
                change(args);
                true
            }
            _ => false,
        })
    };
    assert_eq!(fma(|args| args[0] = Value(2)), "types");
    assert_eq!(fma(|args| args.truncate(2)), "arity");
    let mut kernel = samples::map();
    kernel.values[9].ty = Scalar::U32;
    assert_eq!(rule(kernel), "types");
    let raw = changed_op(samples::map(), |op| match op {
        Op::Scalar(op @ ScalarOp::U32And, args) => {
            *op = ScalarOp::F32RawBits;
            args.truncate(1);
            true
        }
        _ => false,
    });
    assert_eq!(raw, "types");
    let field = changed_op(samples::map(), |op| match op {
        Op::Leaf(Leaf::Store { field, .. }) => {
            *field = 1;
            true
        }
        _ => false,
    });
    assert_eq!(field, "types");
    let truth = changed_op(more::scatter(), |op| match op {
        Op::If { cond, .. } => {
            *cond = Value(1);
            true
        }
        _ => false,
    });
    assert_eq!(truth, "types");
    let bounds = changed_op(more::product(), |op| match op {
        Op::Loop(inner) => match &mut inner.kind {
            LoopKind::Counted { hi, .. } => {
                *hi = Value(2);
                true
            }
            LoopKind::While { .. } => false,
        },
        _ => false,
    });
    assert_eq!(bounds, "types");
    let mut kernel = more::scatter();
    kernel.values.push(kernel.values[0]);
    let last = Value(kernel.values.len() as u32 - 1);
    kernel.values[last.index()].ty = Scalar::Bool;
    let c = crate::ir::flow::Const {
        ty: Scalar::Bool,
        bits: 2,
    };
    region(&mut kernel).insts.push(Inst {
        results: vec![last],
        op: Op::Const(c),
    });
    scope::assign(&mut kernel);
    assert_eq!(rule(kernel), "types");
}

#[test]
fn arity_of_regions_and_loops() {
    let yields = changed_op(samples::map(), |op| match op {
        Op::If { then, .. } => {
            then.yields.clear();
            true
        }
        _ => false,
    });
    assert_eq!(yields, "arity");
    let breaks = changed_op(samples::map(), |op| match op {
        Op::Loop(inner) => {
            inner.breaks = true;
            true
        }
        _ => false,
    });
    assert_eq!(breaks, "arity");
    let mut kernel = samples::map();
    region(&mut kernel).yields.push(Value(1));
    assert_eq!(rule(kernel), "arity");
    let mut kernel = samples::groups();
    let yielded = phase(&mut kernel, 0).local;
    phase(&mut kernel, 0).region.yields.push(yielded);
    assert_eq!(rule(kernel), "arity");
    let fields = changed_op(more::scatter(), |op| match op {
        Op::Leaf(Leaf::Scatter { values, .. }) => {
            values.push(values[0]);
            true
        }
        _ => false,
    });
    assert_eq!(fields, "arity");
}

#[test]
fn depth_and_length() {
    let mut kernel = more::scatter();
    for _ in 0..=MAX_DEPTH {
        let insts = &mut region(&mut kernel).insts;
        let then = Region {
            insts: vec![insts.pop().expect("the scatter's condition")],
            yields: Vec::new(),
        };
        insts.push(Inst {
            results: Vec::new(),
            op: Op::If {
                cond: Value(4),
                then,
                els: Region::default(),
            },
        });
    }
    assert_eq!(rule(kernel), "depth");
    let mut kernel = more::scatter();
    let empty = Inst {
        results: Vec::new(),
        op: Op::If {
            cond: Value(4),
            then: Region::default(),
            els: Region::default(),
        },
    };
    let many = vec![empty; crate::limits::MAX_INSTRUCTIONS];
    region(&mut kernel).insts.extend(many);
    assert_eq!(rule(kernel), "length");
}

#[test]
fn scopes_are_least_and_controllers_uniform() {
    for (value, scope) in [(1, Scope::Dispatch), (3, Scope::Lane), (10, Scope::Group)] {
        let mut kernel = samples::map();
        kernel.values[value].scope = scope;
        assert_eq!(rule(kernel), "scopes", "v{value}");
    }
}

#[test]
fn a_controller_decides_nothing_by_a_value_of_a_lane() {
    // The structure alone keeps such a value out, so its check is left out here.
    let mut kernel = samples::groups();
    kernel.values.push(kernel.values[0]);
    let value = Value(kernel.values.len() as u32 - 1);
    let place = Place::GroupSlot {
        span: SpanId(0),
        lane: 0,
        proof: Certificate::Primary,
    };
    groups(&mut kernel).nodes.push(Node::Inst(Inst {
        results: vec![value],
        op: Op::Leaf(Leaf::Load { place, field: 0 }),
    }));
    scope::assign(&mut kernel);
    let error = scopes::check(&kernel).expect_err("the value is a lane's");
    assert_eq!(error.rule, "uniform controller");
    assert_eq!(rule(kernel), "rooms");
}

#[test]
fn a_combination_touches_nothing_outside() {
    let mut kernel = more::controlled();
    let changed = groups(&mut kernel).nodes.iter_mut().any(|node| match node {
        Node::Repeat(repeat) => repeat.body.nodes.iter_mut().any(|node| match node {
            Node::Select { els, .. } => match &mut els.nodes[0] {
                Node::Tree(tree) => match &mut tree.combine {
                    Combine::Region { region, .. } => {
                        region.insts[0].op = Op::Leaf(Leaf::Length(SpanId(0)));
                        true
                    }
                    Combine::Op(_) => false,
                },
                _ => false,
            },
            _ => false,
        }),
        _ => false,
    });
    assert!(changed, "there was nothing to change");
    assert_eq!(rule(kernel), "rooms");
}

#[test]
fn access_and_rooms() {
    let read_only = changed_place(samples::map(), |place| match place {
        Place::Element { span, .. } if *span == SpanId(0) => {
            *span = SpanId(1);
            true
        }
        _ => false,
    });
    assert_eq!(read_only, "access");
    let cross = changed_place(samples::map(), |place| match place {
        Place::At { span, .. } => {
            *span = SpanId(0);
            true
        }
        _ => false,
    });
    assert_eq!(cross, "access");
    let offset = changed_place(samples::map(), |place| match place {
        Place::Element { span, offset, .. } if *span == SpanId(0) => {
            *offset = -1;
            true
        }
        _ => false,
    });
    assert_eq!(offset, "access");
    let scatter = changed_op(more::scatter(), |op| match op {
        Op::Leaf(Leaf::Scatter { span, .. }) => {
            *span = SpanId(2);
            true
        }
        _ => false,
    });
    assert_eq!(scatter, "access");
    let slot = changed_op(more::group_sums(), |op| match op {
        Op::Leaf(Leaf::Store { place, .. }) => {
            *place = Place::Slot {
                array: ScratchId(0),
                index: Value(1),
                proof: Certificate::Const,
            };
            true
        }
        _ => false,
    });
    assert_eq!(slot, "access");
    let element = changed_place(samples::groups(), |place| match place {
        Place::At { span, .. } => {
            *place = Place::Element {
                span: *span,
                offset: 0,
                proof: Certificate::Primary,
            };
            true
        }
        _ => false,
    });
    assert_eq!(element, "rooms");
    let scratch = changed_place(samples::map(), |place| match place {
        Place::At { index, .. } => {
            *place = Place::Slot {
                array: ScratchId(0),
                index: *index,
                proof: Certificate::Interval,
            };
            true
        }
        _ => false,
    });
    assert_eq!(scratch, "rooms");
    let unknown = changed_place(samples::groups(), |place| match place {
        Place::Own { array, .. } => {
            *array = ScratchId(1);
            true
        }
        _ => false,
    });
    assert_eq!(unknown, "declarations");
    let unknown = changed_place(samples::groups(), |place| match place {
        Place::GroupBlock { span, .. } => {
            *span = SpanId(7);
            true
        }
        _ => false,
    });
    assert_eq!(unknown, "declarations");
    let store = changed(more::controlled(), |k| {
        let leaf = Leaf::Scatter {
            span: SpanId(0),
            index: Value(0),
            proof: Certificate::Primary,
            values: vec![Value(0)],
        };
        groups(k).nodes.push(Node::Inst(Inst {
            results: Vec::new(),
            op: Op::Leaf(leaf),
        }));
    });
    assert_eq!(store, "rooms");
}

#[test]
fn phases_are_numbered_and_there_is_one() {
    assert_eq!(
        changed(samples::groups(), |k| phase(k, 2).id = PhaseId(1)),
        "phases"
    );
    assert_eq!(
        changed(samples::groups(), |k| groups(k)
            .nodes
            .retain(|node| matches!(node, Node::Inst(_)))),
        "phases"
    );
}

#[test]
fn one_write_form_a_span() {
    let mixed = |change: fn(&mut Place)| {
        changed(more::scan(8, TreeKind::Reduce), |k| {
            let stored = phase(k, 2).region.insts[1].clone();
            let Op::Leaf(Leaf::Store {
                mut place,
                field,
                value,
            }) = stored.op
            else {
                panic!("the phase stores")
            };
            change(&mut place);
            phase(k, 2).region.insts.push(Inst {
                results: Vec::new(),
                op: Op::Leaf(Leaf::Store {
                    place,
                    field,
                    value,
                }),
            });
        })
    };
    let stride = mixed(|place| {
        if let Place::GroupBlock { stride, .. } = place {
            *stride = 9;
        }
    });
    assert_eq!(stride, "write form");
    let family = mixed(|place| {
        if let Place::GroupBlock { slot, .. } = place {
            *slot = Family::Blocked {
                stride: 1,
                j: Operand::Const(0),
            };
        }
    });
    assert_eq!(family, "write form");
    let single = mixed(|place| {
        *place = Place::GroupSlot {
            span: SpanId(0),
            lane: 0,
            proof: Certificate::Primary,
        };
    });
    assert_eq!(single, "write form");
}

#[test]
fn a_scatter_is_alone() {
    let twice = changed_place(more::scatter(), |place| match place {
        Place::Element { span, .. } if *span == SpanId(0) => {
            *span = SpanId(1);
            true
        }
        _ => false,
    });
    assert_eq!(twice, "declared scatter");
    let again = changed(more::scatter(), |k| {
        let last = region(k).insts.last().cloned();
        region(k).insts.extend(last);
    });
    assert_eq!(again, "declared scatter");
}

#[test]
fn a_phase_reads_what_it_writes_only_at_its_own_slots() {
    let moved = changed(more::controlled(), |k| {
        // The last phase reads any slot; let it write its own as well.
        let read = phase(k, 2).region.insts.len() - 2;
        let value = phase(k, 2).region.insts[read].results[0];
        let place = Place::Own {
            array: ScratchId(0),
            slot: Family::Blocked {
                stride: 2,
                j: Operand::Const(0),
            },
        };
        phase(k, 2).region.insts.push(Inst {
            results: Vec::new(),
            op: Op::Leaf(Leaf::Store {
                place,
                field: 0,
                value,
            }),
        });
    });
    assert_eq!(moved, "cross-lane read");
    let two = |slot: Family, write: bool| {
        changed(more::scan(8, TreeKind::Reduce), |k| {
            let array = ScratchId(0);
            let value = phase(k, 0).local;
            let place = Place::Own { array, slot };
            let (results, leaf) = if write {
                let field = 0;
                (
                    vec![],
                    Leaf::Store {
                        place,
                        field,
                        value,
                    },
                )
            } else {
                k.values.push(k.values[0]);
                let fresh = Value(k.values.len() as u32 - 1);
                (vec![fresh], Leaf::Load { place, field: 0 })
            };
            phase(k, 0).region.insts.push(Inst {
                results,
                op: Op::Leaf(leaf),
            });
        })
    };
    let other = Family::Blocked {
        stride: 1,
        j: Operand::Const(0),
    };
    assert_eq!(two(other, true), "families");
    assert_eq!(two(other, false), "cross-lane read");
}

#[test]
fn slots_stay_inside_their_arrays() {
    let beyond = changed_place(samples::groups(), |place| match place {
        Place::Own { slot, .. } => {
            *slot = Family::Strided {
                k: Operand::Const(1),
            };
            true
        }
        _ => false,
    });
    assert_eq!(beyond, "scratch bounds");
    let small = changed(more::scan(8, TreeKind::Reduce), |k| {
        groups(k).scratch[1].count = 7;
    });
    assert_eq!(small, "scratch bounds");
    let read = changed(more::controlled(), |k| groups(k).size = 9);
    assert_eq!(read, "scratch bounds");
    // The last phase reads at `(lane + step) & mask`.
    let around = |step: u32, mask: u32| {
        let mut kernel = more::controlled();
        for (i, bits) in [step, mask].into_iter().enumerate() {
            if let Op::Const(c) = &mut phase(&mut kernel, 2).region.insts[i].op {
                c.bits = bits;
            }
        }
        kernel
    };
    verify(around(u32::MAX, 15)).expect("the mask is enough");
    verify(around(8, 31)).expect("8 lanes and 8 slots more");
    assert_eq!(rule(around(9, 31)), "scratch bounds");
    // The slot inside a lane's block is a counted variable of 0 and 1.
    let narrow = changed_place(more::controlled(), |place| match place {
        Place::Own {
            slot: Family::Blocked { stride, .. },
            ..
        } => {
            *stride = 1;
            true
        }
        _ => false,
    });
    // The load's family differs from the store's before its bounds are looked at.
    assert_eq!(narrow, "cross-lane read");
    let mut kernel = more::controlled();
    more::each_instruction(&mut kernel, &mut |op| {
        if let Op::Leaf(
            Leaf::Load {
                place: Place::Own { slot, .. },
                ..
            }
            | Leaf::Store {
                place: Place::Own { slot, .. },
                ..
            },
        ) = op
            && let Family::Blocked { stride, .. } = slot
        {
            *stride = 1;
        }
    });
    assert_eq!(rule(kernel), "families");
}

#[test]
fn blocks_and_groups_stay_inside_their_spans() {
    let stride = changed_place(samples::groups(), |place| match place {
        Place::GroupBlock { stride, .. } => {
            *stride = 257;
            true
        }
        _ => false,
    });
    assert_eq!(stride, "block bounds");
    let stride = changed_place(samples::groups(), |place| match place {
        Place::GroupBlock { stride, .. } => {
            *stride = 255;
            true
        }
        _ => false,
    });
    assert_eq!(stride, "block bounds");
    assert_eq!(
        changed(samples::groups(), |k| groups(k).rule.ceil = true),
        "cursor bounds"
    );
    assert_eq!(
        changed(samples::groups(), |k| groups(k).rule.divisor = 255),
        "cursor bounds"
    );
    let lane = changed_place(more::group_sums(), |place| match place {
        Place::GroupSlot { lane, .. } => {
            *lane = 1;
            true
        }
        _ => false,
    });
    assert_eq!(lane, "families");
    let unguarded = changed(more::group_sums(), |k| k.guards.clear());
    assert_eq!(unguarded, "block bounds");
    let block = changed_op(more::blocks(), |op| match op {
        Op::Const(c) if c.ty == Scalar::I32 && c.bits == 3 => {
            c.bits = 4;
            true
        }
        _ => false,
    });
    assert_eq!(block, "block bounds");
    let guard = changed(more::blocks(), |k| k.guards[0] = k.guards[1].clone());
    assert_eq!(guard, "block bounds");
}

#[test]
fn cursors_need_their_comparison() {
    let other = changed_place(samples::map(), |place| match place {
        Place::At { span, .. } => {
            *span = SpanId(1);
            true
        }
        _ => false,
    });
    assert_eq!(other, "cursor bounds");
    let swapped = changed_op(samples::map(), |op| match op {
        Op::If { then, els, .. } => {
            std::mem::swap(then, els);
            true
        }
        _ => false,
    });
    assert_eq!(swapped, "certificates");
}

#[test]
fn certificates_name_what_is_so() {
    let at = |proof: Certificate| {
        changed_place(samples::map(), |place| match place {
            Place::At { proof: slot, .. } => {
                *slot = proof.clone();
                true
            }
            _ => false,
        })
    };
    assert_eq!(at(Certificate::Const), "certificates");
    assert_eq!(at(Certificate::Guard { chain: vec![2] }), "certificates");
    let facts = vec![(Value(5), false)];
    assert_eq!(at(Certificate::Cursor { facts }), "certificates");
    let facts = vec![(Value(15), true)];
    assert_eq!(at(Certificate::Cursor { facts }), "definitions");
    let facts = vec![(Value(4), true)];
    assert_eq!(at(Certificate::Cursor { facts }), "types");
    let mut deep = Certificate::Interval;
    for _ in 0..=MAX_DEPTH {
        deep = Certificate::All(vec![deep]);
    }
    assert_eq!(at(deep), "depth");
}

#[test]
fn trees() {
    let tree = |change: fn(&mut crate::ir::kernel::Tree)| {
        changed(more::scan(8, TreeKind::ExclusiveScan), |k| {
            for node in &mut groups(k).nodes {
                if let Node::Tree(tree) = node {
                    change(tree);
                }
            }
        })
    };
    assert_eq!(tree(|t| t.combine = Combine::Op(ScalarOp::F32Add)), "trees");
    assert_eq!(tree(|t| t.combine = Combine::Op(ScalarOp::U32Eq)), "trees");
    assert_eq!(tree(|t| t.combine = Combine::Op(ScalarOp::U32Sub)), "trees");
    assert_eq!(
        tree(|t| {
            t.kind = TreeKind::InclusiveScan {
                temporary: Some(t.array),
            };
        }),
        "trees"
    );
    assert_eq!(tree(|t| t.array = ScratchId(2)), "declarations");
    for (array, count) in [(0, 12), (1, 16)] {
        let found = changed(
            more::scan(
                8,
                TreeKind::InclusiveScan {
                    temporary: Some(ScratchId(1)),
                },
            ),
            |k| groups(k).scratch[array].count = count,
        );
        assert_eq!(found, "trees");
    }
}

#[test]
fn footprints() {
    let with = |kernel: Kernel, array: usize, count| {
        let mut kernel = kernel;
        groups(&mut kernel).scratch[array].count = count;
        kernel
    };
    verify(with(samples::groups(), 0, 4096)).expect("16 KiB");
    assert_eq!(rule(with(samples::groups(), 0, 8192)), "footprint");
    let scan = || more::scan(8, TreeKind::Reduce);
    verify(with(scan(), 1, 8 * 256)).expect("1,024 bytes a lane");
    assert_eq!(rule(with(scan(), 1, 8 * 256 + 1)), "footprint");
    // A scan without a second array of the author's needs one of the compiler's.
    let scan = || more::scan(8, TreeKind::ExclusiveScan);
    verify(with(scan(), 0, 2048)).expect("twice 8 KiB");
    assert_eq!(rule(with(scan(), 0, 4096)), "footprint");
}

#[test]
fn cpu_kernels_may_guard_uniforms_and_gpu_kernels_may_not() {
    let mut kernel = samples::map();
    kernel.target = Target::Cpu;
    verify(kernel).expect("a map may run on the CPU alone");
    let guard = changed(samples::map(), |k| {
        k.target = Target::Cpu;
        k.guards[0].cond = GuardCond::Scalar(Region::default());
    });
    assert_eq!(guard, "arity");
}
