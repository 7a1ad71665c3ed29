//! Developer tasks: `cargo xtask <task>`.
//!
//! `test` is the project's whole test command: it installs what is missing on a fresh Debian
//! machine, then runs every lane. `nightly` runs the long lanes. `setup` only installs. Each lane
//! is a command printed before it runs, so that it can be repeated by hand.

mod install;
mod lanes;
mod step;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  setup     install the drivers and validators that the tests use (Debian packages, npm)
  test      setup, then format, lints, and the tests on both software drivers
  nightly   the long lanes: 10,000 generated maps, 5,000 generated workgroup kernels
  conformance [--device NAME] [--random BITS] [--exhaustive] [--out PATH]
            every operation on a device over edges, hard and random operands, as a table";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["setup"] => install::setup().map(|_| ()),
        ["test"] => install::setup().and_then(|tools| lanes::test(&tools)),
        ["nightly"] => install::setup().and_then(|tools| lanes::nightly(&tools)),
        ["conformance", ref rest @ ..] => lanes::conformance(rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}
