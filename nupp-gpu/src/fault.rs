//! Catching what the device reports, so that nothing is swallowed and nothing panics.
//!
//! [`Gpu`] is the device with its queue and its record of failures. [`Gpu::scoped`] runs an
//! operation inside error scopes of every kind and fails it with what they caught. What no scope
//! caught is stored and fails the next operation; a lost device fails all of them. Polling, the one
//! call of wgpu that panics when a device is lost, is wrapped.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use crate::error::DeviceError;

/// Locks, whatever became of the last holder: what our mutexes guard is valid between statements.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value of a future that is ready at once, as those of native wgpu are.
pub(crate) fn ready<F: Future>(future: F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// What went wrong on a device with nobody to tell.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Set as soon as there is anything to look at, so that the usual case is one load.
    any: AtomicBool,
    lost: OnceLock<String>,
    stored: Mutex<Option<DeviceError>>,
    /// The kernels of the batch that was submitted last and had any.
    running: Mutex<Vec<&'static str>>,
}

/// The names of kernels, each once; nothing if there are none.
pub(crate) fn listed(kernels: &[&'static str]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in kernels {
        if !names.contains(name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| format!("`{}`", names.join("`, `")))
}

impl Faults {
    /// Takes over the kernels of a batch that is submitted, if there are any, and hands back an empty
    /// list.
    pub(crate) fn submit(&self, kernels: &mut Vec<&'static str>) {
        if kernels.is_empty() {
            return;
        }
        let mut running = lock(&self.running);
        std::mem::swap(&mut *running, kernels);
        kernels.clear();
    }

    /// Records the loss of the device. What it ran last may be why: a driver's watchdog says no more.
    pub(crate) fn lose(&self, mut reason: String) {
        if let Some(names) = listed(&lock(&self.running)) {
            reason = format!(
                "{}; the last batch ran {names}",
                reason.trim_end_matches(['.', ' '])
            );
        }
        // The first reason is the cause; later ones are consequences.
        let _ = self.lost.set(reason);
        self.any.store(true, Ordering::Release);
    }

    /// Stores an error that no operation was waiting for; the first one is kept.
    pub(crate) fn store(&self, error: DeviceError) {
        lock(&self.stored).get_or_insert(error);
        self.any.store(true, Ordering::Release);
    }

    /// Forgets the stored error where this is how somebody who waited for it was told.
    pub(crate) fn told(&self, error: &DeviceError) {
        if let DeviceError::Earlier { cause } = error {
            lock(&self.stored).take_if(|stored| *stored == **cause);
        }
    }

    /// Fails if the device is lost.
    pub(crate) fn check_lost(&self) -> Result<(), DeviceError> {
        match self.lost.get() {
            Some(reason) => Err(DeviceError::Lost {
                reason: reason.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Fails if the device is lost, or with the stored error, which is then forgotten.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        self.check_lost()?;
        match lock(&self.stored).take() {
            Some(cause) => Err(DeviceError::Earlier {
                cause: Box::new(cause),
            }),
            None => Ok(()),
        }
    }
}

impl DeviceError {
    pub(crate) fn of(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory { bytes: None },
            wgpu::Error::Validation { description, .. } => DeviceError::Validation {
                text: one_line(&description),
            },
            wgpu::Error::Internal { description, .. } => DeviceError::Internal {
                text: one_line(&description),
            },
        }
    }
}

/// An indented cause tree as one line.
fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != "Validation Error" && *line != "Caused by:")
        .collect::<Vec<_>>()
        .join(": ")
}

/// An open device, its queue and its failures. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) faults: Arc<Faults>,
    /// Held while wgpu is polled: of two polls at once, one can take from the other what it waits
    /// for, and wgpu-core 30 panics over that.
    polling: Arc<Turns>,
}

/// A lock that is not waited for past a deadline.
#[derive(Debug, Default)]
struct Turns {
    taken: Mutex<bool>,
    over: Condvar,
}

