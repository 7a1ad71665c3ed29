//! Broken phases, accesses of scratch, trees; and what scratch a kernel needs.

use super::*;

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
