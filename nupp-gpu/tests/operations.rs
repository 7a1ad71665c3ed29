//! Every scalar operation on a device, by the conservative and the integer profile, as SPIR-V and
//! as WGSL: `output[i] = op(a[i], b[i], c[i])` over bits that special cases turn on, and the
//! result as an operand of a product, against the meaning of the operation.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{context_with, span};
use nupp_core::artifact::{GuardOp, GuardSpec, KernelKind, KernelSpec, ModuleSpec};
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::eval::scalar;
use nupp_core::ir::build::Builder;
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::kernel::{Access, Body, Elem, Kernel, Leaf, ParamRef, SpanDecl, Target};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Certificate, Place};
use nupp_core::ir::{codec, flow, samples, scope};
use nupp_core::{emit, verify};
use nupp_gpu::{Context, ContextOptions, ModuleForm, Slot, SlotMut};

const NAMES: [&str; 5] = ["output", "used", "a", "b", "c"];
const EQUAL: [[GuardOp; 3]; 5] = {
    const fn equal(span: u32) -> [GuardOp; 3] {
        [GuardOp::Length(span), GuardOp::Length(0), GuardOp::Eq]
    }
    [equal(0), equal(1), equal(2), equal(3), equal(4)]
};

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

fn element(span: u32) -> Place {
    let chain = vec![span - u32::from(span > 0)];
    let proof = match span {
        0 => Certificate::Primary,
        _ => Certificate::Guard { chain },
    };
    Place::Element {
        span: SpanId(span),
        offset: 0,
        proof,
    }
}

fn load(b: &mut Builder<Leaf>, span: u32, ty: Scalar) -> Value {
    let word = if ty == Scalar::Bool { Scalar::U32 } else { ty };
    let value = b.leaf(
        Leaf::Load {
            place: element(span),
            field: 0,
        },
        word,
    );
    if ty != Scalar::Bool {
        return value;
    }
    let one = b.u32(1);
    let low = b.scalar(ScalarOp::U32And, &[value, one]);
    b.scalar(ScalarOp::U32Eq, &[low, one])
}

/// The kernel of one operation.
fn kernel(op: ScalarOp) -> Kernel {
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let args: Vec<Value> = (2..)
        .zip(op.args())
        .map(|(n, &ty)| load(&mut b, n, ty))
        .collect();
    let mut result = b.scalar(op, &args);
    if op.result() == Scalar::Bool {
        let (one, zero) = (b.u32(1), b.u32(0));
        result = b.scalar(ScalarOp::U32Select, &[result, one, zero]);
    }
    b.effect(Leaf::Store {
        place: element(0),
        field: 0,
        value: result,
    });
    if op.result() == Scalar::F32 {
        let value = b.scalar(ScalarOp::F32Mul, &[result, result]);
        b.effect(Leaf::Store {
            place: element(1),
            field: 0,
            value,
        });
    }
    let region = flow::Region {
        insts: b.take_insts(),
        yields: Vec::new(),
    };
    let words = |ty| if ty == Scalar::Bool { Scalar::U32 } else { ty };
    let mut types = vec![words(op.result()), Scalar::F32];
    types.extend((0..3).map(|n| op.args().get(n).map_or(Scalar::U32, |&ty| words(ty))));
    let access = |n| if n < 2 { Access::Write } else { Access::Read };
    let spans: Vec<SpanDecl> = types
        .into_iter()
        .enumerate()
        .map(|(n, ty)| SpanDecl {
            name: NAMES[n].into(),
            elem: Elem::Scalar(ty),
            access: access(n),
        })
        .collect();
    let guards = (1..5)
        .map(|n| samples::equal_lengths(&spans, SpanId(n), SpanId(0)))
        .collect();
    let mut kernel = Kernel {
        name: format!("op_{}", op.name().replace('.', "_")),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..5).map(|n| ParamRef::Span(SpanId(n))).collect(),
        spans,
        uniforms: Vec::new(),
        guards,
        values: b.finish(Vec::new()).0,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

fn embed(kernel: Kernel) -> &'static KernelSpec {
    let ir = codec::encode(&kernel);
    // Words to the host, whatever they are to the kernel.
    let bindings: Vec<_> = (0..5).map(|n| span(NAMES[n], "uint32", n < 2)).collect();
    let guards: Vec<GuardSpec> = (1..5)
        .map(|n| GuardSpec {
            cond: &EQUAL[n],
            message: "",
            text: "equal lengths",
        })
        .collect();
    let kernel = verify::source::verify(kernel).unwrap();
    let module = lower_device::lower(&kernel, &Profile::CONSERVATIVE).unwrap();
    let module = verify::device::verify(module).unwrap();
    let spirv: Vec<u8> = emit::spirv::emit(&module)
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    Box::leak(Box::new(KernelSpec {
        name: module.name.clone().leak(),
        file: file!(),
        line: line!(),
        kind: KernelKind::Map { primary: 0 },
        bindings: bindings.leak(),
        uniforms: &[],
        guards: guards.leak(),
        scratch_bytes: 0,
        register_bytes: 0,
        barriers: 0,
        ir: ir.leak(),
        module: ModuleSpec {
            profile: module.profile,
            spirv: spirv.leak(),
            workgroup: module.size,
            covers: module.covers,
            software: module.software.clone().leak(),
        },
    }))
}

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

