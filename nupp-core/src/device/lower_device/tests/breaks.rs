//! What goes wrong is seen: each barrier taken away, one where lanes part, a lost gate.

use super::groups::rotation;
use super::kit::{Kit, own};
use super::trees::scan;
use super::*;
use crate::device::ir::DeviceRegion;
use crate::device::mutate::without_barrier;
use crate::eval::device::{DeviceEvalError, run_unverified};
use crate::ir::flow::Op;

pub(super) fn each_barrier_is_needed(kernel: &Kernel, per_group: u32) {
    for profile in Profile::ALL {
        let whole = lower_unverified(kernel, profile).expect("it lowers");
        assert!(whole.barriers > 0);
        for n in 0..whole.barriers {
            let broken = without_barrier(&whole, n).expect("there are so many barriers");
            let refused = check(&broken).expect_err("the verifier sees the barrier missing");
            assert_eq!(refused.rule, "no two lanes meet without a barrier");
            for seed in 0..3 {
                let len = 2 * per_group;
                let mut buffers = [vec![0; len as usize], words(8, len as usize)];
                let lengths = [len, len];
                let dispatch = Dispatch {
                    seed,
                    ..dispatch(2, &lengths, &[])
                };
                let seen = run_unverified(&broken, &mut buffers, &dispatch);
                // A lane ahead of another may also read what that one has yet to write.
                let caught = matches!(
                    seen,
                    Err(DeviceEvalError::Race { .. } | DeviceEvalError::Unwritten { .. })
                );
                assert!(caught, "{n}: {seen:?}");
            }
        }
    }
}

#[test]
fn each_barrier_of_the_sample_is_needed() {
    each_barrier_is_needed(&hand::groups(), 256);
}

#[test]
fn each_barrier_of_a_loop_is_needed() {
    each_barrier_is_needed(&rotation(), 16);
}

#[test]
fn each_barrier_of_a_scan_is_needed() {
    each_barrier_is_needed(&scan(64, 64, false), 64);
    each_barrier_is_needed(&scan(16, 64, true), 64);
}

/// The module of a kernel whose lanes below 2 do something that the test fills in.
fn parted(fill: impl FnOnce(&mut DeviceRegion, &mut Module)) -> Module {
    let mut kit = Kit::new(4);
    let s = kit.words(0, 4);
    kit.phase(|kit, local| {
        let two = kit.b.u32(2);
        let low = kit.b.scalar(ScalarOp::U32Lt, &[local, two]);
        kit.b.open();
        kit.store(own(s), local);
        let then = kit.b.close(Vec::new());
        kit.b.if_(low, then, Default::default());
    });
    // Another lane's slot is read, so that the array is the group's.
    let t = kit.words(0, 4);
    kit.phase(|kit, _| {
        let index = kit.b.u32(0);
        let proof = Certificate::Const;
        let place = Place::Slot {
            array: s,
            index,
            proof,
        };
        let value = kit.load(place);
        kit.store(own(t), value);
    });
    let mut module = lower_unverified(&kit.kernel(), &Profile::CONSERVATIVE).expect("it lowers");
    let mut body = std::mem::take(&mut module.body);
    let outer = body.insts.iter_mut().find_map(|inst| match &mut inst.op {
        Op::If { then, .. } => Some(then),
        _ => None,
    });
    let outer = outer.expect("the group's own condition");
    let inner = outer.insts.iter_mut().find_map(|inst| match &mut inst.op {
        Op::If { then, .. } => Some(then),
        _ => None,
    });
    fill(inner.expect("the lanes' condition"), &mut module);
    module.body = body;
    module
}

#[test]
fn a_barrier_where_lanes_part_is_refused_and_seen() {
    let module = parted(|region, module| {
        region.insts.push(Inst {
            results: Vec::new(),
            op: Op::Leaf(DeviceLeaf::Barrier),
        });
        module.barriers += 1;
    });
    let refused = check(&module).expect_err("not every lane comes to it");
    assert_eq!(refused.rule, "a barrier stands in uniform control");
    let mut buffers = [vec![], vec![]];
    let seen = run_unverified(&module, &mut buffers, &dispatch(1, &[0, 0], &[]));
    assert!(
        matches!(seen, Err(DeviceEvalError::Divergence { .. })),
        "{seen:?}"
    );
}

