//! The lines of the log, an operation each, but for what the device measures.
//!
//! Field by field they are in `docs/costs.md`, and a test compares the two. The hooks that call these
//! stand where an operation has succeeded: one that fails says so to its caller and not here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nupp_core::artifact::{KernelKind, KernelSpec};
use nupp_layout::Layout;

use super::log::nanoseconds;
use super::{Executions, Ledger, Line, Tag, Timed, next};
use crate::bind::{BindingInner, RawSlot};
use crate::buffer::Allocation;
use crate::compile::Compiled;
use crate::context::ContextInner;
use crate::error::SyncError;
use crate::fault::lock;
use crate::kernel::RawKernel;
use crate::launch::Launch;
use crate::options::{DeviceInfo, ModuleForm};
use crate::part::{Bytes, Part};

/// What a binding repeats at each dispatch.
#[derive(Debug)]
pub(crate) struct Bound {
    tag: Tag,
    slots: Vec<BoundSlot>,
}

#[derive(Debug)]
struct BoundSlot {
    allocation: Arc<Allocation>,
    write: bool,
    fields: Line,
}

impl BoundSlot {
    fn new(span: &'static str, slot: &RawSlot) -> Self {
        let part = &slot.part;
        let allocation = Arc::clone(part.allocation());
        let layout = part.layout();
        let fields = Line::default()
            .text("span", span)
            .integer("buffer", allocation.tag.number)
            .text("access", if slot.write { "write" } else { "read" })
            .integer("offset", u64::from(part.offset()))
            .integer("extent", u64::from(part.extent()))
            .integers("dimensions", layout.map_or(&[][..], Layout::dimensions))
            .integers("strides", layout.map_or(&[][..], Layout::strides));
        Self {
            allocation,
            write: slot.write,
            fields,
        }
    }
}

impl Ledger {
    pub(super) fn adapter(&self, info: &DeviceInfo, executions: &Executions) {
        let line = Line::default()
            .integer("hostNs", nanoseconds(self.opened, Instant::now()))
            .text("backend", info.backend.name())
            .text("adapter", &info.adapter)
            .text("driver", &info.driver)
            .flag("software", info.software)
            .integer("clockUnixUs", self.zero())
            .integer_or_null("clockMonotonicNs", self.log.monotonic());
        let (timestamps, period) = match executions.period() {
            Ok(period) => ("available", f64::from(period)),
            Err(reason) => (reason, f64::NAN),
        };
        let line = line
            .text("timestamps", timestamps)
            .number("periodNs", period);
        self.write("adapterDevice", &line);
    }
}

impl Timed {
    /// Begins a line with the host time of the operation.
    fn line(&self) -> Line {
        Line::default().integer("hostNs", self.nanoseconds())
    }

    /// A buffer was made.
    pub(crate) fn buffer(self, element: &str, elements: u64, bytes: u64, allocated: u64) -> Tag {
        let tag = Tag::new(next(&self.ledger.buffers));
        let line = (self.line())
            .integer("buffer", tag.number)
            .text("element", element)
            .integer("elements", elements)
            .integer("bytes", bytes)
            .integer("allocatedBytes", allocated);
        self.ledger.write("bufferAllocate", &line);
        tag
    }

    /// The last handle of a buffer is gone.
    pub(crate) fn release(self, allocation: &Allocation) {
        let line = Line::default()
            .integer("buffer", allocation.tag.number)
            .integer("allocatedBytes", allocation.raw.size());
        self.ledger.write("bufferRelease", &line);
    }

    /// A pipeline was made.
    pub(crate) fn pipeline(self, spec: &KernelSpec, compiled: &mut Compiled) {
        compiled.tag = Tag::new(next(&self.ledger.pipelines));
        let form = match compiled.form.kind() {
            ModuleForm::Spirv => "spirv",
            ModuleForm::Wgsl => "wgsl",
            ModuleForm::Native => "native",
        };
        let line = (self.line())
            .integer("pipeline", compiled.tag.number)
            .text("kernel", spec.name)
            .text("digest", &compiled.digest)
            .text("form", form)
            .text("profile", compiled.profile)
            .integer("hardwareWidth", u64::from(compiled.workgroup))
            .integer("covers", u64::from(compiled.covers));
        self.ledger.write("pipelineCreate", &line);
    }

    /// Slots were bound to a kernel that then runs `items` lanes or groups.
    pub(crate) fn binding(self, kernel: &RawKernel, slots: &[RawSlot], items: u32) -> Box<Bound> {
        let ledger = &self.ledger;
        let spec = kernel.spec();
        let tag = Tag::new(next(&ledger.bindings));
        let line = (self.line())
            .integer("binding", tag.number)
            .integer("pipeline", kernel.inner.compiled.tag.number)
            .text("kernel", spec.name)
            .integer("workItems", u64::from(items))
            .integer("slots", slots.len() as u64);
        ledger.write("bindingCreate", &line);
        let bound = spec.bindings.iter().zip(slots);
        let bound = bound.map(|(span, slot)| BoundSlot::new(span.name, slot));
        let slots: Vec<BoundSlot> = bound.collect();
        for (position, slot) in (0..).zip(&slots) {
            let line = Line::default()
                .integer("binding", tag.number)
                .integer("slot", position)
                .text("element", slot.allocation.element)
                .and(&slot.fields);
            ledger.write("bindBuffer", &line);
        }
        Box::new(Bound { tag, slots })
    }

