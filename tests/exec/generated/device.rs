//! Generated kernels on the GPU alone, with the module that the macro would embed: no rustc, which takes
//! far longer over a kernel than all else.

use super::number;
use crate::harness::{Device, Opened, devices, on_device};
use nupp_compile::driver;
use nupp_core::artifact::{BindingSpec, KernelSpec};
use nupp_front::hir::Program;
use nupp_front::syntax::Source;
use nupp_gpu::Context;
use nupp_testkit::compare::difference;
use nupp_testkit::embed::embed;
use nupp_testkit::grouped::Run;
use nupp_testkit::typed;
use std::time::Instant;

/// One kernel in so many runs in a form other than the first, unless `NUPP_GENERATED_ALL` is set;
/// software drivers take long over those that carry operations on floats in integer code.
const EVERY: u64 = 16;

/// A kind of generated kernels.
pub struct Kind {
    /// What they are called.
    pub name: &'static str,
    /// The text of one.
    pub text: fn(u64) -> String,
    /// The lengths at which it is run.
    pub lengths: fn(&Program) -> Vec<usize>,
    /// Inputs, and what the direct evaluator makes of them.
    pub run: fn(&Program, u64, usize) -> Result<Run, typed::Failure>,
}

impl Kind {
    /// Runs so many kernels from `NUPP_GENERATED_SEED` on, each at all lengths, in the forms that its
    /// turn has come for.
    pub fn agree(&self, count: u64) {
        let started = Instant::now();
        let start = number("NUPP_GENERATED_SEED", 0);
        let mut faults = Vec::new();
        let mut spent = vec![(0_u32, 0.0); devices().len()];
        for seed in start..start + count {
            let text = (self.text)(seed);
            if let Err(fault) = self.on_devices(seed, &text, &mut spent) {
                eprintln!("seed {seed}: {fault}\n{text}");
                faults.push(format!("seed {seed}: {fault}"));
            }
        }
        let each = started.elapsed().as_secs_f64() / count.max(1) as f64;
        eprintln!("{count} {} on the device, {each:.3} s each", self.name);
        for (device, (kernels, seconds)) in devices().iter().zip(spent) {
            eprintln!("{}: {kernels} kernels, {seconds:.1} s", device.name);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    fn on_devices(&self, seed: u64, text: &str, spent: &mut [(u32, f64)]) -> Result<(), String> {
        let source = Source::from_nupp(text);
        let mut compiled =
            driver::compile(&source).map_err(|found| format!("refused: {found:?}"))?;
        let kernel = compiled.kernels.pop().ok_or("no kernel")?;
        let spec = embed(&kernel)?;
        let mut runs = Vec::new();
        for len in (self.lengths)(&compiled.program) {
            match (self.run)(&compiled.program, seed, len) {
                Err(typed::Failure::TooLong) => {}
                other => runs.push(other.map_err(|fault| format!("{fault:?}"))?),
            }
        }
        let all = std::env::var_os("NUPP_GENERATED_ALL").is_some();
        for (form, device) in devices().iter().enumerate() {
            if form > 0 && !all && !(seed + form as u64).is_multiple_of(EVERY) {
                continue;
            }
            let started = Instant::now();
            on(device, spec, &runs).map_err(|fault| format!("{}: {fault}", device.name))?;
            spent[form].0 += 1;
            spent[form].1 += started.elapsed().as_secs_f64();
        }
        Ok(())
    }
}

fn on(device: &Opened, spec: &'static KernelSpec, runs: &[Run]) -> Result<(), String> {
    let kernel = device.context.compile_raw(spec);
    let kernel = kernel.map_err(|fault| fault.to_string())?;
    for run in runs {
        let mut buffers = Vec::new();
        for (binding, words) in spec.bindings.iter().zip(&run.spans) {
            buffers.push(buffer(&device.context, binding, words)?);
        }
        let slots = buffers.iter().map(|buffer| buffer.slot()).collect();
        let binding = kernel.bind(slots).map_err(|fault| fault.to_string())?;
        let sent = binding.dispatch(&run.uniforms);
        sent.map_err(|fault| fault.to_string())?;
        for (at, expected) in run.expected.iter().enumerate() {
            let mut words = Vec::new();
            buffers[at].read(&device.context, &mut words)?;
            if let Some(fault) = difference(expected, &words) {
                let name = spec.bindings[at].name;
                return Err(format!("`{name}`, {} elements: {fault}", expected.len()));
            }
        }
    }
    Ok(())
}

/// A pair of words.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Two([u32; 2]);

impl nupp::Element for Two {
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
