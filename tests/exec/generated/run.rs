//! Runs one generated kernel on every executor; included by the generated crate.

use crate::harness::{Case, Runner, Words};
use nupp_front::syntax::{self, Source};
use nupp_front::{check, hir};
use nupp_testkit::inputs;
use nupp_testkit::random::Random;
use nupp_testkit::typed;

/// Lengths of one run each: empty, one lane, and a partial workgroup.
const LENGTHS: [usize; 3] = [0, 1, 300];

/// Returns how many runs failed, and says what failed with the kernel's text.
pub fn one(seed: u64, text: &str, runner: impl Fn() -> Runner) -> u32 {
    let program = parse(text);
    let mut failed = 0;
    for len in LENGTHS {
        let started = std::time::Instant::now();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed, len, &program, runner())));
        if std::env::var_os("NUPP_GENERATED_VERBOSE").is_some() {
            eprintln!("seed {seed}, {len} elements: {:.2} s", started.elapsed().as_secs_f64());
        }
        if outcome.is_err() {
            eprintln!("seed {seed}, {len} elements:\n{text}");
            failed += 1;
        }
    }
    failed
}

fn run(seed: u64, len: usize, program: &hir::Program, runner: Runner) {
    let mut random = Random::new(seed ^ 0xabcd);
    let uniforms = [
        inputs::floats(&mut random, 1)[0],
        inputs::integers(&mut random, 1)[0],
        inputs::integers(&mut random, 1)[0],
    ];
    let pairs = inputs::floats(&mut random, len).into_iter().zip(inputs::integers(&mut random, len));
    let pairs: Words = pairs.flat_map(|(left, right)| [left, right]).collect();
    let gathered = random.below(9) as usize;
    let spans = vec![
        vec![7; len],
        vec![7; len],
        inputs::floats(&mut random, len),
        inputs::integers(&mut random, len),
        inputs::floats(&mut random, gathered),
        pairs,
    ];
    let mut expected = spans.clone();
    typed::run(program, &program.kernels[0], &mut expected, &uniforms).expect("the direct evaluator");
    Case::new(runner).spans(spans).uniforms(uniforms).generated(seed).gives_all(expected);
}

/// The typed tree of a block that rustc has just accepted through the macro.
fn parse(text: &str) -> hir::Program {
    let source = Source::from_nupp(text);
    let (file, problems) = syntax::parse(&source);
    assert!(problems.is_empty(), "{problems:?}");
    check::check(&file, &source).unwrap_or_else(|problems| panic!("{problems:?}"))
}
