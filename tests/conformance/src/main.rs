//! Runs every operation on the device that is there and writes a table of what it gave.
//!
//! Each scalar operation is a kernel of its own, `output[i] = op(a[i], b[i], c[i])`, compiled as any
//! kernel is: for the profile that the probe finds, in each form in which modules reach the driver. Its
//! operands are edges of all kinds among themselves, operands that are hard for it, and random bits; its
//! results are compared by bits with the meaning of the operation. `--exhaustive` adds all 2^32 inputs of
//! each operation of one number. The device is the one that `--device`, `NUPP_DEVICE` and the
//! loader's variables choose.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use nupp_core::ir::op::ScalarOp;
use nupp_gpu::ModuleForm;

mod exhaustive;
mod operands;
mod run;
mod table;

use run::{Route, form_name};
use table::Table;

fn command() -> Command {
    Command::new("nupp-conformance")
        .about("Runs every operation on a device and writes what it gave")
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Writes PATH.md and PATH.json; without it the table is printed"),
        )
        .arg(
            Arg::new("device")
                .long("device")
                .value_name("NAME")
                .help("Takes the adapter whose name contains this"),
        )
        .arg(
            Arg::new("random")
                .long("random")
                .value_name("BITS")
                .value_parser(value_parser!(u32).range(8..=28))
                .default_value("24")
                .help("Tries 2^BITS random operands of each operation"),
        )
        .arg(
            Arg::new("exhaustive")
                .long("exhaustive")
                .action(ArgAction::SetTrue)
                .help("Tries all 2^32 inputs of each operation of one number"),
        )
        .arg(
            Arg::new("operation")
                .long("operation")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Tries only the operations of these names"),
        )
        .arg(
            Arg::new("form")
                .long("form")
                .value_name("FORM")
                .value_parser(["spirv", "wgsl", "native"])
                .action(ArgAction::Append)
                .help("Takes only the modules of these forms"),
        )
}

fn main() -> ExitCode {
    match conformance(&command().get_matches()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::from(2)
        }
    }
}

/// Whether every result was right.
fn conformance(arguments: &ArgMatches) -> Result<bool, String> {
    let random = arguments.get_one::<u32>("random").copied().unwrap_or(24);
    let wanted: Vec<&String> = arguments
        .get_many("operation")
        .map(Iterator::collect)
        .unwrap_or_default();
    let operations: Vec<ScalarOp> = nupp_testkit::operations::all()
        .into_iter()
        .filter(|op| wanted.is_empty() || wanted.iter().any(|name| *name == op.name()))
        .collect();
    let mut table = Table::default();
    let device = arguments.get_one::<String>("device");
    let forms: Vec<&String> = arguments
        .get_many("form")
        .map(Iterator::collect)
        .unwrap_or_default();
    let forms: Vec<ModuleForm> = ModuleForm::ALL
        .iter()
        .copied()
        .filter(|&form| forms.is_empty() || forms.iter().any(|name| *name == form_name(form)))
        .collect();
    for route in Route::all(device.map(String::as_str), &forms)? {
        eprintln!("{}", route.name());
        let column = table.column(&route)?;
        for &op in &operations {
            let mut row = route.edges_and_random(op, random)?;
            if arguments.get_flag("exhaustive") && run::is_unary(op) {
                row.add(route.all_inputs(op)?);
            }
            eprintln!("  {:24} {row}", op.name());
            table.enter(column, op, row);
        }
    }
    match arguments.get_one::<PathBuf>("out") {
        Some(path) => table.write(path)?,
        None => print!("{}", table.markdown()),
    }
    Ok(table.is_right())
}
