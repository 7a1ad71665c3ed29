//! Scratch that lives in the lane: what becomes values, what stays an array, and that neither
//! costs workgroup memory, a barrier or a bit.

use super::kit::{Kit, barriers, run_groups};
use super::*;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::ir::flow::Op;
use crate::limits::MAX_UNROLLED;

fn lowered(kernel: &Kernel) -> Module {
    lower_unverified(kernel, &Profile::CONSERVATIVE).expect("it lowers")
}

/// Leaves of a region that fit.
fn leaves(region: &DeviceRegion, fits: fn(&DeviceLeaf) -> bool) -> usize {
    let counts = region.insts.iter().map(|inst| match &inst.op {
        Op::Const(_) | Op::Scalar(..) => 0,
        Op::Leaf(leaf) => usize::from(fits(leaf)),
        Op::If { then, els, .. } => leaves(then, fits) + leaves(els, fits),
        Op::Loop(inner) => leaves(&inner.body, fits),
    });
    counts.sum()
}

fn strided(array: ScratchId, k: Operand) -> Place {
    let slot = Family::Strided { k };
    Place::Own { array, slot }
}

fn blocked(array: ScratchId, stride: u32, j: Operand) -> Place {
    let slot = Family::Blocked { stride, j };
    Place::Own { array, slot }
}

impl Kit {
    /// `for 0 .. turns` inside a phase.
    fn each(&mut self, turns: u32, build: impl FnOnce(&mut Self, Value)) {
        let (lo, hi) = (self.b.u32(0), self.b.u32(turns - 1));
        let var = self.b.counted_var(lo, hi);
        self.b.open();
        build(self, var);
        let body = self.b.close(Vec::new());
        let kind = LoopKind::Counted { var, lo, hi };
        self.b.loop_(kind, Vec::new(), Vec::new(), body, false);
    }

    /// Writes slot `k` of the lane to the output.
    fn out(&mut self, stride: u32, slot: Family, value: Value) {
        let place = Place::GroupBlock {
            span: SpanId(0),
            stride,
            slot,
            proof: Certificate::Primary,
        };
        self.store(place, value);
    }
}

/// Takes turns of `s[k] = s[k] * 3 + input + k` over `slots` slots of 4 lanes.
fn turns_over(slots: u32, blocked_by: bool) -> Kernel {
    let mut kit = Kit::new(4);
    let s = kit.words(7, 4 * slots);
    let family = |k: Value| {
        let turn = Operand::Value(k);
        match blocked_by {
            true => blocked(s, slots, turn),
            false => strided(s, turn),
        }
    };
    kit.repeat(3, |kit, _| {
        kit.phase(|kit, local| {
            let base = kit.input(4 * slots, local);
            kit.each(slots, |kit, k| {
                let old = kit.load(family(k));
                let three = kit.b.u32(3);
                let new = kit.b.scalar(ScalarOp::U32Mul, &[old, three]);
                let new = kit.b.scalar(ScalarOp::U32Add, &[new, base]);
                let new = kit.b.scalar(ScalarOp::U32Add, &[new, k]);
                kit.store(family(k), new);
            });
        });
    });
    kit.phase(|kit, _| {
        kit.each(slots, |kit, k| {
            let value = kit.load(family(k));
            let k = Operand::Value(k);
            let slot = match blocked_by {
                true => Family::Blocked {
                    stride: slots,
                    j: k,
                },
                false => Family::Strided { k },
            };
            kit.out(4 * slots, slot, value);
        });
    });
    kit.kernel()
}

/// What three groups of it leave.
fn turns_mean(slots: u32, blocked_by: bool, input: &[u32]) -> Vec<u32> {
    let mut output = vec![0; input.len()];
    for (n, group) in output.chunks_mut(4 * slots as usize).enumerate() {
        for local in 0..4 {
            for k in 0..slots {
                let base = input[n * 4 * slots as usize + local as usize];
                let turn = |v: u32| v.wrapping_mul(3).wrapping_add(base).wrapping_add(k);
                let at = match blocked_by {
                    true => local * slots + k,
                    false => local + k * 4,
                };
                group[at as usize] = turn(turn(turn(7)));
            }
        }
    }
    output
}

