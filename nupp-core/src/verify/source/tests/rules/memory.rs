//! Broken accesses of spans: rooms, write forms, scatters, blocks, cursors, certificates.

use super::*;
use crate::ir::flow::{Const, ValueInfo};

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
    // After a choice that scatters on one side, too; once on each side is once a lane.
    let sides = |els: bool, after: bool| {
        let mut kernel = more::scatter();
        let cond = Value(kernel.values.len() as u32);
        kernel.values.push(ValueInfo {
            ty: Scalar::Bool,
            scope: Scope::Dispatch,
        });
        let insts = &mut region(&mut kernel).insts;
        let scatter = insts.pop().expect("the scatter comes last");
        let side = |there: bool| SourceRegion {
            insts: there.then(|| scatter.clone()).into_iter().collect(),
            yields: Vec::new(),
        };
        let truth = Const {
            ty: Scalar::Bool,
            bits: 1,
        };
        insts.push(Inst {
            results: vec![cond],
            op: Op::Const(truth),
        });
        insts.push(Inst {
            results: Vec::new(),
            op: Op::If {
                cond,
                then: side(true),
                els: side(els),
            },
        });
        insts.extend(after.then(|| scatter.clone()));
        scope::assign(&mut kernel);
        verify(kernel).map(|_| ()).map_err(|e| e.rule)
    };
    assert_eq!(sides(false, false), Ok(()));
    assert_eq!(sides(true, false), Ok(()));
    assert_eq!(sides(false, true), Err("declared scatter"));
    assert_eq!(sides(true, true), Err("declared scatter"));
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
