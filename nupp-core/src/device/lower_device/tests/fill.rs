//! The fill of workgroup arrays: there where somebody may see it, and only there.

use super::kit::{Kit, run_groups};
use super::*;
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::ir::flow::Op;

/// Stores to workgroup memory, wherever they stand.
fn stores(region: &DeviceRegion) -> usize {
    let counts = region.insts.iter().map(|inst| match &inst.op {
        Op::Const(_) | Op::Scalar(..) => 0,
        Op::Leaf(DeviceLeaf::SharedStore { .. }) => 1,
        Op::Leaf(_) => 0,
        Op::If { then, els, .. } => stores(then) + stores(els),
        Op::Loop(inner) => stores(&inner.body),
    });
    counts.sum()
}

fn filled(kernel: &Kernel) -> bool {
    let module = lower_unverified(kernel, &Profile::CONSERVATIVE).expect("it lowers");
    // Every kernel here has one store of the author's.
    stores(&module.body) > 1
}

fn own(array: ScratchId) -> Place {
    Place::Own {
        array,
        slot: Family::Strided {
            k: Operand::Const(0),
        },
    }
}

/// Writes the slots of the first `writers` of 8 lanes, if at all, in a loop of `turns` turns, and
/// reads each lane's opposite slot.
fn mirror(writers: u32, turns: u32, uniform: Option<bool>) -> Kernel {
    let mut kit = Kit::new(8);
    let s = kit.words(5, 8);
    let write = |kit: &mut Kit| {
        kit.phase(|kit, local| {
            let limit = kit.b.u32(writers);
            let inside = kit.b.scalar(ScalarOp::U32Lt, &[local, limit]);
            kit.b.open();
            let value = kit.input(8, local);
            kit.store(own(s), value);
            let then = kit.b.close(Vec::new());
            kit.b.if_(inside, then, Default::default());
        });
    };
    kit.repeat(turns, |kit, _| match uniform {
        None => write(kit),
        Some(taken) => {
            let bound = kit.b.u32(if taken { u32::MAX } else { 0 });
            let cond = kit.b.scalar(ScalarOp::U32Lt, &[kit.group, bound]);
            kit.select(cond, write);
        }
    });
    kit.phase(|kit, local| {
        let seven = kit.b.u32(7);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[seven, local]);
        let proof = Certificate::Interval;
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof,
        });
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let place = Place::GroupBlock {
            span: SpanId(0),
            stride: 8,
            slot,
            proof: Certificate::Primary,
        };
        kit.store(place, value);
    });
    kit.kernel()
}

#[test]
fn a_fill_that_somebody_may_see_stays() {
    let input: Vec<u32> = (100..116).collect();
    // Who writes, in how many turns, under which condition of the group; whether it is filled.
    for (writers, turns, uniform, wanted) in [
        (8, 1, None, false),
        (8, 2, None, false),
        (7, 1, None, true),
        (8, 1, Some(true), true),
        (8, 1, Some(false), true),
    ] {
        let kernel = mirror(writers, turns, uniform);
        assert_eq!(filled(&kernel), wanted, "{writers} {turns} {uniform:?}");
        let writes = uniform != Some(false);
        let mean = |at: usize| {
            let slot = 7 - at % 8;
            match writes && (slot as u32) < writers {
                true => input[at - at % 8 + slot],
                false => 5,
            }
        };
        let wanted: Vec<u32> = (0..16).map(mean).collect();
        assert_eq!(run_groups(&kernel, &input, 8), wanted);
    }
}
