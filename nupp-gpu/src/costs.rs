//! What a context writes down of what its work costs: one JSON object a line in a file.
//!
//! A [`Ledger`] stands in a context that was asked for a log, and nothing in one that was not: each
//! operation asks once whether there is one, and then does nothing more. `docs/costs.md` is the schema.
//! Host time is measured here with the host's clock, device time by the device alone
//! ([`executions`]); neither stands in for the other. A log that cannot be written disturbs no operation:
//! it ends, and [`Context::costs_failure`] says why.

mod clock;
mod executions;
mod line;
mod log;
mod records;
#[cfg(test)]
mod tests;
mod ticks;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use crate::context::Context;
use crate::fault::Gpu;
use crate::options::DeviceInfo;

pub(crate) use executions::{Executions, Ticking};
use line::Line;
use log::{Log, nanoseconds};
pub(crate) use records::{Bound, Copied, clean_up};

/// The variable that asks for a log where the program did not.
pub(crate) const COSTS_VARIABLE: &str = "NUPP_GPU_COSTS";

/// A cost log is not what it should be; nothing else is touched by that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CostsError {
    /// The file could not be opened, so that there is no log.
    #[error("the cost log {} could not be opened: {reason}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A line could not be written. The log ends before it, or within it.
    #[error("the cost log {} lacks {lost} lines at its end: {reason}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
        /// Lines that are not in the file, those of the process's other contexts included.
        lost: u64,
    },
}

impl Context {
    /// Why the cost log lacks lines, if it does.
    ///
    /// It is told here alone: no operation fails because its cost could not be written down.
    pub fn costs_failure(&self) -> Option<CostsError> {
        let costs = &self.inner.costs;
        let refused = costs.refused.clone();
        refused.or_else(|| costs.ledger.as_ref()?.log.failure())
    }
}

/// The cost log of a context, if it has one.
#[derive(Debug)]
pub(crate) struct Costs {
    ledger: Option<Arc<Ledger>>,
    refused: Option<CostsError>,
}

/// A context's part of a log.
#[derive(Debug)]
pub(crate) struct Ledger {
    log: Arc<Log>,
    /// Its number among the contexts of the log.
    context: u64,
    opened: Instant,
    buffers: AtomicU64,
    pipelines: AtomicU64,
    bindings: AtomicU64,
    dispatches: AtomicU64,
}

/// What stands in for the name of a buffer, a pipeline or a binding in the log; without one, zeros.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    /// From 1 on, in the context.
    number: u64,
    /// Of a buffer: how often it was written. Of others: how often they were dispatched.
    count: AtomicU64,
}

impl Tag {
    fn new(number: u64) -> Self {
        Self {
            number,
            count: AtomicU64::new(0),
        }
    }

    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts one more, and returns how many there were.
    fn advance(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

/// An operation of a context with a log, and when it began.
#[derive(Debug)]
pub(crate) struct Timed {
    ledger: Arc<Ledger>,
    started: Instant,
}

impl Costs {
    /// The log that the program asked for, or else the one that the variable names.
    pub(crate) fn open(asked: Option<&Path>, variable: Option<OsString>) -> Self {
        let Some(path) = wanted(asked, variable) else {
            return Self {
                ledger: None,
                refused: None,
            };
        };
        match Log::open(&path) {
            Ok((log, context)) => Self {
                ledger: Some(Arc::new(Ledger::new(log, context))),
                refused: None,
            },
            Err(refused) => Self {
                ledger: None,
                refused: Some(refused),
            },
        }
    }

    /// Begins to time an operation, if there is a log.
    #[inline]
    pub(crate) fn start(&self) -> Option<Timed> {
        self.ledger.as_ref().map(Timed::new)
    }

    /// Says which device was opened, and returns what times the kernels on it.
    pub(crate) fn opened(&self, gpu: &Gpu, info: &DeviceInfo) -> Option<Box<Executions>> {
        let ledger = self.ledger.as_ref()?;
        let executions = Executions::new(Arc::clone(ledger), gpu);
        ledger.adapter(info, &executions);
        Some(Box::new(executions))
    }
}

impl Timed {
    fn new(ledger: &Arc<Ledger>) -> Self {
        Self {
            ledger: Arc::clone(ledger),
            started: Instant::now(),
        }
    }

    /// Host time since it began.
    fn nanoseconds(&self) -> u64 {
        nanoseconds(self.started, Instant::now())
    }
}

impl Ledger {
    fn new(log: Arc<Log>, context: u64) -> Self {
        Self {
            log,
            context,
            opened: Instant::now(),
            buffers: AtomicU64::new(0),
            pipelines: AtomicU64::new(0),
            bindings: AtomicU64::new(0),
            dispatches: AtomicU64::new(0),
        }
    }

    fn write(&self, operation: &'static str, fields: &Line) -> u64 {
        self.log.write(self.context, operation, fields)
    }

    /// What the system's clock said, in microseconds since 1970, where the log's clock was 0; 0 if the
    /// system's clock stands before that.
    fn zero(&self) -> u64 {
        let since = Instant::now().saturating_duration_since(self.log.zero());
        let zero = SystemTime::now().checked_sub(since);
        let zero = zero.and_then(|zero| zero.duration_since(UNIX_EPOCH).ok());
        zero.map_or(0, |zero| {
            u64::try_from(zero.as_micros()).unwrap_or(u64::MAX)
        })
    }
}

/// One more of something that is counted from 1 on.
fn next(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// The file that is asked for, if one is.
fn wanted(asked: Option<&Path>, variable: Option<OsString>) -> Option<PathBuf> {
    let variable = variable.filter(|text| !text.is_empty());
    asked.map(Path::to_owned).or(variable.map(PathBuf::from))
}