fn is_private(leaf: &DeviceLeaf) -> bool {
    matches!(
        leaf,
        DeviceLeaf::PrivateLoad { .. } | DeviceLeaf::PrivateStore { .. }
    )
}

fn is_load(leaf: &DeviceLeaf) -> bool {
    matches!(leaf, DeviceLeaf::BufferLoad { .. })
}

fn is_store(leaf: &DeviceLeaf) -> bool {
    matches!(leaf, DeviceLeaf::BufferStore { .. })
}

#[test]
fn slots_of_a_lane_become_values() {
    for blocked_by in [false, true] {
        let kernel = turns_over(5, blocked_by);
        let module = lowered(&kernel);
        assert_eq!((module.workgroup.len(), module.private.len()), (0, 0));
        assert_eq!((module.register_bytes, module.barriers), (20, 0));
        assert_eq!(leaves(&module.body, is_private), 0);
        // One of each turn of the controller's loop, one of each unrolled turn.
        assert_eq!(leaves(&module.body, is_load), 1);
        assert_eq!(leaves(&module.body, is_store), 5);
        let input = words(6, 60);
        let wanted = turns_mean(5, blocked_by, &input);
        assert_eq!(run_groups(&kernel, &input, 20), wanted);
    }
}

#[test]
fn an_array_too_dear_to_unroll_stays_in_the_lane() {
    // Of each slot's turns there are more than the module may hold.
    let slots = 255;
    assert!(slots as usize * 17 > MAX_UNROLLED);
    let mut kit = Kit::new(1);
    let dear = kit.words(1, slots);
    let cheap = kit.words(2, 2);
    kit.phase(|kit, _| {
        kit.each(slots, |kit, k| {
            let at = strided(dear, Operand::Value(k));
            let mut value = kit.load(at.clone());
            for _ in 0..17 {
                value = kit.b.scalar(ScalarOp::U32Mul, &[value, k]);
            }
            kit.store(at, value);
        });
    });
    kit.phase(|kit, _| {
        kit.each(2, |kit, k| {
            let at = strided(cheap, Operand::Value(k));
            let value = kit.load(at.clone());
            let value = kit.b.scalar(ScalarOp::U32Add, &[value, k]);
            kit.store(at, value);
        });
    });
    kit.phase(|kit, _| {
        let value = kit.load(strided(cheap, Operand::Const(1)));
        let other = kit.load(strided(dear, Operand::Const(1)));
        let value = kit.b.scalar(ScalarOp::U32Add, &[value, other]);
        let k = Operand::Const(0);
        kit.out(1, Family::Strided { k }, value);
    });
    let kernel = kit.kernel();
    let module = lowered(&kernel);
    let names: Vec<&str> = module.private.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["s0"]);
    assert_eq!(module.register_bytes, 4 * (255 + 2));
    // The fill, the loop and the one read after it.
    assert_eq!(leaves(&module.body, is_private), 4);
    assert_eq!(run_groups(&kernel, &[0; 3], 1), [4; 3]);
}

#[test]
fn values_meet_after_choices_and_loops() {
    let mut kit = Kit::new(4);
    let s = kit.words(10, 8);
    let at = |k: u32| strided(s, Operand::Const(k));
    kit.phase(|kit, local| {
        // Lanes take different sides, and different numbers of turns.
        let two = kit.b.u32(2);
        let low = kit.b.scalar(ScalarOp::U32Lt, &[local, two]);
        kit.b.open();
        let twenty = kit.b.u32(20);
        kit.store(at(0), twenty);
        let then = kit.b.close(Vec::new());
        kit.b.open();
        let thirty = kit.b.u32(30);
        kit.store(at(1), thirty);
        let els = kit.b.close(Vec::new());
        kit.b.if_(low, then, els);
        let zero = kit.b.u32(0);
        let var = kit.b.counted_var(zero, local);
        kit.b.open();
        // The two slots change places, so both pass through the loop at once.
        let (a, b) = (kit.load(at(0)), kit.load(at(1)));
        let a = kit.b.scalar(ScalarOp::U32Add, &[a, var]);
        kit.store(at(0), b);
        kit.store(at(1), a);
        let body = kit.b.close(Vec::new());
        let (lo, hi) = (zero, local);
        let kind = LoopKind::Counted { var, lo, hi };
        kit.b.loop_(kind, Vec::new(), Vec::new(), body, false);
    });
    kit.phase(|kit, _| {
        for k in [0, 1] {
            let value = kit.load(at(k));
            let k = Operand::Const(k);
            kit.out(8, Family::Strided { k }, value);
        }
    });
    let kernel = kit.kernel();
    assert_eq!(lowered(&kernel).private.len(), 0);
    let mut wanted = [0; 8];
    for local in 0..4 {
        let (mut a, mut b) = if local < 2 { (20, 10) } else { (10, 30) };
        for n in 0..=local {
            (a, b) = (b, a + n);
        }
        (wanted[local as usize], wanted[local as usize + 4]) = (a, b);
    }
    assert_eq!(run_groups(&kernel, &[0; 8], 8), wanted);
}

