//! Emitted modules on a device: the two kernels written by hand in Source IR, as the embedded
//! SPIR-V and as each profile emits them in each language, against plain Rust, by bits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{context_with, span};
use nupp_core::artifact::{
    BindingSpec, GuardOp, GuardSpec, KernelKind, KernelSpec, ModuleSpec, UniformSpec,
};
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::kernel::Kernel;
use nupp_core::ir::{codec, samples};
use nupp_core::{emit, verify};
use nupp_gpu::{CompileError, Context, ContextOptions, ModuleForm, Slot, SlotMut};

const EQUAL: &[GuardOp] = &[GuardOp::Length(0), GuardOp::Length(1), GuardOp::Eq];
const EQUAL_CURSORS: &[GuardOp] = &[GuardOp::Length(2), GuardOp::Length(0), GuardOp::Eq];

/// What the macro embeds for a kernel.
fn embed(
    kernel: Kernel,
    kind: KernelKind,
    bindings: Vec<BindingSpec>,
    uniforms: &'static [UniformSpec],
    guards: &'static [GuardSpec],
) -> &'static KernelSpec {
    let ir = codec::encode(&kernel);
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
        kind,
        bindings: bindings.leak(),
        uniforms,
        guards,
        scratch_bytes: if module.workgroup.is_empty() { 0 } else { 1024 },
        register_bytes: 0,
        barriers: module.barriers,
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

fn map() -> &'static KernelSpec {
    let mut table = span("table", "float", false);
    table.loop_indexed = false;
    embed(
        samples::map(),
        KernelKind::Map { primary: 0 },
        vec![
            span("output", "float", true),
            span("input", "float", false),
            span("cursors", "uint32", false),
            table,
        ],
        &[UniformSpec {
            name: "scale",
            ty: Scalar::F32,
        }],
        &[
            GuardSpec {
                cond: EQUAL,
                message: "",
                text: "#input == #output",
            },
            GuardSpec {
                cond: EQUAL_CURSORS,
                message: "",
                text: "#cursors == #output",
            },
        ],
    )
}

fn groups() -> &'static KernelSpec {
    let mut bindings = vec![span("output", "float", true), span("input", "float", false)];
    bindings
        .iter_mut()
        .for_each(|span| span.loop_indexed = false);
    embed(
        samples::groups(),
        KernelKind::Groups {
            size: 256,
            span: 0,
            divisor: 256,
            ceil: false,
        },
        bindings,
        &[],
        &[GuardSpec {
            cond: EQUAL,
            message: "",
            text: "#input == #output",
        }],
    )
}

/// Every way in which a kernel can reach the device, with the profile that it says it has.
fn routes() -> Vec<(Context, &'static str)> {
    let mut routes = Vec::new();
    for profile in [None, Some(Profile::INTEGER)] {
        for form in [ModuleForm::Spirv, ModuleForm::Wgsl] {
            let options = ContextOptions::new().profile(profile).form(form);
            let name = profile.unwrap_or(Profile::CONSERVATIVE).name;
            routes.extend(context_with(options).map(|context| (context, name)));
        }
    }
    routes
}

