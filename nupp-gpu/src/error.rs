//! The errors of the runtime, one type for each family of operations.
//!
//! They carry the numbers and the author's names that a reader needs to act, and say them in one
//! sentence. What the device itself reports is a [`DeviceError`] inside the family of the operation
//! that met it; it can be cloned, since several waiters may have to hear of one failure.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use nupp_core::device::probe::Evidence;
use nupp_core::scatter::ScatterError;
use nupp_layout::LayoutError;
use thiserror::Error;

/// What a device reports.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The device is gone; every operation on its context fails from here on.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the driver said.
        reason: String,
    },
    /// Memory ran out, on the device or for its driver.
    #[error("the device is out of memory{}", Asked(.bytes))]
    OutOfMemory {
        /// Bytes that were asked for, where it was a buffer.
        bytes: Option<u64>,
    },
    /// An operation broke a rule of the graphics interface.
    #[error("the graphics interface refused an operation: {text}")]
    Validation {
        /// What it said.
        text: String,
    },
    /// The driver failed for a reason of its own.
    #[error("the driver failed: {text}")]
    Internal {
        /// What it said.
        text: String,
    },
    /// Submitting a batch of dispatches failed.
    #[error("submitting {kernels} failed: {cause}")]
    Batch {
        /// The kernels of the batch.
        kernels: String,
        /// The failure.
        cause: Box<DeviceError>,
    },
    /// Two lanes of a dispatch scattered to one element, which their author said would not happen: what
    /// the dispatch wrote there may be either's.
    #[error("kernel `{kernel}`: {cause}")]
    Scatter {
        /// The kernel.
        kernel: &'static str,
        /// The span, the element and the lanes.
        cause: ScatterError,
    },
    /// The loops of a lane take more turns together than this driver runs: it left one early, so that what
    /// the dispatch wrote is wrong.
    #[error(
        "kernel `{kernel}`: its loops take more turns than this driver runs (it left one early); split the \
         work over several dispatches, or run it on another device"
    )]
    Loop {
        /// The kernel.
        kernel: &'static str,
    },
    /// Something failed with no operation waiting for it; the next one reports it.
    #[error("an earlier operation failed: {cause}")]
    Earlier {
        /// The failure.
        cause: Box<DeviceError>,
    },
}

/// Keeping pipelines for later runs failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The context was opened without a folder for them.
    #[error(
        "this context keeps no pipelines; open it with `ContextOptions::pipeline_cache(folder)`"
    )]
    NoFolder,
    /// wgpu keeps none for this device.
    #[error("pipelines of {device} cannot be kept: its driver gives none out")]
    Unsupported {
        /// The device in words.
        device: String,
    },
    /// The file could not be written.
    #[error("{} cannot be written: {reason}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

struct Asked<'a>(&'a Option<u64>);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, ": {bytes} bytes were asked for"),
            None => Ok(()),
        }
    }
}

/// Opening a device failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// No adapter fits the request.
    #[error("no device fits the request ({wanted}); {}", Seen(.seen))]
    NoDevice {
        /// The request in words.
        wanted: String,
        /// The adapters that are there.
        seen: Vec<String>,
    },
    /// `NUPP_DEVICE` names no backend.
    #[error(
        "NUPP_DEVICE is `{text}`, which starts with no backend; write vulkan, metal, dx12, gl or \
         webgpu, and after a colon a part of the adapter's name"
    )]
    Selector {
        /// Its text.
        text: String,
    },
    /// The adapter refused to open.
    #[error("{adapter} did not open: {reason}")]
    Refused {
        /// The adapter in words.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// The adapter does not take modules in the form that was asked for.
    #[error(
        "{adapter} takes no native modules: {reason}; ask for `ModuleForm::Spirv` or \
         `ModuleForm::Wgsl`"
    )]
    NoNative {
        /// The adapter in words.
        adapter: String,
        /// Why not.
        reason: &'static str,
    },
    /// This platform opens devices asynchronously only.
    #[error("this platform cannot wait for a device to open; use `open_async`")]
    MustAwait,
    /// The new device failed at once.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

struct Seen<'a>(&'a [String]);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            f.write_str("no adapter is there at all")
        } else {
            write!(f, "seen: {}", self.0.join("; "))
        }
    }
}

