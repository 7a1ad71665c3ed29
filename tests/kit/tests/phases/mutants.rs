//! Broken workgroup kernels, in their text: each is refused, or means one thing on every executor,
//! whatever the order of its lanes.

use crate::execute::{Executors, compile};
use crate::tally::Tally;
use crate::{ORDERS, caught, seeds};
use nupp_core::device::profile::Profile;
use nupp_testkit::generate::{group_kernel, mutant};
use nupp_testkit::random::Random;
use nupp_testkit::{grouped, typed};

/// Kernels by default, and mutants of each.
const KERNELS: u64 = 60;
const MUTANTS: u64 = 8;

#[test]
fn broken_groups_are_refused_or_harmless() {
    let mut tally = Tally::default();
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
            let outcome = caught(|| harmless(seed, &broken));
            tally.add(seed, kind, outcome, &broken);
        }
    }
    tally.finish();
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
