//! Moving elements between host slices and device buffers, whole or in dense parts.
//!
//! An upload is copied to staging memory at once, so the slice is free again, and reaches the
//! buffer at its place in the order. A download is a snapshot: a copy recorded at its place, mapped
//! when its batch is done, and read from there. `enqueue_download`, `synchronize` and
//! `read_downloaded` are the three steps; [`Context::download`] is all of them for one buffer.
//! A read that is early, late, of another part or of another length is an error that changes nothing.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll};

use crate::context::{Context, ContextInner};
use crate::costs::Copied;
use crate::element::Element;
use crate::error::{DeviceError, SyncError, TransferError};
use crate::fault::{Gpu, lock};
use crate::part::{Bytes, Part, Stored};
use crate::staging::Staging;
use crate::wait::{Callback, Signal, Wait};

/// A copy of a part of a buffer, taken at one place in the order.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The bytes that it is of.
    bytes: Bytes,
    /// None for a part of no elements.
    staging: Option<wgpu::Buffer>,
    /// Where its staging buffer goes.
    pool: Arc<Staging>,
    mapped: Arc<Signal>,
    synchronized: AtomicBool,
    /// Where the context has a cost log.
    costs: Option<Copied>,
}

impl Snapshot {
    pub(crate) fn new(gpu: &Gpu, pool: &Arc<Staging>, bytes: Bytes) -> Result<Self, DeviceError> {
        if bytes.len() == 0 {
            return Ok(Self {
                bytes,
                staging: None,
                pool: Arc::clone(pool),
                mapped: Arc::new(Signal::done()),
                synchronized: AtomicBool::new(false),
                costs: None,
            });
        }
        let staging = pool.take_for_reading(gpu, bytes.padded())?;
        Ok(Self {
            bytes,
            staging: Some(staging),
            pool: Arc::clone(pool),
            mapped: Arc::default(),
            synchronized: AtomicBool::new(false),
            costs: None,
        })
    }

    /// Of a part of a context's buffer.
    fn of(context: &Context, part: &Part, bytes: Bytes) -> Result<Self, DeviceError> {
        let timed = context.inner.costs.start();
        let mut snapshot = Self::new(&context.inner.gpu, &context.inner.staging, bytes)?;
        if snapshot.staging.is_some() {
            snapshot.costs = timed.map(|timed| timed.download(part, bytes));
        }
        Ok(snapshot)
    }

    /// Says in the log that it has its place in the order.
    fn queued(&self, part: &Part) {
        if let Some(costs) = &self.costs {
            costs.queued(part.allocation());
        }
    }

    /// The bytes of the buffer that it is of.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    pub(crate) fn staging(&self) -> Option<&wgpu::Buffer> {
        self.staging.as_ref()
    }

    /// Fired when it can be read.
    pub(crate) fn mapped(&self) -> Arc<Signal> {
        Arc::clone(&self.mapped)
    }

    /// Whether a completed `synchronize` has waited for it.
    pub(crate) fn synchronized(&self) -> bool {
        self.synchronized.load(Ordering::Acquire)
    }

    /// Says that a `synchronize` has waited for it, if it has happened.
    pub(crate) fn synchronize(&self) {
        if self.mapped.outcome().is_some() {
            self.synchronized.store(true, Ordering::Release);
        }
    }

    /// Has it mapped once the batch it is in, just submitted, is done.
    pub(crate) fn map(&self) {
        let Some(staging) = &self.staging else { return };
        let mapped = Callback::new(self.mapped());
        let costs = self.costs.as_ref().map(Copied::start);
        staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
            if let (Some(costs), Ok(())) = (&costs, &outcome) {
                costs.mapped();
            }
            mapped.fire(outcome.map_err(|error| DeviceError::Internal {
                text: error.to_string(),
            }));
        });
    }

    /// Says that its batch was not submitted.
    pub(crate) fn fail(&self, error: DeviceError) {
        self.mapped.fire(Err(error));
    }

    /// Copies it out. It is mapped, and `out` has as many bytes.
    fn read<T: Element>(&self, out: &mut [T]) -> Result<(), DeviceError> {
        let Some(staging) = &self.staging else {
            return Ok(());
        };
        let costs = self.costs.as_ref().map(Copied::start);
        let view = staging
            .get_mapped_range(..)
            .map_err(|error| DeviceError::Internal {
                text: error.to_string(),
            })?;
        // The last word may be longer than the last element.
        let out: &mut [u8] = bytemuck::cast_slice_mut(out);
        out.copy_from_slice(&view[..out.len()]);
        if let Some(costs) = costs {
            costs.read();
        }
        Ok(())
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // One that the device may still write, or that failed, is not for anyone else.
        if let (Some(staging), Some(Ok(()))) = (self.staging.take(), self.mapped.outcome()) {
            self.pool.give_back_read(staging);
        }
    }
}

