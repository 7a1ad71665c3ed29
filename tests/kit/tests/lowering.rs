//! Generated map kernels: lowered, verified and interpreted Source IR against a direct evaluation
//! of the typed tree, by bits.

use nupp_compile::lower::lower;
use nupp_core::eval::source::{LaneOrder, run};
use nupp_core::verify::source::verify;
use nupp_front::check::check;
use nupp_front::syntax::{Source, parse};
use nupp_testkit::compare::difference;
use nupp_testkit::generate::map_kernel;
use nupp_testkit::inputs::{floats, integers};
use nupp_testkit::random::Random;
use nupp_testkit::typed;

/// Kernels compared by default; `NUPP_KERNELS` names another number, `NUPP_SEED` the first.
const KERNELS: u64 = 150;
const LANES: usize = 19;

/// Fails with the text of the first kernel on which the two differ.
#[test]
fn generated_maps_keep_their_bits() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("NUPP_SEED").unwrap_or(0);
    for seed in first..first + number("NUPP_KERNELS").unwrap_or(KERNELS) {
        compare(seed);
    }
}

fn compare(seed: u64) {
    let text = map_kernel(seed);
    let source = Source::from_nupp(&text);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "seed {seed}\n{text}\n{found:#?}");
    let program = check(&file, &source).unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e:#?}"));
    let mut kernels = lower(&program).unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e:#?}"));
    let kernel = kernels.pop().expect("the generator writes one kernel");
    let kernel = verify(kernel).unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e}"));
    let mut random = Random::new(seed ^ 0x5eed);
    let spans: Vec<Vec<u32>> = kernel
        .spans
        .iter()
        .map(|span| {
            let words = LANES * kernel.elem_words(span.elem) as usize;
            if random.once_in(2) {
                floats(&mut random, words)
            } else {
                integers(&mut random, words)
            }
        })
        .collect();
    let uniforms = integers(&mut random, kernel.uniforms.len());
    let (mut expected, mut actual) = (spans.clone(), spans);
    let outcome = typed::run(&program, &program.kernels[0], &mut expected, &uniforms);
    match outcome {
        Err(typed::Failure::TooLong) => return,
        other => other.unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e:?}")),
    }
    run(&kernel, &mut actual, &uniforms, LaneOrder::Ascending)
        .unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e}"));
    for (at, (expected, actual)) in expected.iter().zip(&actual).enumerate() {
        if let Some(difference) = difference(expected, actual) {
            panic!(
                "seed {seed}, span {at}: {difference}\n{text}\n{:#?}",
                *kernel
            );
        }
    }
}