#[test]
fn a_neighbour_keeps_an_array_in_workgroup_memory() {
    let mut kit = Kit::new(4);
    let (s, own) = (kit.words(3, 4), kit.words(4, 4));
    kit.phase(|kit, local| {
        let value = kit.load(strided(own, Operand::Const(0)));
        let value = kit.b.scalar(ScalarOp::U32Add, &[value, local]);
        kit.store(strided(s, Operand::Const(0)), value);
    });
    kit.phase(|kit, local| {
        let three = kit.b.u32(3);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[three, local]);
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof: Certificate::Interval,
        });
        kit.store(strided(own, Operand::Const(0)), value);
    });
    // Only `own` is touched here and after it: no barrier.
    kit.phase(|kit, _| {
        let value = kit.load(strided(own, Operand::Const(0)));
        let k = Operand::Const(0);
        kit.out(4, Family::Strided { k }, value);
    });
    let kernel = kit.kernel();
    let module = lowered(&kernel);
    assert_eq!((module.workgroup.len(), module.register_bytes), (1, 4));
    assert_eq!(barriers(&kernel), 1);
    assert_eq!(run_groups(&kernel, &[0; 4], 4), [7, 6, 5, 4]);
}

/// `s[0] - s[0]` of a float slot that was stored once: two reads of one value.
#[test]
fn one_value_read_twice_is_two_operands() {
    let mut kit = Kit::new(1);
    let initial = Const {
        ty: Scalar::F32,
        bits: 0,
    };
    let s = kit.scratch(Elem::Scalar(Scalar::F32), &[initial], 1);
    let at = || strided(s, Operand::Const(0));
    kit.phase(|kit, local| {
        let bits = kit.input(1, local);
        let value = kit.b.scalar(ScalarOp::F32FromBits, &[bits]);
        kit.store(at(), value);
        let load = |kit: &mut Kit| {
            let (place, field) = (at(), 0);
            kit.b.leaf(Leaf::Load { place, field }, Scalar::F32)
        };
        let (a, b) = (load(kit), load(kit));
        let apart = kit.b.scalar(ScalarOp::F32Sub, &[a, b]);
        let bits = kit.b.scalar(ScalarOp::F32ToBits, &[apart]);
        let k = Operand::Const(0);
        kit.out(1, Family::Strided { k }, bits);
    });
    let kernel = kit.kernel();
    let module = lowered(&kernel);
    assert_eq!(module.private.len(), 0);
    let mut pairs = Vec::new();
    subtractions(&module.body, &mut pairs);
    let &[[a, b]] = pairs.as_slice() else {
        panic!("one subtraction, not {pairs:?}");
    };
    assert_ne!(a, b, "a compiler would see that the operands are one");
    let nan = 0x7fc0_0000;
    assert_eq!(
        run_groups(&kernel, &[0x3f80_0000, 0x7f80_0000], 1),
        [0, nan]
    );
}

fn subtractions(region: &DeviceRegion, found: &mut Vec<[Value; 2]>) {
    for inst in &region.insts {
        match &inst.op {
            Op::Scalar(ScalarOp::F32Sub, args) => found.push([args[0], args[1]]),
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
            Op::If { then, els, .. } => {
                subtractions(then, found);
                subtractions(els, found);
            }
            Op::Loop(inner) => subtractions(&inner.body, found),
        }
    }
}