impl Context {
    /// Fills a buffer or a dense view from a slice of its length.
    pub fn upload<S: Stored + ?Sized>(
        &self,
        stored: &S,
        data: &[S::Element],
    ) -> Result<(), TransferError> {
        let part = stored.part();
        self.admit(&part)?;
        let bytes = part.bytes()?;
        fits(&part, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let timed = self.inner.costs.start();
        let gpu = &self.inner.gpu;
        let staging = stage(&self.inner, bytemuck::cast_slice(data), bytes)?;
        let raw = &part.allocation().raw;
        let mut recorder = lock(&self.inner.recorder);
        recorder.upload(gpu, staging, raw, bytes)?;
        if let Some(timed) = timed {
            timed.upload(&part, bytes);
        }
        Ok(())
    }

    /// Queues a download of a buffer or a dense view as it is at this place in the order.
    ///
    /// After the next `synchronize` has completed, [`Context::read_downloaded`] reads it. A buffer,
    /// with all its views, has one such download at a time.
    pub fn enqueue_download<S: Stored + ?Sized>(&self, stored: &S) -> Result<(), TransferError> {
        let part = stored.part();
        self.admit(&part)?;
        let bytes = part.bytes()?;
        let mut pending = lock(&part.allocation().pending);
        if pending.is_some() {
            return Err(TransferError::Pending);
        }
        let gpu = &self.inner.gpu;
        let snapshot = Arc::new(Snapshot::of(self, &part, bytes)?);
        let mut recorder = lock(&self.inner.recorder);
        recorder.snapshot(gpu, &part.allocation().raw, &snapshot)?;
        snapshot.queued(&part);
        recorder.await_snapshot(&snapshot);
        *pending = Some(snapshot);
        Ok(())
    }

    /// Reads the download that was queued for a buffer or a view, into a slice of its length.
    pub fn read_downloaded<S: Stored + ?Sized>(
        &self,
        stored: &S,
        out: &mut [S::Element],
    ) -> Result<(), TransferError> {
        let part = stored.part();
        if !part.allocation().context.same(self) {
            return Err(TransferError::OtherContext);
        }
        let bytes = part.bytes()?;
        let mut pending = lock(&part.allocation().pending);
        let snapshot = pending.as_ref().ok_or(TransferError::NotQueued)?;
        if snapshot.bytes != bytes {
            return Err(TransferError::OtherPart {
                pending: snapshot.bytes.begin..snapshot.bytes.end,
                asked: bytes.begin..bytes.end,
            });
        }
        fits(&part, out.len())?;
        let outcome = match snapshot.mapped.outcome() {
            Some(outcome) if snapshot.synchronized() => outcome.and_then(|()| snapshot.read(out)),
            _ => return Err(TransferError::NotReady),
        };
        // Read or failed, it is over: a snapshot cannot be taken a second time.
        *pending = None;
        Ok(outcome?)
    }

    /// Submits what has been recorded, and returns the future of the elements of a buffer or a dense
    /// view as they are at this place in the order.
    pub fn download<S: Stored + ?Sized>(&self, stored: &S) -> Download<S::Element> {
        let part = stored.part();
        let (snapshot, signals) = match self.take(&part) {
            Ok((snapshot, mut signals)) => {
                signals.push(snapshot.mapped());
                (Ok(snapshot), signals)
            }
            Err(error) => (Err(error), Vec::new()),
        };
        Download {
            context: self.clone(),
            snapshot: Some(snapshot),
            len: part.count() as usize,
            wait: Wait::new(signals),
            element: PhantomData,
        }
    }

    /// Submits what has been recorded and waits on this thread for the elements of a buffer or a dense
    /// view.
    pub fn download_blocking<S: Stored + ?Sized>(
        &self,
        stored: &S,
    ) -> Result<Vec<S::Element>, TransferError> {
        let mut download = self.download(stored);
        let outcome = download.wait.block(&self.inner.gpu, None);
        download.finish(outcome)
    }

    /// A submitted snapshot of a part, and the checks that are to be waited for with it.
    fn take(&self, part: &Part) -> Result<(Arc<Snapshot>, Vec<Arc<Signal>>), TransferError> {
        self.admit(part)?;
        let gpu = &self.inner.gpu;
        let snapshot = Arc::new(Snapshot::of(self, part, part.bytes()?)?);
        let mut recorder = lock(&self.inner.recorder);
        recorder.snapshot(gpu, &part.allocation().raw, &snapshot)?;
        snapshot.queued(part);
        recorder.flush(gpu)?;
        Ok((snapshot, recorder.checking()))
    }

    /// Fails for a part of another context, and where the device has failed.
    fn admit(&self, part: &Part) -> Result<(), TransferError> {
        if !part.allocation().context.same(self) {
            return Err(TransferError::OtherContext);
        }
        Ok(self.inner.gpu.faults.check()?)
    }
}

/// Fails for a slice of another length than the part's.
fn fits(part: &Part, slice: usize) -> Result<(), TransferError> {
    if part.count() as usize == slice {
        return Ok(());
    }
    Err(TransferError::Length {
        buffer: u64::from(part.count()),
        slice: slice as u64,
    })
}

/// A staging buffer that begins with this data, of which there is some, in whole words.
fn stage(inner: &ContextInner, data: &[u8], bytes: Bytes) -> Result<wgpu::Buffer, DeviceError> {
    let staging = inner.staging.take(&inner.gpu, bytes.padded())?;
    let mut view = staging
        .get_mapped_range_mut(..bytes.padded())
        .map_err(|error| DeviceError::Internal {
            text: error.to_string(),
        })?;
    view.slice(..data.len()).copy_from_slice(data);
    // What is left of the last word is 0 for whoever reads the buffer as words.
    view.slice(data.len()..).fill(0);
    drop(view);
    staging.unmap();
    Ok(staging)
}

/// The elements of a buffer, on their way to the host. Dropping it ends the wait only.
#[derive(Debug)]
#[must_use = "submitted at once, but awaited by nobody"]
pub struct Download<T> {
    context: Context,
    /// The snapshot, or what stood in its way; taken when it is told.
    snapshot: Option<Result<Arc<Snapshot>, TransferError>>,
    len: usize,
    wait: Wait,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Download<T> {
    fn finish(&mut self, outcome: Result<(), SyncError>) -> Result<Vec<T>, TransferError> {
        let snapshot = self
            .snapshot
            .take()
            .unwrap_or(Err(TransferError::NotQueued))?;
        let faults = &self.context.inner.gpu.faults;
        match outcome {
            // What the snapshot holds may be wrong.
            Err(SyncError::Device(error @ DeviceError::Earlier { .. })) => {
                faults.told(&error);
                return Err(error.into());
            }
            other => other?,
        }
        let mut values = vec![T::zeroed(); self.len];
        snapshot.read(&mut values)?;
        faults.check()?;
        Ok(values)
    }
}

impl<T: Element> Future for Download<T> {
    type Output = Result<Vec<T>, TransferError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let inner = Arc::clone(&this.context.inner);
        let outcome = match this.wait.poll(task, &inner.gpu, &inner.waiter) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(outcome) => outcome,
        };
        Poll::Ready(this.finish(outcome))
    }
}