/// One's turn, which ends with it.
struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits for a turn, up to `limit` if there is one.
    fn take(&self, limit: Option<Duration>) -> Option<Turn<'_>> {
        let mut taken = lock(&self.taken);
        taken = match limit {
            None => (self.over)
                .wait_while(taken, |taken| *taken)
                .unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                (self.over)
                    .wait_timeout_while(taken, limit, |taken| *taken)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        let free = !std::mem::replace(&mut *taken, true);
        // Made only where it is free, since its end is everybody's.
        free.then(|| Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.taken) = false;
        self.0.over.notify_one();
    }
}

impl Gpu {
    /// Takes over a new device: from here on its failures are recorded.
    pub(crate) fn new(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let faults = Arc::new(Faults::default());
        let stored = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |error| {
            stored.store(DeviceError::of(error));
        }));
        let lost = Arc::clone(&faults);
        device.set_device_lost_callback(move |_, message| lost.lose(message));
        Self {
            device,
            queue,
            faults,
            polling: Arc::default(),
        }
    }

    /// Runs an operation and fails it with what the device says of it.
    ///
    /// Scopes are per thread, so that other threads' errors do not end up here. Where popping a
    /// scope is asynchronous, the error comes out through the handler of uncaptured errors.
    pub(crate) fn scoped<R>(&self, operation: impl FnOnce() -> R) -> Result<R, DeviceError> {
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = operation();
        let validation = ready(validation.pop()).flatten();
        let memory = ready(memory.pop()).flatten();
        let internal = ready(internal.pop()).flatten();
        // A lost device makes objects that are invalid without a word to the scopes.
        self.faults.check_lost()?;
        // Want of memory is the cause, where it is there, of whatever was invalid after it.
        match memory.or(internal).or(validation) {
            Some(error) => Err(DeviceError::of(error)),
            None => Ok(value),
        }
    }

    /// Makes a buffer. Want of memory is told with the bytes that it was about.
    pub(crate) fn buffer(
        &self,
        descriptor: &wgpu::BufferDescriptor,
    ) -> Result<wgpu::Buffer, DeviceError> {
        self.scoped(|| self.device.create_buffer(descriptor))
            .map_err(|error| match error {
                DeviceError::OutOfMemory { .. } => DeviceError::OutOfMemory {
                    bytes: Some(descriptor.size),
                },
                other => other,
            })
    }

    /// Runs the callbacks that are due, after waiting up to `limit` for all submitted work.
    ///
    /// `Some(ZERO)` does not wait and `None` waits for as long as it takes. Returns whether all
    /// work was done, which it does not know where somebody else polled all the time.
    pub(crate) fn poll(&self, limit: Option<Duration>) -> Result<bool, DeviceError> {
        let since = Instant::now();
        // Whoever polls now runs the callbacks.
        let Some(_turn) = self.polling.take(limit) else {
            return Ok(false);
        };
        let kind = match limit {
            Some(Duration::ZERO) => wgpu::PollType::Poll,
            limit => wgpu::PollType::Wait {
                submission_index: None,
                timeout: limit.map(|limit| limit.saturating_sub(since.elapsed())),
            },
        };
        if let Some(outcome) = self.poll_once(&kind) {
            return outcome;
        }
        // A submission on another thread polls too, under no lock of ours, and can be what the
        // panic was about; then nothing is wrong, and a second look is answered.
        match self.poll_once(&wgpu::PollType::Poll) {
            Some(Ok(_)) => Ok(false),
            Some(Err(error)) => Err(error),
            None => {
                self.faults.lose("waiting for it failed".to_owned());
                self.faults.check_lost().map(|()| false)
            }
        }
    }

    /// Polls once; nothing if wgpu panicked. The state behind the device is wgpu's own, which it
    /// keeps consistent by its own locks.
    fn poll_once(&self, kind: &wgpu::PollType) -> Option<Result<bool, DeviceError>> {
        match catch_unwind(AssertUnwindSafe(|| self.device.poll(kind.clone()))) {
            Ok(Ok(status)) => Some(Ok(status.wait_finished())),
            Ok(Err(wgpu::PollError::Timeout)) => Some(Ok(false)),
            Ok(Err(error)) => Some(Err(DeviceError::Internal {
                text: error.to_string(),
            })),
            Err(_) => None,
        }
    }
}
