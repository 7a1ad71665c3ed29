//! Host samples of a command beside its cost log, on one monotonic clock.
//!
//! Every ten milliseconds each process of the command is looked at, and a line says what CPU time each of
//! its threads has had and how much memory is resident. The log says where its own clock began on the
//! system's, so that its operations and the samples can be laid over each other.

#[cfg(target_os = "linux")]
pub use linux::Profile;
#[cfg(not(target_os = "linux"))]
pub use other::Profile;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::io::{BufWriter, Write as _};
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use serde_json::json;

    use crate::Failure;
    use crate::costs::summary::Summary;
    use crate::costs::text::host;
    use crate::run::child::{Ended, Running};
    use crate::run::overlap::{Interval, length, union, within};
    use crate::run::procfs::{self, Thread};

    /// From one sample to the next.
    const PERIOD: Duration = Duration::from_millis(10);
    /// The version of the lines of a file of samples.
    const VERSION: u64 = 1;

    /// What the samples of a process add up to.
    #[derive(Default)]
    struct Process {
        samples: u64,
        intervals: Vec<Interval>,
        threads: usize,
        resident_bytes: u64,
        /// Whether all of its CPU times are to the nanosecond.
        exact: bool,
    }

    /// Samples of a command.
    pub struct Profile {
        path: PathBuf,
        file: BufWriter<File>,
        failure: Option<String>,
        tick_ns: u64,
        processes: BTreeMap<u64, Process>,
        last: BTreeMap<u64, Last>,
    }

    /// What a process looked like at its last sample.
    struct Last {
        time: u64,
        threads: BTreeMap<u64, u64>,
    }

    impl Profile {
        /// Begins a file of samples.
        pub fn begin(path: PathBuf) -> Result<Self, Failure> {
            let refused = "--profile needs `/proc`, which is not there";
            // Without its own entry there is none of any other process.
            let own = procfs::threads(u64::from(std::process::id()), 1);
            let tick_ns = procfs::tick_ns().filter(|_| !own.is_empty());
            let tick_ns = tick_ns.ok_or_else(|| Failure::Usage(refused.to_owned()))?;
            let file = File::create(&path)
                .map_err(|fault| Failure::Usage(format!("`{}`: {fault}", path.display())))?;
            Ok(Self {
                path,
                file: BufWriter::new(file),
                failure: None,
                tick_ns,
                processes: BTreeMap::new(),
                last: BTreeMap::new(),
            })
        }

        /// Samples a command until it ends.
        pub fn watch(&mut self, mut running: Running) -> Result<Ended, Failure> {
            let root = u64::from(running.process());
            let mut due = Instant::now();
            loop {
                if let Some(ended) = running.ended()? {
                    if let Err(fault) = self.file.flush() {
                        self.failure.get_or_insert(fault.to_string());
                    }
                    return Ok(ended);
                }
                for process in procfs::family(root) {
                    self.sample(process);
                }
                // A sample that took too long is not made up for.
                due = (due + PERIOD).max(Instant::now());
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        }

        fn sample(&mut self, process: u64) {
            let Some(time) = procfs::monotonic() else {
                return;
            };
            let threads = procfs::threads(process, self.tick_ns);
            // One that has gone, or that has ended and is still to be waited for.
            let Some(resident) = procfs::resident_bytes(process).filter(|_| !threads.is_empty())
            else {
                return;
            };
            self.add(process, time, &threads, resident);
            let threads = threads.iter().map(|thread| {
                json!({
                    "thread": thread.number,
                    "name": thread.name,
                    "userNs": thread.user_ns,
                    "systemNs": thread.system_ns,
                    "cpuNs": thread.cpu_ns,
                })
            });
            let line = json!({
                "schemaVersion": VERSION,
                "clockMonotonicNs": time,
                "process": process,
                "residentBytes": resident,
                "threads": threads.collect::<Vec<_>>(),
            });
            if self.failure.is_none()
                && let Err(fault) = writeln!(self.file, "{line}")
            {
                self.failure = Some(fault.to_string());
            }
        }

        fn add(&mut self, process: u64, time: u64, threads: &[Thread], resident: u64) {
            let exact = threads.iter().all(|thread| thread.cpu_ns.is_some());
            let known = self.processes.entry(process).or_insert_with(|| Process {
                exact,
                ..Process::default()
            });
            known.samples += 1;
            known.exact &= exact;
            known.threads = known.threads.max(threads.len());
            known.resident_bytes = known.resident_bytes.max(resident);
            let spent =
                |thread: &Thread| thread.cpu_ns.unwrap_or(thread.user_ns + thread.system_ns);
            let now: BTreeMap<u64, u64> = threads.iter().map(|t| (t.number, spent(t))).collect();
            let before = self.last.get(&process);
            // A thread that was not there began after the last sample. What the first sample finds was
            // spent before anybody looked.
            if let Some(before) = before {
                let grown = now.iter().map(|(thread, spent)| {
                    spent.saturating_sub(before.threads.get(thread).copied().unwrap_or_default())
                });
                known.intervals.push(Interval {
                    from: before.time,
                    to: time,
                    cpu_ns: grown.sum(),
                });
            }
            self.last.insert(process, Last { time, threads: now });
        }

        /// Says on standard error what the samples add up to beside the log.
        pub fn tell(&self, log: &Summary) {
            eprintln!("\nsamples in {}", self.path.display());
            if let Some(failure) = &self.failure {
                eprintln!("error: the samples are not all there: {failure}");
            }
            for (number, process) in &self.processes {
                let all: u64 = process
                    .intervals
                    .iter()
                    .map(|interval| interval.cpu_ns)
                    .sum();
                let clock = if process.exact {
                    ""
                } else {
                    ", in whole ticks"
                };
                eprintln!(
                    "  process {number}: {} samples, {} CPU time{clock}, at most {} threads and {} bytes resident",
                    process.samples,
                    host(all),
                    process.threads,
                    process.resident_bytes
                );
                if log.process == Some(*number) {
                    relate(process, log);
                }
            }
            if log
                .process
                .is_some_and(|number| !self.processes.contains_key(&number))
            {
                eprintln!(
                    "  the process of the log was not seen: it was too short, or not started here"
                );
            }
        }
    }

    /// Lays the samples of the process of a log over what the log has.
    fn relate(process: &Process, log: &Summary) {
        let Some(zero) = log.monotonic_ns else {
            eprintln!("    the log does not say where its clock begins");
            return;
        };
        for (what, spans) in [
            ("waits", &log.waiting),
            ("the making of pipelines", &log.compiling),
        ] {
            let spans = spans.iter();
            let spans =
                spans.map(|(from, to)| (from.saturating_add(zero), to.saturating_add(zero)));
            let spans = union(spans.collect());
            eprintln!(
                "    {} CPU time within {} of {what}, as samples go",
                host(within(&process.intervals, &spans)),
                host(length(&spans))
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::path::PathBuf;

    use crate::Failure;
    use crate::costs::summary::Summary;
    use crate::run::child::{Ended, Running};

    /// There are no samples here.
    pub enum Profile {}

    impl Profile {
        /// Refuses.
        pub fn begin(_: PathBuf) -> Result<Self, Failure> {
            let text = "--profile reads `/proc`, which only Linux has";
            Err(Failure::Usage(text.to_owned()))
        }

        pub fn watch(&mut self, _: Running) -> Result<Ended, Failure> {
            match *self {}
        }

        pub fn tell(&self, _: &Summary) {
            match *self {}
        }
    }
}
