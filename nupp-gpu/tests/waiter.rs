//! The thread that polls for futures, counted from outside: one a context, which goes with it, notices a
//! new future at once and keeps nobody from his deadline. Each test is alone in a process.
//!
//! A device that is done before anybody looks makes some of these easy; software drivers are not.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Waker};
use std::time::{Duration, Instant};

use common::{bump, context};
use nupp_gpu::{Buffer, Context, RawBinding, SlotMut, SyncError, Synchronize};
use nupp_testkit::{alone, threads};

const NAME: &str = "nupp-gpu waiter";
/// Shorter than a waiter stays with nothing to do, and long for a thread that only has to be scheduled.
const SOON: Duration = Duration::from_millis(300);

/// A buffer that takes a while to be bumped.
fn work(context: &Context, len: usize) -> (Buffer<u32>, RawBinding) {
    let buffer = context.buffer::<u32>(len).unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    (buffer, binding)
}

/// Seconds of work for a software driver.
fn much(context: &Context) -> (Buffer<u32>, RawBinding) {
    let (buffer, binding) = work(context, 2_000_000);
    for _ in 0..400 {
        binding.dispatch(&[1]).unwrap();
    }
    (buffer, binding)
}

/// A future that was looked at once, and whether it waits.
fn begun(context: &Context) -> (Pin<Box<Synchronize>>, bool) {
    let mut future = Box::pin(context.synchronize());
    let mut task = TaskContext::from_waker(Waker::noop());
    let waits = future.as_mut().poll(&mut task).is_pending();
    (future, waits)
}

/// Waits until no waiter runs and says how long that took.
fn gone() -> Duration {
    let since = Instant::now();
    while threads::named(NAME) > Some(0) && since.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    since.elapsed()
}

#[test]
fn a_context_has_one_waiter() {
    const TEST: &str = "a_context_has_one_waiter";
    if !alone::is(TEST) {
        return alone::run(TEST, "", &[]);
    }
    let (Some(one), Some(other)) = (context(), context()) else {
        return;
    };
    let _work = [&one, &other].map(much);
    let mut futures = Vec::new();
    for context in [&one, &other] {
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| begun(context)));
            futures.extend(threads.map(|thread| thread.join().unwrap()));
        });
    }
    // A thread takes its name when it begins.
    std::thread::sleep(Duration::from_millis(100));
    let all = futures.iter().all(|(_, waits)| *waits);
    let running = threads::named(NAME);
    assert!(
        !all || running.is_none_or(|running| running == 2),
        "{running:?}"
    );
}

#[test]
fn an_idle_waiter_goes_with_its_context() {
    const TEST: &str = "an_idle_waiter_goes_with_its_context";
    if !alone::is(TEST) {
        return alone::run(TEST, "", &[]);
    }
    let Some(context) = context() else { return };
    let (buffer, binding) = work(&context, 200_000);
    for _ in 0..100 {
        binding.dispatch(&[1]).unwrap();
    }
    pollster::block_on(context.synchronize()).unwrap();
    // Nothing is left to do, and it waits for more.
    std::thread::sleep(Duration::from_millis(20));
    drop((buffer, binding));
    context.close().unwrap();
    let took = gone();
    assert!(took < SOON, "it stayed for {took:?}");
}

#[test]
fn a_busy_waiter_goes_with_its_context() {
    const TEST: &str = "a_busy_waiter_goes_with_its_context";
    if !alone::is(TEST) {
        return alone::run(TEST, "", &[]);
    }
    let Some(context) = context() else { return };
    let work = much(&context);
    let future = begun(&context);
    // It is in a poll by now.
    std::thread::sleep(Duration::from_millis(20));
    drop((future, work, context));
    let took = gone();
    assert!(took < SOON, "it stayed for {took:?}");
}

#[test]
fn a_new_future_wakes_an_idle_waiter() {
    const TEST: &str = "a_new_future_wakes_an_idle_waiter";
    if !alone::is(TEST) {
        return alone::run(TEST, "", &[]);
    }
    let Some(context) = context() else { return };
    let (_buffer, binding) = work(&context, 200_000);
    let turn = |wait: &dyn Fn()| {
        let since = Instant::now();
        for _ in 0..40 {
            binding.dispatch(&[1]).unwrap();
        }
        wait();
        since.elapsed()
    };
    let blocked = || context.synchronize_blocking().unwrap();
    let awaited = || pollster::block_on(context.synchronize()).unwrap();
    let mut took = [Duration::ZERO; 2];
    for _ in 0..6 {
        took[0] += turn(&blocked);
        took[1] += turn(&awaited);
        // It has nothing to do now, and sleeps.
        std::thread::sleep(Duration::from_millis(20));
    }
    let [blocked, awaited] = took;
    assert!(
        awaited < blocked + Duration::from_millis(900),
        "blocked for {blocked:?}, awaited for {awaited:?}"
    );
}

#[test]
fn a_deadline_holds_whoever_else_waits() {
    const TEST: &str = "a_deadline_holds_whoever_else_waits";
    if !alone::is(TEST) {
        return alone::run(TEST, "", &[]);
    }
    let Some(context) = context() else { return };
    let limit = Duration::from_millis(10);
    let within = || {
        let since = Instant::now();
        match context.synchronize_within(limit) {
            Ok(()) | Err(SyncError::Timeout { .. }) => {}
            Err(other) => panic!("{other}"),
        }
        since.elapsed()
    };
    let mut took = Vec::new();
    let work = much(&context);
    took.push(within());
    // Behind a future, whose waiter polls.
    let future = begun(&context);
    std::thread::sleep(Duration::from_millis(20));
    took.push(within());
    drop(future);
    // Behind somebody who has no deadline.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| context.synchronize_blocking().unwrap());
        std::thread::sleep(Duration::from_millis(100));
        took.push(within());
        other.join().unwrap();
    });
    assert!(took.iter().all(|took| *took < SOON), "{took:?}");
    let values = context.download_blocking(&work.0).unwrap();
    assert_eq!(values, vec![400; 2_000_000]);
}
