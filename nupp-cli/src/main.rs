//! `cargo nupp`: checks and compiles kernels without rustc, and reads what they cost.
//!
//! Exit codes: 0, all is well; 1, a kernel or a cost log was refused; 2, wrong usage, or a file could not
//! be read or written; of `run`, that of the command. Diagnostics go to standard error, as rustc prints them.

mod aot;
mod arguments;
mod bench;
mod check;
mod costs;
mod file;
mod run;

use arguments::Command;
use std::process::ExitCode;

/// Why a command did not end well.
enum Failure {
    /// Something was refused, and why is printed.
    Refused,
    /// A command that was run ended with this.
    Status(u8),
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
        Ok(Command::Costs { file, json }) => costs::run(&file, json),
        Ok(Command::Run(recorded)) => run::run(&recorded),
        Ok(Command::Bench(bench)) => bench::run(&bench),
        Err(fault) => {
            // Asking for help is no fault: clap prints that to standard output.
            let _ = fault.print();
            return ExitCode::from(if fault.use_stderr() { 2 } else { 0 });
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Refused) => ExitCode::from(1),
        Err(Failure::Status(status)) => ExitCode::from(status),
        Err(Failure::Usage(text)) => {
            eprintln!("error: {text}");
            ExitCode::from(2)
        }
    }
}
