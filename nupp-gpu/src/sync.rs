//! Waiting for everything that a context was asked for.
//!
//! `synchronize` submits when it is called and waits when it is awaited. When it completes, the
//! downloads queued before it are there to be read. Dropping the future ends the wait only.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::context::Context;
use crate::costs::Timed;
use crate::error::SyncError;
use crate::fault::lock;
use crate::transfer::Snapshot;
use crate::wait::{Callback, Signal, Wait};

/// The completion of everything asked for before [`Context::synchronize`] was called.
#[derive(Debug)]
#[must_use = "submitted at once, but awaited by nobody"]
pub struct Synchronize {
    context: Context,
    /// What submitting met, told when awaited.
    refused: Option<SyncError>,
    snapshots: Vec<Arc<Snapshot>>,
    wait: Wait,
    /// Where the context has a cost log.
    timed: Option<Timed>,
}

impl Context {
    /// Submits what has been recorded, at once, and returns the future of its completion.
    pub fn synchronize(&self) -> Synchronize {
        let inner = &self.inner;
        let timed = inner.costs.start();
        let mut recorder = lock(&inner.recorder);
        let refused = recorder.flush(&inner.gpu).err().map(SyncError::Device);
        let snapshots = recorder.awaiting();
        let checks = recorder.checking();
        drop(recorder);
        let finished = Arc::new(Signal::default());
        let fired = Callback::new(Arc::clone(&finished));
        inner
            .gpu
            .queue
            .on_submitted_work_done(move || fired.fire(Ok(())));
        let signals = std::iter::once(finished)
            .chain(checks)
            .chain(snapshots.iter().map(|snapshot| snapshot.mapped()))
            .collect();
        Synchronize {
            context: self.clone(),
            refused,
            snapshots,
            wait: Wait::new(signals),
            timed,
        }
    }
}

impl Synchronize {
    /// Waits on this thread, up to `limit` if there is one.
    pub(crate) fn block(mut self, limit: Option<Duration>) -> Result<(), SyncError> {
        let outcome = match self.refused.take() {
            Some(error) => Err(error),
            None => self.wait.block(&self.context.inner.gpu, limit),
        };
        self.finish(outcome)
    }

    /// After a wait to the end, whatever it was, the snapshots that were submitted can be read or
    /// tell their failure. Those that were not, because of an earlier error, stay to be waited for.
    fn finish(&self, outcome: Result<(), SyncError>) -> Result<(), SyncError> {
        if let Some(timed) = &self.timed {
            timed.waited(&outcome);
        }
        if !matches!(outcome, Err(SyncError::Timeout { .. })) {
            self.snapshots
                .iter()
                .for_each(|snapshot| snapshot.synchronize());
        }
        let faults = &self.context.inner.gpu.faults;
        if let Err(SyncError::Device(error)) = &outcome {
            faults.told(error);
        }
        // An error without a scope may have come while waiting.
        outcome.and_then(|()| Ok(faults.check()?))
    }
}

impl Future for Synchronize {
    type Output = Result<(), SyncError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let inner = Arc::clone(&this.context.inner);
        let outcome = match this.refused.take() {
            Some(error) => Err(error),
            None => match this.wait.poll(task, &inner.gpu, &inner.waiter) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(outcome) => outcome,
            },
        };
        Poll::Ready(this.finish(outcome))
    }
}