/// Making a buffer failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BufferError {
    /// More elements than a kernel can count.
    #[error("a buffer of {elements} elements is asked for, a kernel counts up to {limit}")]
    TooLong {
        /// Elements asked for.
        elements: u64,
        /// Elements that 32-bit word indices reach.
        limit: u64,
    },
    /// More bytes than the device binds.
    #[error("a buffer of {bytes} bytes is asked for, this device offers up to {limit}")]
    TooLarge {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes the device offers.
        limit: u64,
    },
    /// The shape of a tensor is none.
    #[error(transparent)]
    Shape(#[from] LayoutError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Making a view failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The layout is none, or cannot be derived.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The layout ends past the buffer.
    #[error("the layout ends at element {end}, the buffer has {elements}")]
    Escapes {
        /// Where it ends.
        end: u64,
        /// Elements of the buffer.
        elements: u64,
    },
    /// The range of elements is not inside the buffer.
    #[error("elements {begin} to {end} are asked for, the buffer has {elements}")]
    Range {
        /// The first.
        begin: u64,
        /// The first that is left out.
        end: u64,
        /// Elements of the buffer.
        elements: u64,
    },
    /// Words begin or end inside of one.
    #[error("{}", PartWord { begin, end, all })]
    PartWord {
        /// The first byte.
        begin: u64,
        /// The first byte that is left out.
        end: u64,
        /// Bytes of the buffer.
        all: u64,
    },
    /// The elements of the view do not follow one another.
    #[error("{}", NotDense { dimensions, strides })]
    NotDense {
        /// Dimensions of the view.
        dimensions: Vec<u32>,
        /// Its strides.
        strides: Vec<u32>,
    },
    /// The view has no element, so there is nothing to lay out.
    #[error("the view has no element, so nothing can be derived from it")]
    Empty,
}

struct PartWord<'a> {
    begin: &'a u64,
    end: &'a u64,
    all: &'a u64,
}

impl fmt::Display for PartWord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { begin, end, all } = self;
        write!(
            f,
            "bytes {begin} to {end} of a buffer of {all} are not whole words: they must begin on a \
             multiple of 4, and end on one or where the buffer ends"
        )
    }
}

struct NotDense<'a> {
    dimensions: &'a [u32],
    strides: &'a [u32],
}

impl fmt::Display for NotDense<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = Shape(self.dimensions, self.strides);
        write!(f, "the elements of {view} do not follow one another")
    }
}

/// A view, by its numbers.
struct Shape<'a>(&'a [u32], &'a [u32]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[u32]| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            numbers.join(", ")
        };
        let [dimensions, strides] = [self.0, self.1].map(list);
        write!(f, "the view {{{dimensions}}} with strides {{{strides}}}")
    }
}

