//! Tests of waiting that hold what is waited for in their hand, so that nothing hangs on how fast a device
//! is: a snapshot that the context awaits, and whose signal nobody but the test fires.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::Wake;

use super::*;
use crate::failures::{common, lose, spoiled};
use crate::{Context, TransferError};

#[test]
fn a_callback_that_a_panic_drops_fires_its_signal() {
    let signal = Arc::<Signal>::default();
    let lost = |callback: Callback| {
        let poll = AssertUnwindSafe(|| {
            let _taken = callback;
            panic!("as wgpu does");
        });
        assert!(catch_unwind(poll).is_err());
    };
    drop(Callback::new(Arc::clone(&signal)));
    assert_eq!(signal.outcome(), None, "nothing has happened");
    lost(Callback::new(Arc::clone(&signal)));
    assert_eq!(signal.outcome(), Some(Ok(())));
    let other = Arc::<Signal>::default();
    lost(Callback::or(Arc::clone(&other), Err(no_memory())));
    assert_eq!(other.outcome(), Some(Err(no_memory())));
}

fn no_memory() -> DeviceError {
    DeviceError::OutOfMemory { bytes: None }
}

#[test]
fn only_the_first_outcome_counts() {
    let signal = Signal::default();
    signal.fire(Err(no_memory()));
    signal.fire(Ok(()));
    assert_eq!(signal.outcome(), Some(Err(no_memory())));
}

/// Counts how often it was woken, and whether the signal could be looked at meanwhile.
#[derive(Default)]
struct Watch {
    signal: Arc<Signal>,
    times: AtomicU32,
    locked: AtomicBool,
}

impl Wake for Watch {
    fn wake(self: Arc<Self>) {
        let locked = self.signal.state.try_lock().is_err();
        self.locked.fetch_or(locked, Ordering::SeqCst);
        self.times.fetch_add(1, Ordering::SeqCst);
    }
}

impl Watch {
    fn woken(&self) -> u32 {
        self.times.load(Ordering::SeqCst)
    }
}

#[test]
fn a_task_is_woken_once_and_may_look_at_what_woke_it() {
    let watch = Arc::<Watch>::default();
    let waker = Waker::from(Arc::clone(&watch));
    let task = TaskContext::from_waker(&waker);
    for _ in 0..3 {
        assert!(watch.signal.poll(&task).is_pending());
    }
    watch.signal.fire(Ok(()));
    assert_eq!(watch.woken(), 1);
    assert!(!watch.locked.load(Ordering::SeqCst));
    assert!(watch.signal.poll(&task).is_ready());
}

/// A snapshot that the next `synchronize` of the context waits for. It is in no batch.
fn held(context: &Context) -> Arc<crate::transfer::Snapshot> {
    let snapshot = spoiled(context);
    lock(&context.inner.recorder).await_snapshot(&snapshot);
    snapshot
}

/// Steps a future and says what it came to.
fn step<F: Future>(future: std::pin::Pin<&mut F>, watch: &Arc<Watch>) -> Option<F::Output> {
    let waker = Waker::from(Arc::clone(watch));
    match future.poll(&mut TaskContext::from_waker(&waker)) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn a_future_whose_work_is_done_starts_no_thread() {
    let Some(context) = common::context() else {
        return;
    };
    context.synchronize_blocking().unwrap();
    pollster::block_on(context.synchronize()).unwrap();
    assert!(!context.waiter_runs());
}

#[test]
fn a_future_is_listed_once_while_it_waits() {
    let Some(context) = common::context() else {
        return;
    };
    let watch = Arc::<Watch>::default();
    let held = held(&context);
    let [mut one, mut other] = [(); 2].map(|()| Box::pin(context.synchronize()));
    for _ in 0..3 {
        assert_eq!(step(one.as_mut(), &watch), None);
        assert_eq!(step(other.as_mut(), &watch), None);
        assert_eq!(context.futures_listed(), 2);
        assert!(context.waiter_runs());
    }
    drop(other);
    assert_eq!(context.futures_listed(), 1);
    held.mapped().fire(Ok(()));
    let since = Instant::now();
    let outcome = loop {
        // What the context did when it was opened may still run.
        match step(one.as_mut(), &watch) {
            Some(outcome) => break outcome,
            None => std::thread::sleep(BREATH),
        }
        assert!(since.elapsed() < Duration::from_secs(5));
    };
    assert_eq!(outcome, Ok(()));
    // Whoever keeps a future that is over does not wait.
    assert_eq!(context.futures_listed(), 0);
    drop(one);
}

#[test]
fn only_a_wait_to_the_end_makes_downloads_readable() {
    let Some(context) = common::context() else {
        return;
    };
    let [first, second] = [(); 2].map(|()| held(&context));
    let short = Duration::from_millis(20);
    let late = || Err(SyncError::Timeout { after: short });
    assert_eq!(context.synchronize_within(short), late());
    first.mapped().fire(Ok(()));
    assert_eq!(context.synchronize_within(short), late());
    assert!(!first.synchronized() && !second.synchronized());
    // An earlier error ends the wait before the second has come, which stays to be waited for.
    context.inner.gpu.faults.store(no_memory());
    assert!(context.synchronize_blocking().is_err());
    assert!(!second.synchronized());
    assert_eq!(context.synchronize_within(short), late());
    second.mapped().fire(Ok(()));
    context.synchronize_blocking().unwrap();
    assert!(first.synchronized() && second.synchronized());
}

fn is_lost<T>(outcome: &Result<T, SyncError>) -> bool {
    matches!(outcome, Err(SyncError::Device(DeviceError::Lost { .. })))
}

#[test]
fn whoever_waits_hears_of_a_loss() {
    let Some(context) = common::context() else {
        return;
    };
    let _held = held(&context);
    let watch = Arc::<Watch>::default();
    let patience = Duration::from_secs(5);
    let (blocking, mut late) = (context.synchronize(), pin!(context.synchronize()));
    let mut pending = pin!(context.synchronize());
    assert_eq!(step(pending.as_mut(), &watch), None);
    lose(&context);
    // By the waiter, which goes then.
    let since = Instant::now();
    while watch.woken() == 0 || context.waiter_runs() {
        assert!(since.elapsed() < patience, "nobody told the future");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(is_lost(&step(pending, &watch).unwrap()));
    // Whoever begins to wait now needs no waiter to be told.
    assert!(is_lost(&step(late.as_mut(), &watch).unwrap()));
    assert!(!context.waiter_runs());
    assert!(is_lost(&blocking.block(Some(patience))));
}

#[test]
fn a_download_hears_of_an_error_that_came_while_it_waited() {
    let Some(context) = common::context() else {
        return;
    };
    let buffer = context.buffer::<u32>(3).unwrap();
    let download = context.download(&buffer);
    context.inner.gpu.faults.store(no_memory());
    let earlier = DeviceError::Earlier {
        cause: Box::new(no_memory()),
    };
    let told = Err(TransferError::Device(earlier));
    assert_eq!(pollster::block_on(download), told);
    assert_eq!(context.download_blocking(&buffer), Ok(vec![0; 3]));
}
