//! How long kernels ran, as the device measured it.
//!
//! Where there are timestamps each dispatch is a compute pass of its own, with a tick before it and one
//! behind it; the ticks of a batch are resolved in its own submission, behind its work, and written
//! down when they are mapped. One set of queries serves all batches, since the queue runs them in turn.
//! Each dispatch gets one line, whatever becomes of it: a time, or why there is none.

use std::sync::Arc;

use super::ticks::{Measured, measure};
use super::{Ledger, Line};
use crate::error::DeviceError;
use crate::fault::Gpu;
use crate::uniforms::MOST_SLOTS;

/// Two ticks for each dispatch of the largest batch.
const TICKS: u32 = 2 * MOST_SLOTS;
/// Bytes of a tick.
const TICK: u64 = wgpu::QUERY_SIZE as u64;
const _: () = assert!(TICKS <= wgpu::QUERY_SET_MAX_QUERIES);

/// The dispatches of the open batch of a context with a log.
#[derive(Debug)]
pub(crate) struct Executions {
    ledger: Arc<Ledger>,
    /// Or why the device measures nothing.
    clock: Result<Clock, String>,
    pending: Vec<Dispatched>,
    /// Where the ticks of the batch go.
    staged: Option<Result<wgpu::Buffer, DeviceError>>,
}

/// A dispatch: the number of its line, and its kernel.
#[derive(Debug)]
struct Dispatched {
    line: u64,
    kernel: &'static str,
    /// Launches that it was split into, of which one alone has ticks.
    launches: u32,
}

/// What reads a device's counter.
#[derive(Debug)]
struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f32,
}

/// Where the two ticks of a pass go.
#[derive(Debug)]
pub(crate) struct Ticking {
    queries: wgpu::QuerySet,
    first: u32,
}

impl Ticking {
    pub(crate) fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(self.first),
            end_of_pass_write_index: Some(self.first + 1),
        }
    }
}

impl Clock {
    fn new(gpu: &Gpu) -> Result<Self, String> {
        if !gpu
            .device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
        {
            return Err("the device offers no timestamps".to_owned());
        }
        let made = gpu.scoped(|| Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("nupp ticks"),
                ty: wgpu::QueryType::Timestamp,
                count: TICKS,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("nupp ticks"),
                size: u64::from(TICKS) * TICK,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            period: gpu.queue.get_timestamp_period(),
        });
        made.map_err(|error| format!("the device made no timestamps: {error}"))
    }

    /// Has the first `count` ticks copied to where the host can read them.
    fn resolve(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        count: u32,
    ) -> Result<wgpu::Buffer, DeviceError> {
        let size = u64::from(count) * TICK;
        let staging = gpu.buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })?;
        encoder.resolve_query_set(&self.queries, 0..count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &staging, 0, size);
        Ok(staging)
    }
}

impl Executions {
    pub(super) fn new(ledger: Arc<Ledger>, gpu: &Gpu) -> Self {
        Self {
            ledger,
            clock: Clock::new(gpu),
            pending: Vec::new(),
            staged: None,
        }
    }

    /// Nanoseconds of a tick, or why there are none.
    pub(super) fn period(&self) -> Result<f32, &str> {
        match &self.clock {
            Ok(clock) => Ok(clock.period),
            Err(reason) => Err(reason),
        }
    }

    /// The ticks of the next dispatch, which then has a pass of its own.
    pub(crate) fn ticking(&self) -> Option<Ticking> {
        let clock = self.clock.as_ref().ok()?;
        let first = 2 * u32::try_from(self.pending.len()).ok()?;
        (first < TICKS).then(|| Ticking {
            queries: clock.queries.clone(),
            first,
        })
    }

    /// Adds a dispatch to the batch: the number of its line, its kernel, and how many launches it is.
    pub(crate) fn push(&mut self, line: u64, kernel: &'static str, launches: u32) {
        self.pending.push(Dispatched {
            line,
            kernel,
            launches,
        });
    }