/// Signed values of many sizes; subnormal ones too where they are asked for.
fn floats(len: usize, subnormal: bool) -> Vec<f32> {
    (0..len as u32)
        .map(|i| {
            let bits = i.wrapping_mul(0x9e37_79b9).rotate_left(7);
            match i % 5 {
                0 if subnormal => f32::from_bits(bits & 0x807f_ffff),
                // Exponents near 0, where products and sums stay normal.
                _ => f32::from_bits(bits & 0x807f_ffff | (118 + bits % 17) << 23),
            }
        })
        .collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn a_map_gives_the_same_bits_on_every_route() {
    let spec = map();
    let mut digests = Vec::new();
    for (context, profile) in routes() {
        let kernel = context.compile_raw(spec).unwrap();
        assert_eq!(kernel.profile(), profile);
        assert!(kernel.software_operations().contains(&"f32.fma"));
        digests.push(kernel.digest().to_owned());
        for len in [1, 257, 5000] {
            // A device may flush subnormals in its own operations; integer code does not.
            let input = floats(len, profile == "integer");
            let table: Vec<f32> = floats(len / 2, false);
            let cursors: Vec<u32> = (0..len as u32)
                .map(|i| i.wrapping_mul(7919) % 6000)
                .collect();
            let scale = 0.75f32;
            let expected: Vec<f32> = input
                .iter()
                .zip(&cursors)
                .map(|(x, c)| {
                    let t = table.get(*c as usize).copied().unwrap_or(0.0);
                    (0..c & 7).fold(x.mul_add(scale, t), |y, _| y.mul_add(scale, *x))
                })
                .collect();
            let output = context.buffer::<f32>(len).unwrap();
            let source = context.buffer::<f32>(len).unwrap();
            let wheres = context.buffer::<u32>(len).unwrap();
            let lookup = context.buffer::<f32>(table.len()).unwrap();
            context.upload(&source, &input).unwrap();
            context.upload(&wheres, &cursors).unwrap();
            context.upload(&lookup, &table).unwrap();
            let binding = kernel
                .bind(vec![
                    SlotMut::from(&output).into(),
                    Slot::from(&source).into(),
                    Slot::from(&wheres).into(),
                    Slot::from(&lookup).into(),
                ])
                .unwrap();
            binding.dispatch(&[scale.to_bits()]).unwrap();
            let got = context.download_blocking(&output).unwrap();
            assert_eq!(bits(&got), bits(&expected), "{profile}, {len} elements");
        }
    }
    // One profile in two languages is two modules. (Two profiles can be one module: here all float
    // arithmetic is in software either way.)
    for pair in digests.chunks(2) {
        assert_ne!(pair.first(), pair.last());
    }
}

/// The fixed tree: strides 128 … 1.
fn tree(values: &[f32]) -> f32 {
    let mut slots = values.to_vec();
    let mut stride = slots.len() / 2;
    while stride > 0 {
        for slot in 0..stride {
            slots[slot] += slots[slot + stride];
        }
        stride /= 2;
    }
    slots[0]
}

#[test]
fn groups_give_the_same_bits_on_every_route() {
    let spec = groups();
    for (context, profile) in routes() {
        let kernel = context.compile_raw(spec).unwrap();
        for len in [0, 255, 256, 256 * 37 + 19] {
            let input = floats(len, false);
            let mut expected = vec![0.0; len];
            for (group, sums) in input.chunks_exact(256).zip(expected.chunks_exact_mut(256)) {
                sums.fill(tree(group));
            }
            let output = context.buffer::<f32>(len).unwrap();
            let source = context.buffer::<f32>(len).unwrap();
            context.upload(&source, &input).unwrap();
            let binding = kernel
                .bind(vec![
                    SlotMut::from(&output).into(),
                    Slot::from(&source).into(),
                ])
                .unwrap();
            binding.dispatch(&[]).unwrap();
            let got = context.download_blocking(&output).unwrap();
            assert_eq!(bits(&got), bits(&expected), "{profile}, {len} elements");
        }
    }
}

#[test]
fn a_damaged_kernel_is_refused_by_name() {
    let options = ContextOptions::new().form(ModuleForm::Wgsl);
    let Some(context) = context_with(options) else {
        return;
    };
    let good = map();
    for cut in [0, 7, good.ir.len() / 2, good.ir.len() - 1] {
        let spec = Box::leak(Box::new(KernelSpec {
            ir: &good.ir[..cut],
            ..*good
        }));
        let error = context.compile_raw(spec).unwrap_err();
        assert!(
            matches!(&error, CompileError::Malformed { kernel, .. } if *kernel == good.name),
            "{error}"
        );
    }
    context.compile_raw(good).unwrap();
}
