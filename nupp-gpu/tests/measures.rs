//! The measures that keep a driver's compiler from changing bits, each taken out of a module in turn:
//! without all of them the probe finds every result right, without one it finds some wrong.
//!
//! Which of them a driver needs differs, and one that rewrites nothing needs none of those against
//! rewriting. So what must be missed is stated for the drivers that are tested on every push.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::context_with;
use nupp_compile::driver;
use nupp_core::artifact::{KernelSpec, ModuleSpec};
use nupp_core::device::ir::Module;
use nupp_core::device::lower_device;
use nupp_core::device::mutate::{Measure, without_measure};
use nupp_core::device::probe::{Evidence, Probe, Stage, UNIFORMS};
use nupp_core::device::profile::Profile;
use nupp_core::emit::spirv;
use nupp_core::verify;
use nupp_gpu::{Context, ContextOptions, ModuleForm, Slot, SlotMut};
use nupp_testkit::embed::embed;

/// The probe, its modules for a device, and that device.
struct Bench {
    context: Context,
    probe: Probe,
    parts: Vec<Part>,
}

/// A part of the probe, and what it gives as it is.
struct Part {
    stage: Stage,
    spec: &'static KernelSpec,
    module: Module,
    given: Vec<u32>,
}

impl Bench {
    fn open() -> Option<Self> {
        // A module that is embedded for a profile is taken as it is where that profile is asked for.
        let options = ContextOptions::new()
            .form(ModuleForm::Spirv)
            .profile(Some(Profile::CONSERVATIVE));
        let context = context_with(options)?;
        let profile = *context.device().arithmetic().unwrap().profile();
        let probe = Probe::new().unwrap();
        let part = |stage| {
            let kernel = probe.kernel(stage);
            let mut part = Part {
                module: lower_device::lower(kernel, &profile).unwrap(),
                spec: embed(&driver::finish((**kernel).clone()).unwrap()).unwrap(),
                stage,
                given: Vec::new(),
            };
            part.given = part.run(&part.module, &probe, &context);
            part
        };
        Some(Bench {
            parts: Stage::PARTS.into_iter().map(part).collect(),
            probe,
            context,
        })
    }

    /// What is wrong of the probe's results, where one of its parts gives these.
    fn wrong(&self, part: usize, given: Vec<u32>) -> Option<Evidence> {
        let mut all: Vec<&[u32]> = self.parts.iter().map(|part| &part.given[..]).collect();
        all[part] = &given;
        self.probe.confirm(&all.concat()).err()
    }

    /// How many measures of a kind there are, and the tests of the probe that miss one.
    fn missed(&self, measure: Measure) -> (u32, Vec<&'static str>) {
        let mut all = 0;
        let mut missed = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let mut count = 0;
            while let Some(broken) = without_measure(&part.module, measure, count) {
                let given = part.run(&broken, &self.probe, &self.context);
                missed.extend(self.wrong(at, given).map(|evidence| evidence.test));
                count += 1;
            }
            all += count;
        }
        (all, missed)
    }
}

impl Part {
    /// What this module gives for the operands of the part.
    fn run(&self, module: &Module, probe: &Probe, context: &Context) -> Vec<u32> {
        let module = verify::device::verify(module.clone()).unwrap();
        let words = spirv::emit(&module);
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let spec = Box::leak(Box::new(KernelSpec {
            module: ModuleSpec {
                spirv: bytes.leak(),
                ..self.spec.module
            },
            ..*self.spec
        }));
        let kernel = context.compile_raw(spec).unwrap();
        let operands = probe.operands(self.stage);
        let results = context.buffer::<u32>(operands[0].len()).unwrap();
        let read = operands.map(|words| {
            let buffer = context.buffer::<u32>(words.len()).unwrap();
            context.upload(&buffer, words).unwrap();
            buffer
        });
        let mut slots = vec![SlotMut::from(&results).into()];
        slots.extend(read.iter().map(|buffer| Slot::from(buffer).into()));
        kernel.bind(slots).unwrap().dispatch(&UNIFORMS).unwrap();
        context.download_blocking(&results).unwrap()
    }
}

#[test]
fn each_measure_is_missed() {
    let Some(bench) = Bench::open() else {
        return;
    };
    assert_eq!(bench.wrong(0, bench.parts[0].given.clone()), None);
    let (gates, missed) = bench.missed(Measure::Gate);
    // A NaN that is chosen, not computed, has the bits that it was read with on every device.
    let shown = format!("{gates} gates, missed in {missed:?}");
    assert!(missed.contains(&"x < y and x or y"), "{shown}");
    let (hidings, missed) = bench.missed(Measure::Hiding);
    let shown = format!("{hidings} hidings, missed in {missed:?}");
    assert!(hidings > 40, "{shown}");
    // This compiler takes a sum with a literal zero for its other operand, whatever a decoration
    // says, so that a literal that is not hidden is missed.
    if bench.context.device().adapter.contains("llvmpipe") {
        assert!(
            missed.contains(&"x + 0") && missed.contains(&"0 - x"),
            "{shown}"
        );
    }
}