#[test]
fn a_read_of_what_nobody_wrote_is_refused_and_seen() {
    let mut module = parted(|_, _| {});
    // An array of its own, read by the lanes below 2 and written by none.
    module.workgroup.push(ArrayDecl {
        name: "empty".into(),
        ty: Scalar::U32,
        len: 4,
    });
    let result = Value(module.values.len() as u32);
    module.values.push(module.values[0]);
    module.values[result.index()].scope = crate::ir::entity::Scope::Lane;
    let index = module
        .body
        .insts
        .iter()
        .find_map(|inst| match inst.op {
            Op::Leaf(DeviceLeaf::Builtin(Builtin::LocalIndex)) => inst.results.first().copied(),
            _ => None,
        })
        .expect("a lane number");
    module.values[result.index()].ty = Scalar::U32;
    let leaf = DeviceLeaf::SharedLoad { array: 1, index };
    module.body.insts.push(Inst {
        results: vec![result],
        op: Op::Leaf(leaf),
    });
    let refused = check(&module).expect_err("nothing wrote it");
    assert_eq!(
        refused.rule,
        "workgroup memory is written before it is read"
    );
    let mut buffers = [vec![], vec![]];
    let seen = run_unverified(&module, &mut buffers, &dispatch(1, &[0, 0], &[]));
    assert!(
        matches!(seen, Err(DeviceEvalError::Unwritten { .. })),
        "{seen:?}"
    );
}

#[test]
fn an_index_past_the_end_is_seen() {
    let module = lower_unverified(&hand::map(), &Profile::CONSERVATIVE).expect("it lowers");
    let module = verify(module).expect("it verifies");
    let mut buffers = [vec![0; 3], vec![0; 4], vec![0; 4], vec![0]];
    let seen = run(&module, &mut buffers, &dispatch(4, &[4, 4, 4, 1], &[0]));
    let wanted = DeviceEvalError::Bounds {
        memory: "output".into(),
        len: 3,
        index: 3,
        lane: 3,
        group: 0,
    };
    assert_eq!(seen, Err(wanted));
}

#[test]
fn lanes_that_write_one_element_are_seen() {
    // Every group writes the elements of group 0.
    let mut kit = Kit::new(4);
    kit.phase(|kit, local| {
        let values = vec![local];
        let proof = Certificate::Primary;
        kit.b.effect(Leaf::Scatter {
            span: SpanId(0),
            index: local,
            proof,
            values,
        });
    });
    let module = lower_unverified(&kit.kernel(), &Profile::CONSERVATIVE).expect("it lowers");
    let module = verify(module).expect("storage is not the verifier's");
    let mut buffers = [vec![0; 8], vec![]];
    let seen = run(&module, &mut buffers, &dispatch(2, &[8, 0], &[]));
    assert!(
        matches!(seen, Err(DeviceEvalError::Race { .. })),
        "{seen:?}"
    );
}

#[test]
fn a_lost_gate_shows() {
    // inf - inf, stored as the arithmetic leaves it.
    let kernel = hand::map();
    let mut module = lower_unverified(
        &kernel,
        &Profile {
            fma: crate::device::profile::Route::Opaque,
            ..Profile::CONSERVATIVE
        },
    )
    .expect("it lowers");
    let inf = 0x7f80_0000;
    let run_it = |module: &Module| {
        let mut buffers = [vec![0], vec![inf], vec![0], vec![0xff80_0000]];
        let dispatch = dispatch(1, &[1, 1, 1, 1], &[0x3f80_0000]);
        run_unverified(module, &mut buffers, &dispatch).expect("it runs");
        buffers[0][0]
    };
    assert_eq!(run_it(&module), 0x7fc0_0000);
    ungate(&mut module.body);
    assert_ne!(run_it(&module), 0x7fc0_0000);
}

/// Stores what a gate was given instead of what it gives.
fn ungate(region: &mut DeviceRegion) {
    let mut raw = None;
    for inst in &mut region.insts {
        match &mut inst.op {
            Op::Scalar(ScalarOp::U32Select, args) => raw = Some((inst.results[0], args[2])),
            Op::Leaf(DeviceLeaf::BufferStore { value, .. }) => {
                if let Some((gated, bits)) = raw
                    && *value == gated
                {
                    *value = bits;
                }
            }
            Op::If { then, els, .. } => {
                ungate(then);
                ungate(els);
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::Loop(_) => {}
        }
    }
}