/// An upload, a download or a read of one failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The host slice is not as long as the buffer.
    #[error("the buffer has {buffer} elements, the slice {slice}")]
    Length {
        /// Elements of the buffer.
        buffer: u64,
        /// Elements of the slice.
        slice: u64,
    },
    /// The buffer belongs to another context.
    #[error("the buffer belongs to another context")]
    OtherContext,
    /// The elements of the view do not follow one another, so a slice cannot stand for them.
    #[error("{}", NotDense { dimensions, strides })]
    NotDense {
        /// Dimensions of the view.
        dimensions: Vec<u32>,
        /// Its strides.
        strides: Vec<u32>,
    },
    /// A view of narrow elements begins or ends inside a word.
    #[error("{}", PartWord { begin, end, all })]
    PartWord {
        /// The first byte.
        begin: u64,
        /// The first byte that is left out.
        end: u64,
        /// Bytes of the buffer.
        all: u64,
    },
    /// The download that is pending is of another part of the buffer.
    #[error(
        "the download that is pending is of bytes {} to {} of the buffer, not of {} to {}",
        .pending.start, .pending.end, .asked.start, .asked.end
    )]
    OtherPart {
        /// Bytes that were queued.
        pending: Range<u64>,
        /// Bytes asked for.
        asked: Range<u64>,
    },
    /// A download of this buffer was queued and not read yet.
    #[error("a download of this buffer is pending; read it before queueing another")]
    Pending,
    /// No download of this buffer is queued, or it was read already.
    #[error("no download of this buffer is pending; queue one with `enqueue_download`")]
    NotQueued,
    /// The download was queued and no `synchronize` has completed since.
    #[error("the download of this buffer is not there yet; `synchronize` first")]
    NotReady,
    /// Waiting for it failed.
    #[error(transparent)]
    Wait(#[from] SyncError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Submitting, or waiting for the device, failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The time given was over first; the work goes on.
    #[error("the device did not finish within {after:?}")]
    Timeout {
        /// The time given.
        after: Duration,
    },
    /// The thread that waits for the device could not be started.
    #[error("the thread that waits for the device did not start: {reason}")]
    Waiter {
        /// What the system said.
        reason: String,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Compiling a kernel for a device failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The device offers less than the kernel needs.
    #[error("kernel `{kernel}` needs {needed} {what}, this device offers {offered}")]
    Limit {
        /// The kernel.
        kernel: &'static str,
        /// What there is too little of.
        what: &'static str,
        /// How much the kernel needs.
        needed: u64,
        /// How much the device offers.
        offered: u64,
    },
    /// What is embedded for the kernel cannot be used.
    #[error("what is embedded for kernel `{kernel}` cannot be used: {reason}")]
    Malformed {
        /// The kernel.
        kernel: &'static str,
        /// Why not.
        reason: String,
    },
    /// The kernel computes with floats, of which the device gives other bits whatever is done.
    #[error("kernel `{kernel}` computes with floats: {cause}")]
    Arithmetic {
        /// The kernel.
        kernel: &'static str,
        /// What the probe found, with the operation and the evidence.
        cause: ProbeError,
    },
    /// The kernel has loops that may take many turns, which cannot be relied on here.
    #[error("kernel `{kernel}` has loops that may take many turns: {cause}")]
    Loops {
        /// The kernel.
        kernel: &'static str,
        /// What the probe found.
        cause: ProbeError,
    },
    /// The device failed.
    #[error("compiling kernel `{kernel}`: {cause}")]
    Device {
        /// The kernel.
        kernel: &'static str,
        /// The failure.
        cause: DeviceError,
    },
}

/// Finding out what the device's arithmetic or its loops give failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No route gives the right bits on this device.
    #[error("no way of computing with floats gives the right bits on this device: {evidence}")]
    Inexact {
        /// The operation and what it gave in integer code, which needs nothing but right integers.
        evidence: Evidence,
    },
    /// The driver leaves loops early.
    #[error("this driver leaves loops early, in a way that a kernel does not notice")]
    Loops,
    /// The device takes no modules of this form.
    #[error("the device takes no native modules: {reason}")]
    NoNative {
        /// Why not.
        reason: &'static str,
    },
    /// The probe could not be run.
    #[error("probing the device failed in {step}: {reason}")]
    Failed {
        /// What was being done.
        step: &'static str,
        /// What went wrong.
        reason: String,
    },
    /// Here the device can only be waited for asynchronously.
    #[error("the device must be awaited here: use the asynchronous call")]
    MustAwait,
}

