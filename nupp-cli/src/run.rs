//! `cargo nupp run`: a command with a cost log, then the log's summary on standard error.
//!
//! It ends as the command does. What is wrong with the log is said and changes nothing of that: the
//! command's own work does not fail because its cost could not be read.

pub mod child;
#[cfg(target_os = "linux")]
mod overlap;
#[cfg(target_os = "linux")]
mod procfs;
mod profile;

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::arguments::Recorded;
use crate::costs::summary::Summary;
use crate::costs::text::Text;
use crate::costs::{complain, open};
use profile::Profile;

/// Runs a command and prints what its log adds up to.
pub fn run(recorded: &Recorded) -> Result<(), Failure> {
    let log = begin(&recorded.file)?;
    let mut profile = match recorded.profile {
        true => Some(Profile::begin(log.with_extension("samples.jsonl"))?),
        false => None,
    };
    let running = child::start(&recorded.command, &log)?;
    let ended = match &mut profile {
        Some(profile) => profile.watch(running),
        None => running.wait(),
    }?;
    if let Some(signal) = ended.signal {
        eprintln!("note: the command was ended by signal {signal}");
    }
    summarise(&log, profile.as_ref())?;
    match ended.status {
        0 => Ok(()),
        status => Err(Failure::Status(status)),
    }
}

/// Empties the log, so that what is read afterwards is of this command; its name holds in any folder.
fn begin(path: &Path) -> Result<PathBuf, Failure> {
    let failed = |fault| Failure::Usage(format!("`{}`: {fault}", path.display()));
    File::create(path).map_err(failed)?;
    std::path::absolute(path).map_err(failed)
}

fn summarise(path: &Path, profile: Option<&Profile>) -> Result<(), Failure> {
    let log = open(path)?;
    let summary = Summary::of(&log);
    complain(path, &log);
    if log.lines > 0 {
        eprint!("{}", Text(&log, &summary));
    }
    if let Some(profile) = profile {
        profile.tell(&summary);
    }
    Ok(())
}