/// Whether the device's own operations have a part in it, which may flush subnormals.
fn is_hardware(op: ScalarOp) -> bool {
    matches!(
        op,
        ScalarOp::F32Add
            | ScalarOp::F32Sub
            | ScalarOp::F32Mul
            | ScalarOp::F32Eq
            | ScalarOp::F32Lt
            | ScalarOp::F32Le
    )
}

/// Subnormal, or the least normal number, which may be rounded up from a subnormal.
fn is_tiny(bits: u32) -> bool {
    (1..=0x0080_0000).contains(&(bits & 0x7fff_ffff))
}

/// Runs one operation and compares; says how many tuples were wrong, and shows the first.
fn check(
    context: &Context,
    spec: &'static KernelSpec,
    op: ScalarOp,
    exact: bool,
) -> Option<String> {
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
        let mut args = [inputs[0][n], inputs[1][n], inputs[2][n]];
        for (arg, ty) in args.iter_mut().zip(op.args()) {
            if *ty == Scalar::Bool {
                *arg &= 1;
            }
        }
        let floats = args
            .iter()
            .zip(op.args())
            .filter(|(_, ty)| **ty == Scalar::F32);
        let subnormal = floats.map(|(bits, _)| *bits).any(is_tiny);
        let float = op.result() == Scalar::F32;
        let mut wanted = scalar::apply(op, &args);
        if float {
            wanted = scalar::canonical(wanted);
        }
        let flushed = subnormal || float && is_tiny(wanted);
        if (exact || !is_hardware(op) || !flushed) && output[n] != wanted {
            wrong.push(format!("{args:08x?}: {:08x}, not {wanted:08x}", output[n]));
        }
        let square = scalar::apply(ScalarOp::F32Mul, &[wanted, wanted]);
        let flushed = is_tiny(wanted) || is_tiny(square) || flushed && is_hardware(op);
        if float && (exact || !flushed) && used[n] != square {
            wrong.push(format!(
                "{args:08x?}, squared: {:08x}, not {square:08x}",
                used[n]
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
    let ops: Vec<ScalarOp> = ScalarOp::ALL
        .iter()
        .copied()
        .filter(|&op| op != ScalarOp::F32RawBits)
        .collect();
    let specs: Vec<_> = ops.iter().map(|&op| embed(kernel(op))).collect();
    for profile in [None, Some(Profile::INTEGER)] {
        for form in [ModuleForm::Spirv, ModuleForm::Wgsl] {
            let options = ContextOptions::new().profile(profile).form(form);
            let Some(context) = context_with(options) else {
                return;
            };
            let wrong: Vec<String> = ops
                .iter()
                .zip(&specs)
                .filter_map(|(&op, spec)| check(&context, spec, op, profile.is_some()))
                .collect();
            assert!(
                wrong.is_empty(),
                "{profile:?} as {form:?}:\n{}",
                wrong.join("\n")
            );
        }
    }
}
