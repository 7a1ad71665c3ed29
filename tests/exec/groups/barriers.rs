//! Every barrier of every kernel of the suite, taken away: the verifier of Device IR or its interpreter
//! must see it, or prove it needless. What each of them sees is the table of `docs/barriers.md`.
//!
//! A driver is no judge of this: several run a kernel without a barrier and give the right words.

use super::all::{extent, samples};
use crate::harness::{Case, Words, embedded};
use nupp_core::device::ir::Module;
use nupp_core::device::lower_device;
use nupp_core::device::mutate::without_barrier;
use nupp_core::device::profile::Profile;
use nupp_core::eval::device::{Dispatch, run_unverified};
use nupp_core::verify;

/// What a run leaves, or nothing where some schedule meets a fault.
fn run(case: &Case, module: &Module) -> Option<Vec<Words>> {
    let (lengths, count) = extent(case);
    let run = |seed| {
        let mut spans = case.spans.clone();
        let dispatch = Dispatch {
            count,
            lengths: &lengths,
            offsets: &vec![0; lengths.len()],
            uniforms: &case.uniforms,
            width: 65_535,
            seed,
        };
        let ran = run_unverified(module, &mut spans, &dispatch);
        ran.is_ok().then_some(spans)
    };
    let all: Option<Vec<_>> = (0..3).map(run).collect();
    all?.pop()
}

#[test]
fn every_barrier_is_needed() {
    let mut table = String::from(HEAD);
    for case in samples() {
        let spec = case.runner.spec;
        let kernel = embedded(spec);
        let whole = lower_device::lower(&kernel, &Profile::CONSERVATIVE).expect("it lowers");
        assert_eq!(whole.barriers, spec.barriers, "`{}`", spec.name);
        let bytes: u32 = whole.workgroup.iter().map(|array| 4 * array.len).sum();
        assert_eq!(bytes, spec.scratch_bytes, "`{}`", spec.name);
        let words = run(&case, &whole);
        assert!(words.is_some(), "`{}` as it is", spec.name);
        let (mut refused, mut met, mut needless) = (0, 0, 0);
        for n in 0..whole.barriers {
            let broken = without_barrier(&whole, n).expect("there are so many barriers");
            let verifier = match verify::device::check(&broken) {
                Ok(()) => false,
                Err(refused) => {
                    assert_eq!(refused.rule, "no two lanes meet without a barrier");
                    true
                }
            };
            let ran = run(&case, &broken);
            let interpreter = ran.is_none();
            if !verifier && !interpreter {
                assert_eq!(ran, words, "`{}` without barrier {n}", spec.name);
                needless += 1;
            }
            refused += u32::from(verifier);
            met += u32::from(interpreter);
        }
        assert!(without_barrier(&whole, whole.barriers).is_none());
        let line = format!(
            "| `{}` | {} | {} | {} | {refused} | {met} | {needless} |\n",
            spec.name, whole.size, spec.scratch_bytes, whole.barriers
        );
        table.push_str(&line);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/barriers.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &table).expect("the table is written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == table,
        "docs/barriers.md is not what this run saw:\n{table}"
    );
}

const HEAD: &str = "\
# Barriers

A barrier stands before a phase that meets, in some scratch array, what another lane has done to it
since the last one; nowhere else. Each barrier of each workgroup kernel of the suite is taken away in
turn, and the module without it goes to the verifier of Device IR and to its interpreter, which runs
lanes in several orders and watches what they touch. What neither of them objects to is needless: no
two lanes meet without it, and every order of lanes gives the same words.

A driver is no judge: several run a kernel that lacks a barrier and give the right words.

This file is written by the test `every_barrier_is_needed`; `UPDATE_EXPECT=1` writes it anew.

| kernel | lanes | scratch, bytes | barriers | refused without it | met in a run without it | needless |
| --- | --- | --- | --- | --- | --- | --- |
";
