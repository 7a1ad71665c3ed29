//! The command line.

mod costs;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use nupp_core::device::profile::Profile;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is asked for.
pub enum Command {
    /// Check files.
    Check {
        /// `.rs` or `.nupp` files.
        files: Vec<PathBuf>,
    },
    /// Print a compiled form.
    Aot(Request),
    /// Summarise a cost log.
    Costs {
        /// The log.
        file: PathBuf,
        /// As one JSON object.
        json: bool,
    },
    /// Run a command with a cost log.
    Run(Recorded),
    /// Run a command with a cost log for each case and candidate.
    Bench(Bench),
}

/// A command that is run with a cost log.
pub struct Recorded {
    /// The log.
    pub file: PathBuf,
    /// Whether its threads are sampled.
    pub profile: bool,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// A command that is run for each case and candidate.
pub struct Bench {
    /// Where the logs go.
    pub folder: PathBuf,
    /// What is measured.
    pub cases: Vec<String>,
    /// What is compared; one without a name where none is given.
    pub candidates: Vec<String>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// A compiled form of the kernels of one file.
pub struct Request {
    /// The form.
    pub emit: Emit,
    /// The file.
    pub file: PathBuf,
    /// Only the kernel of this name.
    pub kernel: Option<String>,
    /// The profile that modules are emitted for.
    pub profile: Profile,
    /// Where to; standard output otherwise.
    pub output: Option<PathBuf>,
}

/// Compiled forms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// The Source IR as text.
    Ir,
    /// SPIR-V words.
    Spirv,
    /// SPIR-V as text.
    SpirvAsm,
    /// WGSL.
    Wgsl,
    /// The Rust expansion.
    Rust,
    /// What is known of the kernel.
    Report,
}

const FORMS: [(&str, Emit); 6] = [
    ("ir", Emit::Ir),
    ("spirv", Emit::Spirv),
    ("spirv-asm", Emit::SpirvAsm),
    ("wgsl", Emit::Wgsl),
    ("rust", Emit::Rust),
    ("report", Emit::Report),
];

fn path(name: &'static str) -> Arg {
    Arg::new(name).value_parser(value_parser!(PathBuf))
}

fn command() -> clap::Command {
    let files = path("FILE")
        .required(true)
        .num_args(1..)
        .help("Rust files with `nupp!` blocks, or `.nupp` files");
    let check = clap::Command::new("check")
        .about("Checks the kernels of files")
        .arg(files);
    let profiles = PossibleValuesParser::new(Profile::ALL.iter().map(|profile| profile.name));
    let emit = Arg::new("emit")
        .long("emit")
        .value_name("FORM")
        .required(true)
        .value_parser(PossibleValuesParser::new(FORMS.map(|(name, _)| name)))
        .help("What to print");
    let aot = clap::Command::new("aot")
        .about("Prints a compiled form of the kernels of a file")
        .arg(emit)
        .arg(
            path("FILE")
                .required(true)
                .help("A Rust file with `nupp!` blocks, or a `.nupp` file"),
        )
        .arg(
            Arg::new("kernel")
                .long("kernel")
                .value_name("NAME")
                .help("Only this kernel"),
        )
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .value_parser(profiles)
                .default_value(Profile::CONSERVATIVE.name)
                .help("The arithmetic of the device that modules are for"),
        )
        .arg(
            path("output")
                .short('o')
                .value_name("OUT")
                .action(ArgAction::Set)
                .help("Write here, not to standard output"),
        );
    clap::Command::new("cargo nupp")
        .about("Checks and compiles Nupp kernels")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check)
        .subcommand(aot)
        .subcommands(costs::commands())
}

/// Reads the command line; the error prints itself, help included.
pub fn parse(given: Vec<OsString>) -> Result<Command, clap::Error> {
    let matches = command().try_get_matches_from(given)?;
    match matches.subcommand() {
        Some(("check", check)) => {
            let files = check
                .get_many::<PathBuf>("FILE")
                .into_iter()
                .flatten()
                .cloned()
                .collect();
            Ok(Command::Check { files })
        }
        Some(("aot", aot)) => request(aot).map(Command::Aot).ok_or_else(missing),
        Some((name, given)) => costs::command(name, given).ok_or_else(missing),
        None => Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand)),
    }
}

fn missing() -> clap::Error {
    clap::Error::new(clap::error::ErrorKind::MissingRequiredArgument)
}

fn request(aot: &ArgMatches) -> Option<Request> {
    let text = |name: &str| aot.get_one::<String>(name);
    let emit = FORMS
        .iter()
        .find(|(name, _)| text("emit").is_some_and(|given| given == name))?
        .1;
    let profile = *Profile::ALL
        .iter()
        .find(|profile| text("profile").is_some_and(|given| given == profile.name))?;
    Some(Request {
        emit,
        file: aot.get_one::<PathBuf>("FILE")?.clone(),
        kernel: text("kernel").cloned(),
        profile,
        output: aot.get_one::<PathBuf>("output").cloned(),
    })
}
