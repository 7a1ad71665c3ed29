//! The command line of what belongs to the cost log: `costs`, `run` and `bench`.

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;

use super::{Bench, Command, Recorded, path};

/// What is run, after `--`.
fn program(help: &'static str) -> Arg {
    Arg::new("COMMAND")
        .last(true)
        .required(true)
        .num_args(1..)
        .value_parser(value_parser!(OsString))
        .help(help)
}

fn names(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("NAME")
        .action(ArgAction::Append)
        .help(help)
}

fn gpu_costs(value: &'static str, help: &'static str) -> Arg {
    path("gpu-costs")
        .long("gpu-costs")
        .value_name(value)
        .required(true)
        .help(help)
}

pub fn commands() -> [clap::Command; 3] {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let costs = clap::Command::new("costs")
        .about("Summarises a cost log")
        .arg(
            path("FILE")
                .required(true)
                .help("A log that a context wrote"),
        )
        .arg(flag("json").help("Print one JSON object"));
    let run = clap::Command::new("run")
        .about("Runs a command with a cost log and summarises that")
        .arg(gpu_costs(
            "FILE",
            "Where the log goes; what is there is replaced",
        ))
        .arg(flag("profile").help("Sample the threads of the command, on Linux"))
        .arg(program("The command and its arguments"));
    let bench = clap::Command::new("bench")
        .about("Runs a command with a cost log for each case and candidate")
        .arg(gpu_costs("DIR", "Where the logs and bench.json go"))
        .arg(names("case", "What is measured").required(true))
        .arg(names("candidate", "What is compared, for each case"))
        .arg(program(
            "The command and its arguments, in which {case} and {candidate} stand for the names",
        ));
    [costs, run, bench]
}

/// Reads one of them; nothing where something is missing, which clap has looked at already.
pub fn command(name: &str, given: &ArgMatches) -> Option<Command> {
    let words = || {
        let words = given.get_many::<OsString>("COMMAND");
        words.into_iter().flatten().cloned().collect()
    };
    let names = |name: &str| -> Vec<String> {
        let names = given.get_many::<String>(name);
        names.into_iter().flatten().cloned().collect()
    };
    let path = |name: &str| given.get_one::<PathBuf>(name).cloned();
    Some(match name {
        "costs" => Command::Costs {
            file: path("FILE")?,
            json: given.get_flag("json"),
        },
        "run" => Command::Run(Recorded {
            file: path("gpu-costs")?,
            profile: given.get_flag("profile"),
            command: words(),
        }),
        _ => Command::Bench(Bench {
            folder: path("gpu-costs")?,
            cases: names("case"),
            candidates: names("candidate"),
            command: words(),
        }),
    })
}
