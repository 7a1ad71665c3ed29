//! `cargo nupp costs`: reads a cost log and says what it adds up to.
//!
//! What is wrong with a log goes to standard error with the number of the line and makes the command end
//! with 1; what could be read is printed all the same, since a log that took an hour is worth more than
//! its worst line.

mod json;
pub mod read;
mod schema;
pub mod summary;
pub mod text;

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::Failure;
use crate::file::counted;
use read::Log;
use summary::Summary;
use text::Text;

/// Faults that are told of one log; of the others only the number is.
const TOLD: usize = 10;

/// Prints the summary of a log.
pub fn run(path: &Path, json: bool) -> Result<(), Failure> {
    let log = open(path)?;
    let summary = Summary::of(&log);
    let printed = match json {
        true => format!("{:#}\n", json::object(&log, &summary)),
        false => Text(&log, &summary).to_string(),
    };
    match std::io::stdout().write_all(printed.as_bytes()) {
        // A reader that has seen enough is no fault.
        Err(fault) if fault.kind() != ErrorKind::BrokenPipe => {
            return Err(Failure::Usage(format!("standard output: {fault}")));
        }
        _ => {}
    }
    complain(path, &log);
    match log.faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::Refused),
    }
}

/// Reads a log.
pub fn open(path: &Path) -> Result<Log, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|fault| Failure::Usage(format!("`{}`: {fault}", path.display())))?;
    Ok(Log::read(&bytes))
}

/// Says on standard error what a log lacks.
pub fn complain(path: &Path, log: &Log) {
    let shown = path.display();
    for fault in log.faults.iter().take(TOLD) {
        eprintln!("error: {shown}:{}: {}", fault.line, fault.text);
    }
    if let Some(more @ 1..) = log.faults.len().checked_sub(TOLD) {
        eprintln!("error: {shown}: and {}", counted(more, "further fault"));
    }
    if log.cut {
        eprintln!(
            "note: {shown}:{}: the last line is cut off, as by a process that died",
            log.lines + 1
        );
    }
    if log.lines == 0 && !log.cut {
        eprintln!("note: {shown} is empty: no context was opened with this log");
    }
}
