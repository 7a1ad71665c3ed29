//! What the lines of a cost log add up to.
//!
//! Device time comes from `gpuMs` alone and is kept apart from host time: no figure here has some of
//! both. A dispatch whose time is not there is counted with the reason, and one without any line of its
//! execution as untold.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{Log, Record};

/// A summary of a log.
#[derive(Default)]
pub struct Summary {
    pub process: Option<u64>,
    /// When the last line was written.
    pub end_ns: u64,
    /// The system's monotonic clock where the log's clock is 0.
    pub monotonic_ns: Option<u64>,
    pub devices: Vec<Device>,
    /// Contexts whose last handle is gone.
    pub ended: u64,
    /// In the order in which they appear.
    pub kernels: Vec<Kernel>,
    pub bindings: Moved,
    pub uploads: Moved,
    pub download_queue: Moved,
    pub download_map_copy: Moved,
    pub download_host_copy: Moved,
    /// Waits by how they ended.
    pub waits: BTreeMap<String, Moved>,
    pub buffers: Buffers,
    /// When some thread waited, on the log's clock, from and to.
    pub waiting: Vec<(u64, u64)>,
    /// When some thread made a pipeline.
    pub compiling: Vec<(u64, u64)>,
}

/// The device of a context.
pub struct Device {
    pub context: u64,
    pub backend: String,
    pub adapter: String,
    pub driver: String,
    pub software: bool,
    pub timestamps: String,
    pub period_ns: Option<f64>,
    pub host_ns: u64,
}

/// Operations of one name: how often, how many bytes, how much host time.
#[derive(Default)]
pub struct Moved {
    pub count: u64,
    pub bytes: u64,
    pub host_ns: u64,
}

/// What is known of a kernel.
#[derive(Default)]
pub struct Kernel {
    pub name: String,
    pub first_use: u64,
    pub steady_state: u64,
    /// By their kind, lanes or groups.
    pub work_items: BTreeMap<String, u64>,
    /// Recording of its dispatches.
    pub recording: Moved,
    pub pipelines: Moved,
    /// Device times in milliseconds, from the least on.
    pub device_ms: Vec<f64>,
    /// Dispatches without a device time, by the reason.
    pub unavailable: BTreeMap<String, u64>,
    /// Dispatches without a line of their execution.
    pub untold: u64,
}

/// Memory of buffers in bytes as allocated.
#[derive(Default)]
pub struct Buffers {
    pub allocated: Moved,
    pub released: Moved,
    /// The most that was alive at once, whatever the contexts.
    pub peak_bytes: u64,
    alive: u64,
}

impl Moved {
    fn add(&mut self, record: &Record, bytes: &str) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(record.integer(bytes));
        self.host_ns = self.host_ns.saturating_add(record.integer("hostNs"));
    }

    /// One without bytes.
    fn time(&mut self, record: &Record) {
        self.count += 1;
        self.host_ns = self.host_ns.saturating_add(record.integer("hostNs"));
    }
}

impl Kernel {
    /// The sum of its device times, if there are any.
    pub fn total_ms(&self) -> Option<f64> {
        (!self.device_ms.is_empty()).then(|| self.device_ms.iter().sum())
    }

    /// The middle one of its device times, or the mean of the middle two.
    pub fn median_ms(&self) -> Option<f64> {
        let count = self.device_ms.len();
        let upper = self.device_ms.get(count / 2)?;
        match count % 2 {
            0 => Some((self.device_ms.get(count / 2 - 1)? + upper) / 2.0),
            _ => Some(*upper),
        }
    }
}

impl Summary {
    /// Adds up the lines of a log.
    pub fn of(log: &Log) -> Self {
        let mut summary = Self::default();
        let mut open = BTreeMap::new();
        for record in &log.records {
            summary.process.get_or_insert(record.integer("process"));
            summary.end_ns = summary.end_ns.max(record.integer("timeNs"));
            summary.add(record, &mut open);
        }
        for kernel in &mut summary.kernels {
            kernel.device_ms.sort_by(f64::total_cmp);
        }
        let untold: Vec<String> = open.into_values().collect();
        for name in untold {
            summary.kernel(&name).untold += 1;
        }
        summary
    }

