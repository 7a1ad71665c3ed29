//! `cargo nupp`: checks and compiles kernels without rustc.
//!
//! Exit codes: 0, all is well; 1, a kernel was refused; 2, wrong usage, or a file could not be read
//! or written. Diagnostics go to standard error, as rustc prints them.

mod aot;
mod arguments;
mod check;
mod file;

use arguments::Command;
use std::process::ExitCode;

/// Why a command did not end well.
enum Failure {
    /// A kernel was refused, and its diagnostics are printed.
    Refused,
    /// Wrong usage, or a file that cannot be read or written.
    Usage(String),
}

fn main() -> ExitCode {
    // As a subcommand of cargo the first argument is `nupp` itself.
    let mut given: Vec<_> = std::env::args_os().collect();
    if given.get(1).is_some_and(|first| first == "nupp") {
        given.remove(1);
    }
    let outcome = match arguments::parse(given) {
        Ok(Command::Check { files }) => check::run(&files),
        Ok(Command::Aot(request)) => aot::run(&request),
        Err(fault) => {
            // Asking for help is no fault: clap prints that to standard output.
            let _ = fault.print();
            return ExitCode::from(if fault.use_stderr() { 2 } else { 0 });
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Refused) => ExitCode::from(1),
        Err(Failure::Usage(text)) => {
            eprintln!("error: {text}");
            ExitCode::from(2)
        }
    }
}
