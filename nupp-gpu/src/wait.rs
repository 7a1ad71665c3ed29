//! Waiting for the device without an executor of ours and without spinning.
//!
//! A [`Signal`] is fired once by a callback of the device. Callbacks run only while somebody polls
//! the device: a blocking caller polls on its own thread ([`Wait::block`]); a future is served by
//! the context's one [`Waiter`] thread, which starts with the first pending future, polls as long
//! as some future waits, and ends when it has been idle for a while or the context is gone. A
//! dropped future leaves the list; the work goes on.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use crate::error::{DeviceError, SyncError};
use crate::fault::{Gpu, lock};

/// The longest poll of the waiter: a new future or the end of the context is noticed within it.
const SLICE: Duration = Duration::from_millis(50);
/// How long the waiter stays with nothing to do.
const IDLE: Duration = Duration::from_millis(500);
/// A pause for callbacks that another thread has taken and not yet run.
const BREATH: Duration = Duration::from_millis(1);

/// Something that will have happened.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    state: Mutex<SignalState>,
    fired: Condvar,
}

#[derive(Debug, Default)]
struct SignalState {
    outcome: Option<Result<(), DeviceError>>,
    wakers: Vec<Waker>,
}

impl Signal {
    /// One that has happened already.
    pub(crate) fn done() -> Self {
        let signal = Self::default();
        signal.fire(Ok(()));
        signal
    }

    /// Says that it happened; only the first time counts.
    pub(crate) fn fire(&self, outcome: Result<(), DeviceError>) {
        let wakers = {
            let mut state = lock(&self.state);
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome);
            std::mem::take(&mut state.wakers)
        };
        self.fired.notify_all();
        // Woken without the lock: a waker may run anything.
        wakers.into_iter().for_each(Waker::wake);
    }

    /// What became of it.
    pub(crate) fn outcome(&self) -> Option<Result<(), DeviceError>> {
        lock(&self.state).outcome.clone()
    }

    pub(crate) fn fired(&self) -> bool {
        lock(&self.state).outcome.is_some()
    }

    /// Leaves a waker, unless it has happened.
    fn poll(&self, task: &TaskContext<'_>) -> Poll<Result<(), DeviceError>> {
        let mut state = lock(&self.state);
        if let Some(outcome) = &state.outcome {
            return Poll::Ready(outcome.clone());
        }
        if !state.wakers.iter().any(|held| held.will_wake(task.waker())) {
            state.wakers.push(task.waker().clone());
        }
        Poll::Pending
    }

    /// Waits for it a moment without polling the device.
    fn pause(&self) {
        let state = lock(&self.state);
        if state.outcome.is_none() {
            drop(
                self.fired
                    .wait_timeout(state, BREATH)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }
}

/// A signal in the hands of a callback of wgpu.
///
/// A poll with a deadline may panic inside wgpu, when another thread's submission has just seen the
/// queue done; it is caught, but the callbacks that it had taken out are dropped uncalled. What they
/// were to tell has happened by then, so the signal is fired all the same: with success, since memory
/// that is not mapped says so when it is read.
#[derive(Debug)]
pub(crate) struct Callback {
    signal: Option<Arc<Signal>>,
    /// What a panic makes of it.
    otherwise: Result<(), DeviceError>,
}

impl Callback {
    pub(crate) fn new(signal: Arc<Signal>) -> Self {
        Self::or(signal, Ok(()))
    }

    /// One that fires with this outcome where it is dropped by a panic.
    pub(crate) fn or(signal: Arc<Signal>, otherwise: Result<(), DeviceError>) -> Self {
        Self {
            signal: Some(signal),
            otherwise,
        }
    }

    /// Fires the signal.
    pub(crate) fn fire(mut self, outcome: Result<(), DeviceError>) {
        if let Some(signal) = self.signal.take() {
            signal.fire(outcome);
        }
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        if let Some(signal) = self.signal.take().filter(|_| std::thread::panicking()) {
            signal.fire(self.otherwise.clone());
        }
    }
}

/// The context's one thread that polls for futures.
#[derive(Debug)]
pub(crate) struct Waiter {
    office: Arc<Office>,
}

#[derive(Debug)]
struct Office {
    gpu: Gpu,
    desk: Mutex<Desk>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Desk {
    next: u64,
    waiting: Vec<(u64, Arc<[Arc<Signal>]>)>,
    running: bool,
    closed: bool,
}

impl Waiter {
    pub(crate) fn new(gpu: Gpu) -> Self {
        Self {
            office: Arc::new(Office {
                gpu,
                desk: Mutex::default(),
                changed: Condvar::new(),
            }),
        }
    }

    /// Whether the thread runs.
    pub(crate) fn running(&self) -> bool {
        lock(&self.office.desk).running
    }

    /// How many futures wait.
    pub(crate) fn listed(&self) -> usize {
        lock(&self.office.desk).waiting.len()
    }

    /// Has the device polled until these signals are fired or the ticket is dropped.
    fn enlist(&self, signals: &Arc<[Arc<Signal>]>) -> Result<Ticket, SyncError> {
        let mut desk = lock(&self.office.desk);
        if !desk.running {
            let office = Arc::clone(&self.office);
            std::thread::Builder::new()
                .name("nupp-gpu waiter".to_owned())
                .spawn(move || office.run())
                .map_err(|error| SyncError::Waiter {
                    reason: error.to_string(),
                })?;
            desk.running = true;
        }
        let number = desk.next;
        desk.next += 1;
        desk.waiting.push((number, Arc::clone(signals)));
        self.office.changed.notify_one();
        Ok(Ticket {
            office: Arc::clone(&self.office),
            number,
        })
    }
}

/// A future's place on the list, which goes with it.
#[derive(Debug)]
struct Ticket {
    office: Arc<Office>,
    number: u64,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.office.desk)
            .waiting
            .retain(|(held, _)| *held != self.number);
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // Not joined: no drop waits. The thread leaves within one slice.
        lock(&self.office.desk).closed = true;
        self.office.changed.notify_one();
    }
}