    /// Adds a line; `open` has the kernels of the dispatches whose execution has no line yet.
    fn add(&mut self, record: &Record, open: &mut BTreeMap<u64, String>) {
        match record.operation() {
            "adapterDevice" => self.device(record),
            "bufferAllocate" => self.buffers.allocate(record),
            "bufferRelease" => self.buffers.release(record),
            "pipelineCreate" => {
                self.compiling.push(span(record));
                self.kernel(record.text("kernel")).pipelines.time(record);
            }
            "bindingCreate" => self.bindings.time(record),
            "upload" => self.uploads.add(record, "bytes"),
            "dispatch" => {
                let name = record.text("kernel").to_owned();
                self.kernel(&name).dispatched(record);
                open.insert(record.integer("sequence"), name);
            }
            "synchronizeWait" => {
                self.waiting.push(span(record));
                let outcome = record.text("outcome").to_owned();
                self.waits.entry(outcome).or_default().time(record);
            }
            "downloadQueue" => self.download_queue.add(record, "bytes"),
            "downloadMapCopy" => self.download_map_copy.add(record, "bytes"),
            "downloadHostCopy" => self.download_host_copy.add(record, "bytes"),
            "kernelExecution" => {
                open.remove(&record.integer("dispatch"));
                self.kernel(record.text("kernel")).executed(record);
            }
            "contextCleanup" => self.ended += 1,
            // What is bound to a slot is told by the dispatches, and no other name passes the schema.
            _ => {}
        }
    }

    fn device(&mut self, record: &Record) {
        let monotonic = record.optional("clockMonotonicNs");
        self.monotonic_ns = self.monotonic_ns.or(monotonic);
        self.devices.push(Device {
            context: record.integer("context"),
            backend: record.text("backend").to_owned(),
            adapter: record.text("adapter").to_owned(),
            driver: record.text("driver").to_owned(),
            software: record.flag("software"),
            timestamps: record.text("timestamps").to_owned(),
            period_ns: record.number("periodNs"),
            host_ns: record.integer("hostNs"),
        });
    }

    fn kernel(&mut self, name: &str) -> &mut Kernel {
        let known = self.kernels.iter().position(|kernel| kernel.name == name);
        let position = known.unwrap_or_else(|| {
            self.kernels.push(Kernel {
                name: name.to_owned(),
                ..Kernel::default()
            });
            self.kernels.len() - 1
        });
        &mut self.kernels[position]
    }

    /// How many contexts there are lines of their opening of.
    pub fn contexts(&self) -> usize {
        let all = self.devices.iter().map(|device| device.context);
        all.collect::<BTreeSet<u64>>().len()
    }
}

impl Kernel {
    fn dispatched(&mut self, record: &Record) {
        match record.text("use") {
            "first-use" => self.first_use += 1,
            _ => self.steady_state += 1,
        }
        self.recording.time(record);
        let items = record.integer("workItems");
        let kind = record.text("workItem").to_owned();
        let all = self.work_items.entry(kind).or_default();
        *all = all.saturating_add(items);
    }

    fn executed(&mut self, record: &Record) {
        match record.number("gpuMs") {
            Some(time) => self.device_ms.push(time),
            None => {
                let reason = record.text("unavailable").to_owned();
                *self.unavailable.entry(reason).or_default() += 1;
            }
        }
    }
}

impl Buffers {
    fn allocate(&mut self, record: &Record) {
        self.allocated.add(record, "allocatedBytes");
        self.alive = self.alive.saturating_add(record.integer("allocatedBytes"));
        self.peak_bytes = self.peak_bytes.max(self.alive);
    }

    fn release(&mut self, record: &Record) {
        self.released.add(record, "allocatedBytes");
        self.alive = self.alive.saturating_sub(record.integer("allocatedBytes"));
    }
}

/// From when to when an operation took, on the log's clock.
fn span(record: &Record) -> (u64, u64) {
    let end = record.integer("timeNs");
    (end.saturating_sub(record.integer("hostNs")), end)
}
