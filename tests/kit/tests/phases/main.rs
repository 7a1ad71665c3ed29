//! Generated workgroup kernels: both interpreters against the direct evaluator of the typed tree, by
//! bits, in every order of lanes and groups, with the race detector watching.
//!
//! `NUPP_KERNELS` says how many kernels, `NUPP_SEED` where to start.

mod breaks;
mod execute;
mod mutants;
mod tally;

use execute::{Executors, compile};
use nupp_core::device::profile::Profile;
use nupp_core::eval::source::LaneOrder;
use nupp_testkit::generate::group_kernel;
use nupp_testkit::{grouped, typed};

/// Kernels by default.
const KERNELS: u64 = 150;

const ORDERS: [LaneOrder; 3] = [
    LaneOrder::Ascending,
    LaneOrder::Reversed,
    LaneOrder::Shuffled(5),
];

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => otherwise,
    }
}

/// The seeds of this run.
fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let first = number("NUPP_SEED", 0);
    first..first + number("NUPP_KERNELS", otherwise)
}

/// Fails with every seed on which two executors differ, and the text of the first.
#[test]
fn generated_groups_keep_their_bits() {
    let mut faults = Vec::new();
    for seed in seeds(KERNELS) {
        let text = group_kernel(seed);
        if let Err(fault) = caught(|| one(seed, &text)) {
            faults.push((format!("seed {seed}: {fault}"), text));
        }
    }
    tally::show(&faults);
}

/// Does the work on a thread of its own, so that a panic is a fault like any other and its kernel is
/// shown too.
fn caught<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    let outcome = std::thread::scope(|scope| scope.spawn(work).join());
    outcome.unwrap_or_else(|_| Err("a panic".to_string()))
}

fn one(seed: u64, text: &str) -> Result<(), String> {
    let (program, kernel) = compile(text).map_err(|refused| format!("refused: {refused}"))?;
    // Integer code for every float operation takes the interpreter long, so few kernels run it.
    let profiles = if seed.is_multiple_of(4) {
        Profile::ALL
    } else {
        &Profile::ALL[..1]
    };
    let executors = Executors::new(kernel?, profiles)?;
    for (at, len) in grouped::lengths(&program).into_iter().enumerate() {
        let run = match grouped::run(&program, seed, len) {
            Err(typed::Failure::TooLong) => continue,
            other => other.map_err(|fault| format!("length {len}: {fault:?}"))?,
        };
        let whole = at + 1 == grouped::LENGTHS;
        let orders = if whole { &ORDERS[..] } else { &ORDERS[1..2] };
        let outcome = executors.in_order(&run, orders);
        let seeds = if whole {
            0..2
        } else {
            2..2 + u64::from(at.is_multiple_of(2))
        };
        let outcome = outcome.and_then(|()| executors.scheduled(&run, seeds));
        outcome.map_err(|fault| format!("length {len}: {fault}"))?;
    }
    Ok(())
}
