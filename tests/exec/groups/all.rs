//! What holds for every workgroup kernel of the suite: its modules pass the judges, and one input gives
//! one output, however often and in whatever order its lanes run.

use super::{
    compaction, decoder, exponentials, families, flow, large, products, quantized, sizes, trees,
};
use crate::harness::{Case, count, devices, embedded};
use nupp_core::device::claims::Checks;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::emit::{spirv, wgsl};
use nupp_core::eval::device::{self, Dispatch};
use nupp_core::verify;
use nupp_testkit::compare::fnv1a;
use nupp_validators::{assert_spirv, assert_wgsl};

/// Every workgroup kernel, with a small input.
pub fn samples() -> Vec<Case> {
    [
        trees::samples(),
        sizes::samples(),
        families::samples(),
        flow::samples(),
        products::samples(),
        quantized::samples(),
        decoder::samples(),
        compaction::samples(),
        large::samples(),
        exponentials::samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Gives each span's length in elements, and the number of groups.
pub fn extent(case: &Case) -> (Vec<u32>, u32) {
    let kernel = embedded(case.runner.spec);
    let spans = case.spans.iter().zip(case.runner.spec.bindings);
    let lengths: Vec<u32> = spans
        .map(|(words, binding)| words.len() as u32 / binding.words)
        .collect();
    let count = count(&kernel, &lengths);
    (lengths, count)
}

/// Case 46: naga, spirv-val and Tint, whose analysis refuses a barrier that not all lanes reach.
#[test]
fn case_46_every_module_passes() {
    for case in samples() {
        let kernel = embedded(case.runner.spec);
        for profile in Profile::ALL {
            let what = format!("`{}`, profile {}", case.runner.spec.name, profile.name);
            let checks = Checks {
                scatter: true,
                loops: true,
            };
            let checked = [lower_device::lower_checked(&kernel, profile, checks)];
            for module in [lower_device::lower(&kernel, profile)]
                .into_iter()
                .chain(checked)
            {
                let module = verify::device::verify(module.expect("it lowers"));
                let module = module.expect("it verifies");
                assert_spirv(&what, &spirv::emit(&module));
                assert_wgsl(&what, &wgsl::emit(&module));
            }
        }
    }
}

/// Two hundred runs on each form of the device; fewer, and on one form, where nothing is optimised and
/// the machine waits for each of them.
#[test]
fn many_runs_give_one_hash() {
    let (runs, forms) = if cfg!(debug_assertions) {
        (20, 1)
    } else {
        (200, usize::MAX)
    };
    for device in devices().iter().take(forms) {
        for case in samples() {
            let mut first = None;
            let mut spans = case.spans.clone();
            let each = |words: &[Vec<u32>]| {
                let hash: Vec<u64> = words.iter().map(|words| fnv1a(words)).collect();
                let first = first.get_or_insert_with(|| hash.clone());
                let name = case.runner.spec.name;
                assert_eq!(*first, hash, "`{name}` on {}", device.name);
            };
            case.runner
                .repeated(&device.context, &mut spans, &case.uniforms, runs, each)
                .expect("it runs");
        }
    }
}

#[test]
fn schedules_of_lanes_give_one_output() {
    for case in samples() {
        let kernel = embedded(case.runner.spec);
        let (lengths, count) = extent(&case);
        let module = lower_device::lower(&kernel, &Profile::INTEGER).expect("it lowers");
        let module = verify::device::verify(module).expect("it verifies");
        let mut first = None;
        for seed in 0..4 {
            let mut spans = case.spans.clone();
            let dispatch = Dispatch {
                count,
                lengths: &lengths,
                offsets: &vec![0; lengths.len()],
                uniforms: &case.uniforms,
                width: 2,
                seed,
            };
            device::run(&module, &mut spans, &dispatch).expect("it runs");
            let first = first.get_or_insert_with(|| spans.clone());
            assert!(*first == spans, "`{}`, seed {seed}", case.runner.spec.name);
        }
    }
}
