//! Generated workgroup kernels: the direct evaluator of the typed tree against the GPU and, through
//! the macro and rustc, against every executor.
//!
//! rustc takes far longer over a kernel than all else, so most kernels run on the GPU alone, with the
//! module that the macro would embed: `NUPP_GENERATED_GROUPS` says how many. Some of the same seeds
//! go through the macro as well, in a crate that is written, built and run like that of the maps:
//! `NUPP_GENERATED_GROUPS_MACRO`. `NUPP_GENERATED_SEED` says where both start. (Both interpreters run
//! the same kernels in the test kit, where the race detector watches.)

use crate::harness::{Device, devices, on_device};
use nupp::KernelSpec;
use nupp_compile::driver::{self, CompiledKernel};
use nupp_core::artifact::{BindingSpec, KernelKind, ModuleSpec, UniformSpec};
use nupp_core::ir::codec;
use nupp_core::ir::kernel::{Access, Body};
use nupp_front::syntax::Source;
use nupp_gpu::Context;
use nupp_testkit::compare::difference;
use nupp_testkit::generate::group_kernel;
use nupp_testkit::{grouped, typed};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Kernels of one crate.
const BATCH: u64 = 100;

#[test]
fn generated_groups_agree_on_the_device() {
    let started = Instant::now();
    let count = super::generated::number("NUPP_GENERATED_GROUPS", 500);
    let start = super::generated::number("NUPP_GENERATED_SEED", 0);
    let mut faults = Vec::new();
    let mut spent = vec![(0_u32, 0.0); devices().len()];
    for seed in start..start + count {
        let text = group_kernel(seed);
        if let Err(fault) = on_devices(seed, &text, &mut spent) {
            eprintln!("seed {seed}: {fault}\n{text}");
            faults.push(format!("seed {seed}: {fault}"));
        }
    }
    let each = started.elapsed().as_secs_f64() / count.max(1) as f64;
    eprintln!("{count} workgroup kernels on the device, {each:.3} s each");
    for (device, (kernels, seconds)) in devices().iter().zip(spent) {
        eprintln!("{}: {kernels} kernels, {seconds:.1} s", device.name);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// One kernel in so many runs in each form; software drivers take long over the last, in which every
/// operation on floats is integer code.
const EVERY: [u64; 3] = [1, 16, 16];

/// Runs a kernel in the forms that its turn has come for, and adds to what each has taken.
fn on_devices(seed: u64, text: &str, spent: &mut [(u32, f64)]) -> Result<(), String> {
    let source = Source::from_nupp(text);
    let mut compiled = driver::compile(&source).map_err(|found| format!("refused: {found:?}"))?;
    let kernel = compiled.kernels.pop().ok_or("no kernel")?;
    let spec = embed(kernel)?;
    let lengths = grouped::lengths(&compiled.program);
    let mut runs = Vec::new();
    for len in [lengths[5], lengths[4], lengths[2]] {
        match grouped::run(&compiled.program, seed, len) {
            Err(typed::Failure::TooLong) => {}
            other => runs.push(other.map_err(|fault| format!("{fault:?}"))?),
        }
    }
    for (form, device) in devices().iter().enumerate() {
        if !(seed + form as u64).is_multiple_of(EVERY[form]) {
            continue;
        }
        let started = Instant::now();
        let of = |fault: String| format!("{}: {fault}", device.name);
        let kernel = device.context.compile_raw(spec);
        let kernel = kernel.map_err(|fault| of(fault.to_string()))?;
        for run in &runs {
            let mut buffers = Vec::new();
            for (binding, words) in spec.bindings.iter().zip(&run.spans) {
                buffers.push(buffer(&device.context, binding, words).map_err(of)?);
            }
            let slots = buffers.iter().map(|buffer| buffer.slot()).collect();
            let binding = kernel.bind(slots).map_err(|fault| of(fault.to_string()))?;
            let sent = binding.dispatch(&run.uniforms);
            sent.map_err(|fault| of(fault.to_string()))?;
            for (at, expected) in run.expected.iter().enumerate() {
                let mut words = Vec::new();
                buffers[at].read(&device.context, &mut words).map_err(of)?;
                // A device that flushes is held to running alone, as for the generated maps.
                if let Some(fault) = difference(expected, &words).filter(|_| !device.flushes) {
                    let name = spec.bindings[at].name;
                    return Err(of(format!(
                        "`{name}`, {} elements: {fault}",
                        expected.len()
                    )));
                }
            }
        }
        spent[form].0 += 1;
        spent[form].1 += started.elapsed().as_secs_f64();
    }
    Ok(())
}

/// A pair of words.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Two([u32; 2]);

impl nupp::Element for Two {
    const WORDS: u32 = 2;
    const NAME: &'static str = "Pair";
}

fn buffer(
    context: &Context,
    binding: &BindingSpec,
    words: &[u32],
) -> Result<Box<dyn Device>, String> {
    match binding.element {
        "float" => on_device::<f32>(context, words, binding.write),
        "int32" => on_device::<i32>(context, words, binding.write),
        "uint32" => on_device::<u32>(context, words, binding.write),
        _ => on_device::<Two>(context, words, binding.write),
    }
}

/// What the macro would embed, for as long as the process lives; the lengths keep to the guards.
fn embed(compiled: CompiledKernel) -> Result<&'static KernelSpec, String> {
    let (module, words) = compiled.device.ok_or("a kernel without a module")?;
    let kernel = compiled.kernel;
    let Body::Groups(groups) = &kernel.body else {
        return Err("a map".into());
    };
    let name = |text: &str| -> &'static str { text.to_owned().leak() };
    let element = |words: u32, ty: nupp_core::ir::kernel::Elem| match ty {
        nupp_core::ir::kernel::Elem::Scalar(nupp_core::ir::entity::Scalar::F32) => "float",
        nupp_core::ir::kernel::Elem::Scalar(nupp_core::ir::entity::Scalar::I32) => "int32",
        _ if words == 1 => "uint32",
        _ => "Pair",
    };
    let binding = |span: &nupp_core::ir::kernel::SpanDecl| {
        let words = kernel.elem_words(span.elem);
        BindingSpec {
            name: name(&span.name),
            element: element(words, span.elem),
            words,
            write: span.access == Access::Write,
            loop_indexed: false,
            // Asserted by the generator, and checked by the direct evaluator's words.
            scatter: false,
        }
    };
    let bindings: Vec<BindingSpec> = kernel.spans.iter().map(binding).collect();
    let uniforms = kernel.uniforms.iter().map(|uniform| UniformSpec {
        name: name(&uniform.name),
        ty: uniform.ty,
    });
    let uniforms: Vec<UniformSpec> = uniforms.collect();
    let spirv: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(Box::leak(Box::new(KernelSpec {
        name: name(&kernel.name),
        file: file!(),
        line: line!(),
        kind: KernelKind::Groups {
            size: groups.size,
            span: groups.rule.span.0,
            divisor: groups.rule.divisor,
            ceil: groups.rule.ceil,
        },
        bindings: bindings.leak(),
        uniforms: uniforms.leak(),
        guards: &[],
        scratch_bytes: 0,
        register_bytes: module.register_bytes,
        barriers: module.barriers,
        ir: codec::encode(&kernel).leak(),
        module: ModuleSpec {
            profile: module.profile,
            spirv: spirv.leak(),
            workgroup: module.size,
            covers: module.covers,
            software: module.software.clone().leak(),
        },
    })))
}

#[test]
fn generated_groups_agree_through_the_macro() {
    let count = super::generated::number("NUPP_GENERATED_GROUPS_MACRO", 60);
    let start = super::generated::number("NUPP_GENERATED_SEED", 0);
    for first in (start..start + count).step_by(BATCH as usize) {
        let seeds = first..(start + count).min(first + BATCH);
        let folder = write_crate(seeds.clone());
        let status = Command::new(env!("CARGO"))
            .args(["run", "--offline", "--quiet", "--target-dir"])
            .arg(super::generated::target_folder())
            .current_dir(&folder)
            .status()
            .expect("cargo starts");
        assert!(
            status.success(),
            "a kernel of the seeds {seeds:?} failed; they are in {}",
            folder.display()
        );
    }
}

fn write_crate(seeds: std::ops::Range<u64>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated-groups");
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::create_dir_all(folder.join("src")).expect("a folder under the target folder");
    super::generated::write_manifest(&folder, "nupp-generated-groups");
    let mut main = format!(
        "#[path = \"{root}/tests/exec/harness.rs\"]\n#[allow(dead_code)]\nmod harness;\nuse harness::kernel;\n\
         #[path = \"{root}/tests/exec/generated/groups.rs\"]\nmod run;\n\nfn main() {{\n    let mut failed = 0;\n"
    );
    let mut modules = String::new();
    for seed in seeds {
        let text = group_kernel(seed);
        let _ = writeln!(
            main,
            "    failed += run::one({seed}, k{seed}::TEXT, || kernel!(k{seed}::kernel: w f32, w u32, w f32, \
             w i32, r f32, r u32, r f32, r k{seed}::Pair, u f32, u u32, u i32));"
        );
        let _ = writeln!(
            modules,
            "mod k{seed} {{\n    pub const TEXT: &str = r#\"{text}\"#;\n    nupp::nupp! {{\n{text}    }}\n}}\n"
        );
    }
    main.push_str("    std::process::exit(i32::from(failed != 0));\n}\n\n");
    super::generated::write_if_new(&folder.join("src/main.rs"), &(main + &modules));
    folder
}