    /// A part of a buffer was filled, or will be at its place in the order.
    pub(crate) fn upload(self, part: &Part, bytes: Bytes) {
        let tag = &part.allocation().tag;
        let line = (self.line())
            .integer("buffer", tag.number)
            .integer("version", tag.advance() + 1)
            .integer("offsetBytes", bytes.begin)
            .integer("bytes", bytes.len())
            .integer("stagedBytes", bytes.padded());
        self.ledger.write("upload", &line);
    }

    /// A dispatch was recorded, or there is nothing in it to record. Returns the number of its line.
    pub(crate) fn dispatch(self, binding: &BindingInner, launch: Launch, uniforms: &[u32]) -> u64 {
        let Some(bound) = &binding.costs else {
            return 0;
        };
        let spec = binding.kernel.spec();
        let pipeline = &binding.kernel.inner.compiled.tag;
        let runs = launch.width != 0;
        let (first, reused) = match runs {
            true => (pipeline.advance() == 0, bound.tag.advance() != 0),
            false => (pipeline.count() == 0, bound.tag.count() != 0),
        };
        let kind = match spec.kind {
            KernelKind::Map { .. } => "lane",
            KernelKind::Groups { .. } => "group",
        };
        let slots = bound.slots.iter().map(|slot| {
            let tag = &slot.allocation.tag;
            let version = match slot.write && runs {
                true => tag.advance(),
                false => tag.count(),
            };
            Line::default()
                .integer("version", version)
                .and(&slot.fields)
        });
        next(&self.ledger.dispatches);
        let line = (self.line())
            .integer("binding", bound.tag.number)
            .integer("pipeline", pipeline.number)
            .text("kernel", spec.name)
            .text("use", if first { "first-use" } else { "steady-state" })
            .flag("bindingReused", reused)
            .text("workItem", kind)
            .integer("workItems", u64::from(launch.count))
            .integer(
                "workgroups",
                u64::from(launch.width) * u64::from(launch.rows),
            )
            .integers("uniforms", uniforms)
            .objects("slots", slots);
        self.ledger.write("dispatch", &line)
    }

    /// A dispatch had nothing to run.
    pub(crate) fn idle(self, binding: &BindingInner, launch: Launch, uniforms: &[u32]) {
        let ledger = Arc::clone(&self.ledger);
        let line = self.dispatch(binding, launch, uniforms);
        ledger.idle(line, binding.kernel.spec().name);
    }

    /// A wait for everything ended.
    pub(crate) fn waited(&self, outcome: &Result<(), SyncError>) {
        let outcome = match outcome {
            Ok(()) => "done",
            Err(SyncError::Timeout { .. }) => "timeout",
            Err(_) => "failed",
        };
        self.ledger
            .write("synchronizeWait", &self.line().text("outcome", outcome));
    }

    /// Begins the download of a part of some bytes.
    pub(crate) fn download(self, part: &Part, bytes: Bytes) -> Copied {
        Copied {
            timed: self,
            buffer: part.allocation().tag.number,
            bytes: bytes.len(),
            begin: bytes.begin,
        }
    }

    /// The context is gone.
    fn cleaned(&self, waits: bool) {
        let ledger = &self.ledger;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let line = (self.line())
            .integer("buffers", count(&ledger.buffers))
            .integer("pipelines", count(&ledger.pipelines))
            .integer("bindings", count(&ledger.bindings))
            .integer("dispatches", count(&ledger.dispatches))
            .flag("inFlight", waits);
        ledger.write("contextCleanup", &line);
    }
}

/// A download on its way.
#[derive(Debug)]
pub(crate) struct Copied {
    timed: Timed,
    buffer: u64,
    bytes: u64,
    begin: u64,
}

impl Copied {
    /// It has its place in the order.
    pub(crate) fn queued(&self, allocation: &Allocation) {
        let line = (self.timed.line())
            .integer("buffer", self.buffer)
            .integer("version", allocation.tag.count())
            .integer("offsetBytes", self.begin)
            .integer("bytes", self.bytes);
        self.timed.ledger.write("downloadQueue", &line);
    }

    /// Begins to time what comes after this, in a value of its own.
    pub(crate) fn start(&self) -> Self {
        Self {
            timed: Timed::new(&self.timed.ledger),
            ..*self
        }
    }

    /// The device has copied it to where the host can read it.
    pub(crate) fn mapped(&self) {
        self.copied("downloadMapCopy");
    }

    /// The host has copied it out of there.
    pub(crate) fn read(&self) {
        self.copied("downloadHostCopy");
    }

    fn copied(&self, operation: &'static str) {
        let line = (self.timed.line())
            .integer("buffer", self.buffer)
            .integer("bytes", self.bytes);
        self.timed.ledger.write(operation, &line);
    }
}

/// Says that a context is gone, and whether a thread waits for what it has in flight.
pub(crate) fn clean_up(context: &ContextInner, timed: Option<Timed>, waits: bool) {
    if let Some(timed) = timed {
        lock(&context.recorder).abandon();
        timed.cleaned(waits);
    }
}