/// Binding buffers to a kernel failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another number of slots than the kernel has spans.
    #[error("kernel `{kernel}` has {spans} spans, {slots} slots were given")]
    Count {
        /// The kernel.
        kernel: &'static str,
        /// Spans it has.
        spans: usize,
        /// Slots given.
        slots: usize,
    },
    /// A buffer of another context.
    #[error("the buffer for `{span}` of kernel `{kernel}` belongs to another context")]
    OtherContext {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
    },
    /// A buffer of other elements.
    #[error("`{span}` of kernel `{kernel}` holds {needed}, the buffer holds {given}")]
    Element {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// Elements of the span.
        needed: &'static str,
        /// Elements of the buffer.
        given: &'static str,
    },
    /// A slot for reading where the kernel writes, or the other way round.
    #[error("`{span}` of kernel `{kernel}` is {needed}, the slot is {given}")]
    Access {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// How the kernel uses the span.
        needed: &'static str,
        /// What the slot is for.
        given: &'static str,
    },
    /// A guard does not hold for these lengths.
    #[error("{}", Guard { kernel, message, text, lengths })]
    Guard {
        /// The kernel.
        kernel: &'static str,
        /// The author's message, or the empty string.
        message: &'static str,
        /// The condition as written.
        text: &'static str,
        /// The spans it speaks of, with their lengths.
        lengths: Vec<(&'static str, u32)>,
    },
    /// A span used at the loop index is not as long as the dispatch.
    #[error(
        "`{span}` of kernel `{kernel}` is used at the loop index, so it must have {needed} \
         elements; it has {given}"
    )]
    Length {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// Elements of the dispatch.
        needed: u32,
        /// Elements of the buffer.
        given: u32,
    },
    /// A view at the loop index whose elements do not follow one another.
    #[error(
        "`{span}` of kernel `{kernel}` is used at the loop index, and the elements of {} do not follow \
         one another",
        Shape(.dimensions, .strides)
    )]
    NotDense {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// Dimensions of the view.
        dimensions: Vec<u32>,
        /// Its strides.
        strides: Vec<u32>,
    },
    /// A written view in which two indices mean one element.
    #[error(
        "`{span}` of kernel `{kernel}` is written, and two indices of {} mean the same element",
        Shape(.dimensions, .strides)
    )]
    Overlap {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// Dimensions of the view.
        dimensions: Vec<u32>,
        /// Its strides.
        strides: Vec<u32>,
    },
    /// A written view that leaves out elements between its first and its last.
    #[error(
        "`{span}` of kernel `{kernel}` is written, and {} has only {elements} of the {extent} elements \
         from its first to its last",
        Shape(.dimensions, .strides)
    )]
    Gaps {
        /// The kernel.
        kernel: &'static str,
        /// The span.
        span: &'static str,
        /// Dimensions of the view.
        dimensions: Vec<u32>,
        /// Its strides.
        strides: Vec<u32>,
        /// Elements of the view.
        elements: u32,
        /// Elements from its first to its last.
        extent: u32,
    },
    /// One allocation in two slots, of which one is written.
    #[error(
        "`{first}` and `{second}` of kernel `{kernel}` are the same buffer, and the kernel writes \
         one of them"
    )]
    Shared {
        /// The kernel.
        kernel: &'static str,
        /// One span.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// Checking that the elements it scatters to are distinct takes more memory than the device binds.
    #[error(
        "checking what kernel `{kernel}` scatters needs a buffer of {needed} bytes, this device offers up \
         to {offered}; a context with `trust_asserted_scatter` does without"
    )]
    ScatterCheck {
        /// The kernel.
        kernel: &'static str,
        /// Bytes needed: a word for each element of the scattered spans and each lane, and two.
        needed: u64,
        /// Bytes the device offers.
        offered: u64,
    },
    /// The device failed.
    #[error("binding kernel `{kernel}`: {cause}")]
    Device {
        /// The kernel.
        kernel: &'static str,
        /// The failure.
        cause: DeviceError,
    },
}

struct Guard<'a> {
    kernel: &'a str,
    message: &'a str,
    text: &'a str,
    lengths: &'a [(&'static str, u32)],
}

impl fmt::Display for Guard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kernel `{}`: the guard `{}` does not hold",
            self.kernel, self.text
        )?;
        for (position, (span, length)) in self.lengths.iter().enumerate() {
            let lead = if position == 0 { " (" } else { ", " };
            write!(f, "{lead}#{span} is {length}")?;
        }
        if !self.lengths.is_empty() {
            f.write_str(")")?;
        }
        if self.message.is_empty() {
            Ok(())
        } else {
            write!(f, ": {}", self.message)
        }
    }
}

/// Dispatching a binding failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// Another number of uniform words than the kernel has.
    #[error("kernel `{kernel}` has {needed} uniforms, {given} were given")]
    Uniforms {
        /// The kernel.
        kernel: &'static str,
        /// Words it has.
        needed: usize,
        /// Words given.
        given: usize,
    },
    /// More workgroups than one launch of this device can hold.
    #[error("kernel `{kernel}` needs {needed} workgroups, this device launches up to {offered}")]
    TooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Workgroups needed.
        needed: u64,
        /// Workgroups of the longest launch.
        offered: u64,
    },
    /// The device failed.
    #[error("dispatching kernel `{kernel}`: {cause}")]
    Device {
        /// The kernel.
        kernel: &'static str,
        /// The failure.
        cause: DeviceError,
    },
}
