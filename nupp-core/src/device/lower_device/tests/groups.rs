//! Workgroup kernels: turns, families, choices of the controller, structs in scratch.

use super::kit::{Kit, barriers, own, run_groups};
use super::*;

/// Each turn every lane writes its slot, then reads its neighbour's: a barrier between the two,
/// and one before the next turn's write.
pub(super) fn rotation() -> Kernel {
    let mut kit = Kit::new(16);
    let s = kit.words(0, 16);
    let sum = kit.words(0, 16);
    kit.repeat(3, |kit, turn| {
        kit.phase(|kit, local| {
            let value = kit.input(16, local);
            let value = kit.b.scalar(ScalarOp::U32Add, &[value, turn]);
            kit.store(own(s), value);
        });
        kit.phase(|kit, local| {
            let (one, mask) = (kit.b.u32(1), kit.b.u32(15));
            let next = kit.b.scalar(ScalarOp::U32Add, &[local, one]);
            let index = kit.b.scalar(ScalarOp::U32And, &[next, mask]);
            let near = kit.load(Place::Slot {
                array: s,
                index,
                proof: Certificate::Interval,
            });
            let before = kit.load(own(sum));
            let after = kit.b.scalar(ScalarOp::U32Add, &[before, near]);
            kit.store(own(sum), after);
        });
    });
    kit.copy(sum, 16, true);
    kit.kernel()
}

#[test]
fn a_turn_is_kept_from_the_next() {
    let kernel = rotation();
    let input = words(6, 48);
    let given = run_groups(&kernel, &input, 16);
    for (n, &given) in given.iter().enumerate() {
        let near = input[n / 16 * 16 + (n + 1) % 16];
        assert_eq!(given, near.wrapping_mul(3).wrapping_add(3));
    }
    // One before the write, one before the read; the sum is each lane's own.
    assert_eq!(barriers(&kernel), 2);
}

#[test]
fn blocked_slots_belong_to_their_lane() {
    let mut kit = Kit::new(8);
    let s = kit.words(5, 24);
    for out in [false, true] {
        kit.phase(|kit, local| {
            let (lo, hi) = (kit.b.i32(0), kit.b.i32(2));
            let var = kit.b.counted_var(lo, hi);
            kit.b.open();
            let family = Family::Blocked {
                stride: 3,
                j: Operand::Value(var),
            };
            let place = Place::Own {
                array: s,
                slot: family,
            };
            let value = kit.load(place.clone());
            if out {
                let proof = Certificate::Primary;
                let place = Place::GroupBlock {
                    span: SpanId(0),
                    stride: 24,
                    slot: family,
                    proof,
                };
                kit.store(place, value);
            } else {
                let value = kit.b.scalar(ScalarOp::U32Add, &[value, local]);
                kit.store(place, value);
            }
            let body = kit.b.close(Vec::new());
            kit.b.loop_(
                LoopKind::Counted { var, lo, hi },
                vec![],
                vec![],
                body,
                false,
            );
        });
    }
    let kernel = kit.kernel();
    let wanted: Vec<u32> = (0..24).map(|n| 5 + n / 3).collect();
    assert_eq!(run_groups(&kernel, &[0; 24], 24), wanted);
    assert_eq!(
        barriers(&kernel),
        0,
        "no lane meets another, the fill included"
    );
}

#[test]
fn a_conditional_store_leaves_the_initial_value() {
    let mut kit = Kit::new(4);
    let s = kit.words(11, 4);
    kit.phase(|kit, local| {
        let two = kit.b.u32(2);
        let low = kit.b.scalar(ScalarOp::U32Lt, &[local, two]);
        kit.b.open();
        kit.store(own(s), local);
        let then = kit.b.close(Vec::new());
        kit.b.if_(low, then, Default::default());
    });
    kit.phase(|kit, local| {
        let three = kit.b.u32(3);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[three, local]);
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof: Certificate::Interval,
        });
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 4,
                slot,
                proof,
            },
            value,
        );
    });
    assert_eq!(run_groups(&kit.kernel(), &[0; 4], 4), [11, 11, 1, 0]);
}

#[test]
fn a_choice_of_the_controller_keeps_its_barriers_uniform() {
    let mut kit = Kit::new(8);
    let s = kit.words(1, 8);
    let one = kit.b.u32(1);
    let odd = kit.b.scalar(ScalarOp::U32And, &[kit.group, one]);
    let is_odd = kit.b.scalar(ScalarOp::U32Eq, &[odd, one]);
    kit.select(is_odd, |kit| {
        kit.copy(s, 8, false);
        kit.tree(TreeKind::Reduce, s, Combine::Op(ScalarOp::U32Add));
    });
    kit.phase(|kit, _| {
        let index = kit.b.u32(0);
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof: Certificate::Const,
        });
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 8,
                slot,
                proof,
            },
            value,
        );
    });
    let given = run_groups(&kit.kernel(), &[2; 24], 8);
    assert_eq!(given[..8], [1; 8]);
    assert_eq!(given[8..16], [16; 8]);
    assert_eq!(given[16..], [1; 8]);
}

#[test]
fn without_scratch_there_is_no_barrier() {
    let mut kit = Kit::new(4);
    for _ in 0..2 {
        kit.phase(|kit, local| {
            let value = kit.input(4, local);
            let slot = Family::Strided {
                k: Operand::Const(0),
            };
            let proof = Certificate::Primary;
            kit.store(
                Place::GroupBlock {
                    span: SpanId(0),
                    stride: 4,
                    slot,
                    proof,
                },
                value,
            );
        });
    }
    let kernel = kit.kernel();
    assert_eq!(barriers(&kernel), 0);
    assert_eq!(run_groups(&kernel, &[4, 3, 2, 1], 4), [4, 3, 2, 1]);
}

#[test]
fn each_field_of_a_struct_has_its_array() {
    let mut kit = Kit::new(4);
    let initial = [
        Const {
            ty: Scalar::F32,
            bits: 0x3f80_0000,
        },
        Const {
            ty: Scalar::I32,
            bits: 7,
        },
    ];
    let pairs = kit.scratch(Elem::Struct(StructId(0)), &initial, 4);
    kit.phase(|kit, local| {
        let signed = kit.b.scalar(ScalarOp::I32FromU32, &[local]);
        kit.b.effect(Leaf::Store {
            place: own(pairs),
            field: 1,
            value: signed,
        });
    });
    kit.phase(|kit, local| {
        let three = kit.b.u32(3);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[three, local]);
        let place = Place::Slot {
            array: pairs,
            index,
            proof: Certificate::Interval,
        };
        let float = kit.b.leaf(
            Leaf::Load {
                place: place.clone(),
                field: 0,
            },
            Scalar::F32,
        );
        let int = kit.b.leaf(Leaf::Load { place, field: 1 }, Scalar::I32);
        let int = kit.b.scalar(ScalarOp::F32FromI32, &[int]);
        let sum = kit.b.scalar(ScalarOp::F32Add, &[float, int]);
        let bits = kit.b.scalar(ScalarOp::F32ToBits, &[sum]);
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 4,
                slot,
                proof,
            },
            bits,
        );
    });
    let mut kernel = kit.kernel();
    kernel.structs = vec![StructDecl {
        name: "Pair".into(),
        fields: vec![("a".into(), Scalar::F32), ("b".into(), Scalar::I32)],
    }];
    let wanted = [4.0f32, 3.0, 2.0, 1.0].map(f32::to_bits);
    assert_eq!(run_groups(&kernel, &[0; 4], 4), wanted);
}