    /// Has the ticks of the batch resolved at its end.
    pub(crate) fn resolve(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        self.staged = None;
        if let (Ok(clock), 1..) = (&self.clock, self.pending.len()) {
            let count = TICKS.min(2 * self.pending.len() as u32);
            // A failure is one of the measurement alone, so it stays out of the batch.
            self.staged = Some(clock.resolve(gpu, encoder, count));
        }
    }

    /// Writes down the times of the batch as soon as it has run.
    pub(crate) fn submitted(&mut self, outcome: &Result<(), DeviceError>) {
        let pending = std::mem::take(&mut self.pending);
        let staged = self.staged.take();
        let (clock, staging) = match (outcome, &self.clock, staged) {
            (Err(error), ..) => {
                return self.none(&pending, &format!("its batch was not submitted: {error}"));
            }
            (_, Err(reason), _) => return self.none(&pending, reason),
            (_, Ok(_), Some(Err(error))) => {
                return self.none(&pending, &format!("its ticks found no room: {error}"));
            }
            // A batch without dispatches.
            (_, Ok(_), None) => return,
            (_, Ok(clock), Some(Ok(staging))) => (clock, staging),
        };
        let (ledger, period) = (Arc::clone(&self.ledger), clock.period);
        let mapped = staging.clone();
        staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
            let ticks = match outcome {
                Ok(()) => read(&mapped),
                Err(error) => Err(error.to_string()),
            };
            ledger.executed(&pending, &ticks, period);
        });
    }

    /// Says of the dispatches of the open batch that they will not run.
    pub(crate) fn abandon(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.none(&pending, "it was never submitted");
    }

    fn none(&self, pending: &[Dispatched], reason: &str) {
        for dispatched in pending {
            self.ledger.execution(dispatched, Err(reason));
        }
    }
}

/// The ticks in a mapped buffer.
fn read(mapped: &wgpu::Buffer) -> Result<Vec<[u64; 2]>, String> {
    let view = mapped
        .get_mapped_range(..)
        .map_err(|error| error.to_string())?;
    let pairs = view.as_chunks::<16>().0;
    let tick = |bytes: &[u8]| {
        let mut words = [0; 8];
        words.copy_from_slice(bytes);
        u64::from_le_bytes(words)
    };
    let pairs = pairs
        .iter()
        .map(|pair| [tick(&pair[..8]), tick(&pair[8..])]);
    Ok(pairs.collect())
}

/// A time with the two ticks that it was found from, and the nanoseconds of a tick.
struct Timing {
    ticks: [u64; 2],
    time: Measured,
    period: f32,
}

impl Ledger {
    fn executed(&self, batch: &[Dispatched], ticks: &Result<Vec<[u64; 2]>, String>, period: f32) {
        for (position, dispatched) in batch.iter().enumerate() {
            let pair = match ticks {
                _ if dispatched.launches > 1 => Err("it was split into several launches"),
                Ok(ticks) => ticks.get(position).copied().ok_or("the batch is too large"),
                Err(reason) => Err(reason.as_str()),
            };
            let timing = pair.and_then(|ticks| {
                let time = measure(ticks[0], ticks[1], period)?;
                Ok(Timing {
                    ticks,
                    time,
                    period,
                })
            });
            self.execution(dispatched, timing);
        }
    }

    fn execution(&self, dispatched: &Dispatched, timing: Result<Timing, &str>) {
        let line = Line::default()
            .integer("dispatch", dispatched.line)
            .text("kernel", dispatched.kernel);
        let line = match timing {
            Ok(Timing {
                ticks: [begin, end],
                time,
                period,
            }) => line
                .number("gpuMs", time.milliseconds)
                .integer("ticks", time.ticks)
                .integer("beginTick", begin)
                .integer("endTick", end)
                .number("periodNs", f64::from(period)),
            Err(reason) => line.text("unavailable", reason),
        };
        self.write("kernelExecution", &line);
    }

    /// Says of a dispatch that there was nothing to run.
    pub(super) fn idle(&self, line: u64, kernel: &'static str) {
        self.execution(
            &Dispatched {
                line,
                kernel,
                launches: 0,
            },
            Err("there was nothing to run"),
        );
    }
}
