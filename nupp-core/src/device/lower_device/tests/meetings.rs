//! Lanes that cannot meet: phases of one lane after each other, and groups of one lane. Beside that,
//! the arrays that scans of one kernel share.

use super::breaks::each_barrier_is_needed;
use super::kit::{Kit, barriers, own, run_groups};
use super::trees::scan;
use super::*;
use crate::verify::source::footprint;

/// Sums 8 slots, then stores the sum in the element of each lane that meets the condition.
fn stored_where(kit: &mut Kit, s: ScratchId, cond: impl FnOnce(&mut Kit, Value) -> Value) {
    kit.copy(s, 8, false);
    kit.tree(TreeKind::Reduce, s, Combine::Op(ScalarOp::U32Add));
    kit.phase(|kit, local| {
        let cond = cond(kit, local);
        kit.b.open();
        let index = kit.b.u32(0);
        let proof = Certificate::Const;
        let sum = kit.load(Place::Slot {
            array: s,
            index,
            proof,
        });
        let place = Place::GroupBlock {
            span: SpanId(0),
            stride: 8,
            slot: Family::Strided {
                k: Operand::Const(0),
            },
            proof: Certificate::Primary,
        };
        kit.store(place, sum);
        let then = kit.b.close(Vec::new());
        kit.b.if_(cond, then, Default::default());
    });
}

fn sum_where(cond: impl FnOnce(&mut Kit, Value) -> Value) -> Kernel {
    let mut kit = Kit::new(8);
    let s = kit.words(0, 8);
    stored_where(&mut kit, s, cond);
    kit.kernel()
}

fn compared(op: ScalarOp, bound: u32) -> Kernel {
    sum_where(|kit, local| {
        let bound = kit.b.u32(bound);
        kit.b.scalar(op, &[local, bound])
    })
}

#[test]
fn the_lane_that_wrote_a_sum_reads_it_without_a_barrier() {
    let also = sum_where(|kit, local| {
        let (zero, many) = (kit.b.u32(0), kit.b.u32(100));
        let first = kit.b.scalar(ScalarOp::U32Eq, &[zero, local]);
        let early = kit.b.scalar(ScalarOp::U32Lt, &[kit.group, many]);
        kit.b.scalar(ScalarOp::BoolAnd, &[early, first])
    });
    // A constant of the controller.
    let outer = {
        let mut kit = Kit::new(8);
        let s = kit.words(0, 8);
        let zero = kit.b.u32(0);
        stored_where(&mut kit, s, |kit, local| {
            kit.b.scalar(ScalarOp::U32Eq, &[local, zero])
        });
        kit.kernel()
    };
    for kernel in [
        compared(ScalarOp::U32Eq, 0),
        compared(ScalarOp::U32Lt, 1),
        also,
        outer,
    ] {
        assert_eq!(barriers(&kernel), 3);
        let given = run_groups(&kernel, &[1; 24], 8);
        let one = [8, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(given, [one, one, one].concat());
        each_barrier_is_needed(&kernel, 8);
    }
}

#[test]
fn another_lane_that_reads_it_meets_a_barrier() {
    for kernel in [
        compared(ScalarOp::U32Eq, 1),
        compared(ScalarOp::U32Lt, 2),
        compared(ScalarOp::U32Le, 1),
    ] {
        assert_eq!(barriers(&kernel), 4);
        each_barrier_is_needed(&kernel, 8);
    }
}

#[test]
fn the_next_turn_waits_for_the_lane_that_read_a_sum() {
    let mut kit = Kit::new(8);
    let s = kit.words(0, 8);
    kit.repeat(3, |kit, _| {
        stored_where(kit, s, |kit, local| {
            let zero = kit.b.u32(0);
            kit.b.scalar(ScalarOp::U32Eq, &[local, zero])
        });
    });
    let kernel = kit.kernel();
    assert_eq!(barriers(&kernel), 4);
    each_barrier_is_needed(&kernel, 8);
}

#[test]
fn a_group_of_one_lane_has_no_barrier() {
    for exclusive in [false, true] {
        assert_eq!(barriers(&scan(1, 8, exclusive)), 0);
    }
}

/// Two scans of words and one of signed numbers, none of which names a second array.
#[test]
fn scans_share_an_array_of_their_type() {
    let mut kit = Kit::new(8);
    let zero = Const {
        ty: Scalar::I32,
        bits: 0,
    };
    let short = kit.words(0, 16);
    let long = kit.words(0, 32);
    let signed = kit.scratch(Elem::Scalar(Scalar::I32), &[zero], 8);
    let alone = TreeKind::InclusiveScan { temporary: None };
    kit.copy(long, 32, false);
    kit.phase(|kit, local| kit.store(own(short), local));
    kit.tree(
        TreeKind::ExclusiveScan,
        short,
        Combine::Op(ScalarOp::U32Add),
    );
    kit.tree(alone, long, Combine::Op(ScalarOp::U32Add));
    kit.tree(alone, signed, Combine::Op(ScalarOp::I32Add));
    kit.copy(long, 32, true);
    let kernel = kit.kernel();
    let module = lower_unverified(&kernel, &Profile::CONSERVATIVE).expect("it lowers");
    let lens: Vec<u32> = module.workgroup.iter().map(|array| array.len).collect();
    assert_eq!(lens, [16, 32, 8, 32, 8]);
    let bytes: u32 = lens.iter().map(|len| 4 * len).sum();
    assert_eq!(footprint(&kernel).scratch_bytes, u64::from(bytes));
    let input = words(5, 96);
    let sums = input.chunks(32).flat_map(|group| {
        group.iter().scan(0u32, |sum, &word| {
            *sum = sum.wrapping_add(word);
            Some(*sum)
        })
    });
    assert_eq!(run_groups(&kernel, &input, 32), sums.collect::<Vec<_>>());
}
