//! Runs one generated workgroup kernel on every executor; included by the generated crate.

use crate::harness::{Case, Runner};
use nupp_front::syntax::{self, Source};
use nupp_front::{check, hir};
use nupp_testkit::grouped;

/// Returns how many runs failed, and says what failed with the kernel's text.
pub fn one(seed: u64, text: &str, runner: impl Fn() -> Runner + Sync) -> u32 {
    let program = parse(text);
    let mut failed = 0;
    let lengths = grouped::lengths(&program);
    for len in [lengths[5], lengths[4]] {
        let run = || {
            let run = grouped::run(&program, seed, len).expect("the direct evaluator");
            let case = Case::new(runner()).spans(run.spans).uniforms(run.uniforms);
            // The interpreters run these kernels in a test of their own.
            case.large().generated(seed).gives_all(run.expected);
        };
        // On a thread of its own, so that the other kernels run whatever becomes of this one.
        if std::thread::scope(|scope| scope.spawn(run).join()).is_err() {
            eprintln!("seed {seed}, {len} elements:\n{text}");
            failed += 1;
        }
    }
    failed
}

/// The typed tree of a block that rustc has just accepted through the macro.
fn parse(text: &str) -> hir::Program {
    let source = Source::from_nupp(text);
    let (file, problems) = syntax::parse(&source);
    assert!(problems.is_empty(), "{problems:?}");
    check::check(&file, &source).unwrap_or_else(|problems| panic!("{problems:?}"))
}