impl Office {
    fn run(&self) {
        while let Some(signal) = self.next() {
            let polled = self
                .gpu
                .poll(Some(SLICE))
                .and_then(|_| self.gpu.faults.check_lost());
            match polled {
                // Polling fired it, or timed out, or its callback is on another thread.
                Ok(()) => signal.pause(),
                Err(error) => self.fail(&error),
            }
        }
    }

    /// An unfired signal that somebody waits for; sleeps until there is one, and gives up after a
    /// while.
    fn next(&self) -> Option<Arc<Signal>> {
        let mut desk = lock(&self.desk);
        let since = Instant::now();
        loop {
            let unfired = desk
                .waiting
                .iter()
                .flat_map(|(_, signals)| signals.iter())
                .find(|signal| !signal.fired());
            // Whoever waits holds the context, so the list of a closed one is empty.
            if let Some(signal) = unfired {
                return Some(Arc::clone(signal));
            }
            let left = IDLE.saturating_sub(since.elapsed());
            if desk.closed || left.is_zero() {
                desk.running = false;
                return None;
            }
            desk = self
                .changed
                .wait_timeout(desk, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Tells everybody that the device failed.
    fn fail(&self, error: &DeviceError) {
        let waiting = std::mem::take(&mut lock(&self.desk).waiting);
        for signal in waiting.iter().flat_map(|(_, signals)| signals.iter()) {
            signal.fire(Err(error.clone()));
        }
    }
}

/// One party's wait for some signals.
#[derive(Debug)]
pub(crate) struct Wait {
    signals: Arc<[Arc<Signal>]>,
    ticket: Option<Ticket>,
}

impl Wait {
    pub(crate) fn new(signals: Vec<Arc<Signal>>) -> Self {
        Self {
            signals: signals.into(),
            ticket: None,
        }
    }

    /// The first failure, or success once all are fired.
    fn outcome(&self) -> Option<Result<(), DeviceError>> {
        self.signals
            .iter()
            .map(|signal| signal.outcome())
            .try_fold(Ok(()), |all, one| Some(all.and(one?)))
    }

    /// The future's step.
    pub(crate) fn poll(
        &mut self,
        task: &TaskContext<'_>,
        gpu: &Gpu,
        waiter: &Waiter,
    ) -> Poll<Result<(), SyncError>> {
        if self.ticket.is_none() && self.outcome().is_none() {
            // Work that is done already needs no thread.
            gpu.poll(Some(Duration::ZERO))?;
        }
        for signal in self.signals.iter() {
            if signal.poll(task).is_pending() {
                gpu.faults.check_lost()?;
                if self.ticket.is_none() {
                    self.ticket = Some(waiter.enlist(&self.signals)?);
                }
                return Poll::Pending;
            }
        }
        self.ticket = None;
        Poll::Ready(self.outcome().unwrap_or(Ok(())).map_err(SyncError::Device))
    }

    /// Waits on the calling thread, for as long as it takes or up to `limit`.
    pub(crate) fn block(&self, gpu: &Gpu, limit: Option<Duration>) -> Result<(), SyncError> {
        let start = Instant::now();
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome.map_err(SyncError::Device);
            }
            gpu.faults.check_lost()?;
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            gpu.poll(left)?;
            if self.outcome().is_none() {
                if let (Some(after), Some(Duration::ZERO)) = (limit, left) {
                    return Err(SyncError::Timeout { after });
                }
                self.signals.iter().for_each(|signal| signal.pause());
            }
        }
    }
}

#[cfg(test)]
mod tests;
