//! Broken workgroup kernels, in their text: each is refused, or means one thing on every executor,
//! whatever the order of its lanes.

use crate::execute::{Executors, compile};
use crate::{ORDERS, caught, seeds};
use nupp_core::device::profile::Profile;
use nupp_testkit::generate::{group_kernel, mutant};
use nupp_testkit::random::Random;
use nupp_testkit::{grouped, typed};
use std::collections::BTreeMap;

/// Kernels by default, and mutants of each.
const KERNELS: u64 = 60;
const MUTANTS: u64 = 8;

#[test]
fn broken_groups_are_refused_or_harmless() {
    let mut counts: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let mut faults = Vec::new();
    for seed in seeds(KERNELS) {
        let text = group_kernel(seed);
        // A scatter is as right as its author says, so breaking its cursor proves nothing.
        if text.contains(":scatter(") {
            continue;
        }
        let mut random = Random::new(seed ^ 0x6d75_7461);
        for _ in 0..MUTANTS {
            let Some((kind, broken)) = mutant(&text, &mut random) else {
                continue;
            };
            match caught(|| harmless(seed, &broken)) {
                Ok(accepted) => counts.entry(kind).or_default()[usize::from(accepted)] += 1,
                Err(fault) => faults.push((format!("seed {seed}, {kind}: {fault}"), broken)),
            }
        }
    }
    if std::env::var_os("NUPP_COUNTS").is_some() {
        for (kind, [refused, accepted]) in &counts {
            eprintln!("{kind}: {refused} refused, {accepted} harmless");
        }
    }
    let Some((_, text)) = faults.first() else {
        let all: u32 = counts.values().map(|[refused, _]| refused).sum();
        assert!(all > 0, "no mutant was refused: {counts:?}");
        return;
    };
    let said: Vec<&str> = faults.iter().map(|(fault, _)| fault.as_str()).collect();
    panic!("{text}{} faults:\n{}", said.len(), said.join("\n"));
}

/// Whether it is accepted; an error if it should not be.
fn harmless(seed: u64, text: &str) -> Result<bool, String> {
    let Ok((program, kernel)) = compile(text) else {
        return Ok(false);
    };
    let executors = Executors::new(kernel?, &Profile::ALL[..1])?;
    let lengths = grouped::lengths(&program);
    for len in [lengths[3], lengths[5]] {
        let run = match grouped::run(&program, seed, len) {
            // A guard that these lengths do not satisfy stops it on every executor.
            Err(typed::Failure::TooLong | typed::Failure::Guard(_)) => continue,
            other => other.map_err(|fault| format!("length {len}: {fault:?}"))?,
        };
        let outcome = executors.in_order(&run, &ORDERS);
        let outcome = outcome.and_then(|()| executors.scheduled(&run, 0..3));
        outcome.map_err(|fault| format!("length {len}: {fault}"))?;
    }
    Ok(true)
}
