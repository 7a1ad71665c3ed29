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

/// The probe, its module for a device, and that device.
struct Bench {
    context: Context,
    probe: Probe,
    spec: &'static KernelSpec,
    module: Module,
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
        let kernel = probe.kernel(Stage::Whole);
        Some(Bench {
            module: lower_device::lower(kernel, &profile).unwrap(),
            spec: embed(&driver::finish((**kernel).clone()).unwrap()).unwrap(),
            probe,
            context,
        })
    }

    /// What is wrong of the probe's results with this module.
    fn wrong(&self, module: &Module) -> Option<Evidence> {
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
        let context = &self.context;
        let kernel = context.compile_raw(spec).unwrap();
        let operands = self.probe.operands(Stage::Whole);
        let results = context.buffer::<u32>(operands[0].len()).unwrap();
        let read = operands.map(|words| {
            let buffer = context.buffer::<u32>(words.len()).unwrap();
            context.upload(&buffer, words).unwrap();
            buffer
        });
        let mut slots = vec![SlotMut::from(&results).into()];
        slots.extend(read.iter().map(|buffer| Slot::from(buffer).into()));
        kernel.bind(slots).unwrap().dispatch(&UNIFORMS).unwrap();
        let given = context.download_blocking(&results).unwrap();
        self.probe.confirm(&given).err()
    }

    /// How many measures of a kind there are, and the tests of the probe that miss one.
    fn missed(&self, measure: Measure) -> (u32, Vec<&'static str>) {
        let mut count = 0;
        let mut missed = Vec::new();
        while let Some(broken) = without_measure(&self.module, measure, count) {
            missed.extend(self.wrong(&broken).map(|evidence| evidence.test));
            count += 1;
        }
        (count, missed)
    }
}

#[test]
fn each_measure_is_missed() {
    let Some(bench) = Bench::open() else {
        return;
    };
    assert_eq!(bench.wrong(&bench.module), None);
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
