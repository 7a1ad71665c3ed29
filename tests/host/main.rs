//! Programs as users write them around their kernels: who owns what, tasks and threads, views and
//! narrow elements. Each file is one shape of program; all of them compile, run and are right by bits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod app;
mod batched;
mod chain;
mod decoder;
mod growing;
mod kernels;
mod loops;
mod narrow;
mod replaced;
mod scatter;
mod stress;
mod tasks;
mod threads;

use nupp::{Context, ContextOptions};

/// Opens the default device, or says that the test was skipped; with `NUPP_REQUIRE_GPU=1` absence
/// fails.
fn context() -> Option<Context> {
    context_with(ContextOptions::new())
}

/// As [`context`], for a device that the options ask for.
fn context_with(options: ContextOptions) -> Option<Context> {
    match Context::open_with(options) {
        Ok(context) => Some(context),
        Err(error) if std::env::var_os("NUPP_REQUIRE_GPU").is_some_and(|value| value == "1") => {
            panic!("NUPP_REQUIRE_GPU is set: {error}")
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i * 17 + 3).collect()
}
