//! The file of a cost log, shared by the contexts of a process that write to it.
//!
//! A line is one write, at the end of the file, so that a process that is killed leaves whole lines.
//! The first failure ends the log: what comes after is counted and left out, and nobody but who asks
//! hears of it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::{CostsError, Line, clock};
use crate::fault::lock;

/// The version of the schema that `docs/costs.md` describes.
const SCHEMA_VERSION: u64 = 1;

/// The logs of this process by their files. One that is there is added to; any other is begun anew.
static LOGS: Mutex<Vec<(PathBuf, Arc<Log>)>> = Mutex::new(Vec::new());

/// A file and what has been written to it.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    /// Where the clock of all its lines begins.
    zero: Instant,
    /// What the system's monotonic clock said then, in nanoseconds.
    monotonic: Option<u64>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The number of the last line, written or not.
    sequence: u64,
    contexts: u64,
    failure: Option<String>,
    lost: u64,
    /// Kept from line to line for its memory.
    text: String,
}

impl Log {
    /// The log of this file, and the number of one more context in it.
    pub(crate) fn open(path: &Path) -> Result<(Arc<Self>, u64), CostsError> {
        let failed = |error: io::Error| CostsError::Open {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        // Held over opening: of two contexts that open at once, only one is the first.
        let mut logs = lock(&LOGS);
        let (file, whole) = open(path).map_err(failed)?;
        if let Some((_, log)) = logs.iter().find(|(known, _)| *known == whole) {
            let log = Arc::clone(log);
            return Ok((Arc::clone(&log), log.join(file)));
        }
        begin(&file).map_err(failed)?;
        let (zero, monotonic) = clock::zero();
        let log = Arc::new(Self {
            path: path.to_owned(),
            zero,
            monotonic,
            state: Mutex::new(State {
                file,
                sequence: 0,
                contexts: 1,
                failure: None,
                lost: 0,
                text: String::new(),
            }),
        });
        logs.push((whole, Arc::clone(&log)));
        Ok((log, 1))
    }

    /// Counts one more context, which has just opened the file.
    fn join(&self, file: File) -> u64 {
        let mut state = lock(&self.state);
        // Somebody may have moved the old one away.
        state.file = file;
        state.contexts += 1;
        state.contexts
    }

    /// Where its clock begins.
    pub(crate) fn zero(&self) -> Instant {
        self.zero
    }

    /// What the system's monotonic clock said where this one begins, in nanoseconds.
    pub(crate) fn monotonic(&self) -> Option<u64> {
        self.monotonic
    }

    /// Adds a line and returns its number; one that cannot be written has a number too.
    pub(crate) fn write(&self, context: u64, operation: &'static str, fields: &Line) -> u64 {
        let mut state = lock(&self.state);
        let state = &mut *state;
        state.sequence += 1;
        if state.failure.is_some() {
            state.lost += 1;
            return state.sequence;
        }
        let common = Line::default()
            .integer("schemaVersion", SCHEMA_VERSION)
            .integer("process", u64::from(std::process::id()))
            .integer("sequence", state.sequence)
            .integer("context", context)
            .text("operation", operation)
            .integer("timeNs", nanoseconds(self.zero, Instant::now()));
        state.text.clear();
        state.text.push('{');
        state.text.push_str(common.and(fields).as_str());
        state.text.push_str("}\n");
        if let Err(error) = state.file.write_all(state.text.as_bytes()) {
            state.failure = Some(error.to_string());
            state.lost += 1;
        }
        state.sequence
    }

    /// What writing failed with, if it did.
    pub(crate) fn failure(&self) -> Option<CostsError> {
        let state = lock(&self.state);
        let reason = state.failure.clone()?;
        Some(CostsError::Write {
            path: self.path.clone(),
            reason,
            lost: state.lost,
        })
    }
}

/// Whole nanoseconds from one time to another; 0 if it is not later.
pub(crate) fn nanoseconds(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.saturating_duration_since(from).as_nanos()).unwrap_or(u64::MAX)
}

/// The file, made if it is not there, with the one name that all its names lead to.
fn open(path: &Path) -> io::Result<(File, PathBuf)> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    Ok((file, path.canonicalize()?))
}

/// Empties a file; a pipe or a terminal cannot be and need not.
fn begin(file: &File) -> io::Result<()> {
    match file.metadata()?.is_file() {
        true => file.set_len(0),
        false => Ok(()),
    }
}
