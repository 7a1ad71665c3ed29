//! Every scalar operation on a device, by the profile that the probe finds and by those that ask for
//! less, in each form: `output[i] = op(a[i], b[i], c[i])` over bits that special cases turn on, and
//! the result as an operand of a product, against the meaning of the operation.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::context_with;
use nupp_core::artifact::KernelSpec;
use nupp_core::device::profile::Profile;
use nupp_core::ir::op::ScalarOp;
use nupp_gpu::{Context, ContextOptions, ModuleForm, Slot, SlotMut};
use nupp_testkit::operations;

/// Zeros, subnormals, ones, halfway cases, limits of the integers and of binary16, infinities, NaN.
const EDGES: &[u32] = &[
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0003,
    0x007f_ffff,
    0x0080_0000,
    0x0100_0001,
    0x1f80_0000,
    0x3300_0000,
    0x3300_0001,
    0x3380_0000,
    0x387f_ffff,
    0x3880_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4060_0000,
    0x477f_efff,
    0x477f_f000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0xcf7f_ffff,
    0x5f00_0001,
    0x7e80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0xffff_ffff,
    0x0000_001f,
    0x0000_0020,
    0x0000_0021,
    0x1234_5678,
];

/// Tuples of edges, fewer where there are three.
fn operands(op: ScalarOp) -> [Vec<u32>; 3] {
    let fewer: Vec<u32> = EDGES.iter().copied().step_by(2).collect();
    let (first, second, third): (&[u32], &[u32], &[u32]) = match op.args().len() {
        1 => (EDGES, &[0], &[0]),
        2 => (EDGES, EDGES, &[0]),
        _ => (&fewer, EDGES, &fewer),
    };
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for &a in first {
        for &b in second {
            for &c in third {
                all[0].push(a);
                all[1].push(b);
                all[2].push(c);
            }
        }
    }
    all
}

/// Runs one operation and compares; says how many tuples were wrong, and shows the first.
fn check(context: &Context, spec: &'static KernelSpec, op: ScalarOp) -> Option<String> {
    let inputs = operands(op);
    let len = inputs[0].len();
    let kernel = context.compile_raw(spec).unwrap();
    let written = [
        context.buffer::<u32>(len).unwrap(),
        context.buffer::<u32>(len).unwrap(),
    ];
    let read: Vec<_> = inputs
        .iter()
        .map(|words| {
            let buffer = context.buffer::<u32>(len).unwrap();
            context.upload(&buffer, words).unwrap();
            buffer
        })
        .collect();
    let mut slots = vec![
        SlotMut::from(&written[0]).into(),
        SlotMut::from(&written[1]).into(),
    ];
    slots.extend(read.iter().map(|buffer| Slot::from(buffer).into()));
    kernel.bind(slots).unwrap().dispatch(&[]).unwrap();
    let output = context.download_blocking(&written[0]).unwrap();
    let used = context.download_blocking(&written[1]).unwrap();
    let mut wrong = Vec::new();
    for n in 0..len {
        let args = [inputs[0][n], inputs[1][n], inputs[2][n]];
        let (wanted, square) = operations::value(op, args);
        let given = (output[n], square.map(|_| used[n]));
        if given != (wanted, square) {
            wrong.push(format!(
                "{args:08x?}: {given:08x?}, not {:08x?}",
                (wanted, square)
            ));
        }
    }
    let first = wrong.first()?;
    Some(format!(
        "{}: {} of {len} wrong, {first}",
        op.name(),
        wrong.len()
    ))
}

#[test]
fn every_operation_gives_its_bits() {
    // Functions are thousands of instructions, which software drivers compile for seconds; `tests/exec` runs
    // each on every form and profile.
    let all = operations::all().into_iter();
    let ops: Vec<ScalarOp> = all.filter(|op| !matches!(op, ScalarOp::Math(_))).collect();
    let specs: Vec<_> = ops
        .iter()
        .map(|&op| operations::spec(op).unwrap())
        .collect();
    for profile in [None, Some(Profile::INTEGER), Some(Profile::GUARDED)] {
        for &form in ModuleForm::ALL {
            // Integer code has nothing that a mode or a decoration could change.
            if profile == Some(Profile::INTEGER) && form == ModuleForm::Native {
                continue;
            }
            let options = ContextOptions::new().profile(profile).form(form);
            let Some(context) = context_with(options) else {
                return;
            };
            let wrong: Vec<String> = ops
                .iter()
                .zip(&specs)
                .filter_map(|(&op, spec)| check(&context, spec, op))
                .collect();
            assert!(
                wrong.is_empty(),
                "{profile:?} as {form:?}:\n{}",
                wrong.join("\n")
            );
        }
    }
}
