//! Runs one generated kernel on every executor; included by the generated crate.

use crate::harness::{Case, Runner};
use nupp_front::syntax::{self, Source};
use nupp_front::{check, hir};
use nupp_testkit::mapped;

/// Returns how many runs failed, and says what failed with the kernel's text.
pub fn one(seed: u64, text: &str, runner: impl Fn() -> Runner + Sync) -> u32 {
    let program = parse(text);
    let mut failed = 0;
    for len in mapped::LENGTHS {
        let started = std::time::Instant::now();
        // On a thread of its own, so that the other kernels run whatever becomes of this one.
        let one = || run(seed, len, &program, runner());
        let outcome = std::thread::scope(|scope| scope.spawn(one).join());
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
    let run = mapped::run(program, seed, len).expect("the direct evaluator");
    let case = Case::new(runner).spans(run.spans).uniforms(run.uniforms);
    case.generated(seed).gives_all(run.expected);
}

/// The typed tree of a block that rustc has just accepted through the macro.
fn parse(text: &str) -> hir::Program {
    let source = Source::from_nupp(text);
    let (file, problems) = syntax::parse(&source);
    assert!(problems.is_empty(), "{problems:?}");
    check::check(&file, &source).unwrap_or_else(|problems| panic!("{problems:?}"))
}
