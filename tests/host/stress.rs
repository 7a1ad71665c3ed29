//! A thousand tasks on one context, on an executor with several threads and on threads that block,
//! cancelled at any moment and given deadlines too short to keep.
//!
//! A wake-up that is lost leaves its task where it is for ever, so the work runs on a thread of its own
//! and the test looks at the clock: it fails with the tasks that are left and does not hang. Whoever was
//! not cancelled has the right bits. Afterwards the waiter's list is empty and its thread gone, memory
//! is flat from round to round, and kernel and context close, which they do only if nothing holds them.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use nupp::{Context, SyncError};
use nupp_testkit::alone;
use nupp_testkit::random::Random;
use nupp_testkit::resident;
use tokio::task::AbortHandle;

use crate::kernels::bump;
use crate::{context, numbers};

/// Tasks of a round: most on the executor, the others on threads that block.
const TASKS: u32 = 1000;
const THREADS: u32 = 4;
const BLOCKED: u32 = 200;
const ROUNDS: u32 = 3;
/// Steps of a task.
const STEPS: u32 = 4;
/// Where a task that is over stands.
const OVER: u32 = u32::MAX;
/// Many times what a slow machine needs.
const PATIENCE: Duration = Duration::from_secs(240);

/// What all tasks share.
struct Shop {
    context: Context,
    kernel: bump::Kernel,
    /// The step at which each task is, for whoever looks for those that are stuck.
    steps: Arc<[AtomicU32]>,
}

/// One task's data on the device and what it must be.
struct Job<'a> {
    shop: &'a Shop,
    number: u32,
    random: Random,
    values: nupp::Buffer<u32>,
    binding: bump::Binding,
    expected: Vec<u32>,
}

impl<'a> Job<'a> {
    fn new(shop: &'a Shop, round: u32, number: u32) -> Self {
        let mut random = Random::new(u64::from(round) << 32 | u64::from(number));
        let len = 1 + random.below(300) as usize;
        let values = shop.context.buffer(len).unwrap();
        let expected = numbers(len);
        shop.context.upload(&values, &expected).unwrap();
        let binding = shop.kernel.bind(&values).unwrap();
        Self {
            shop,
            number,
            random,
            values,
            binding,
            expected,
        }
    }

    fn step(&mut self, step: u32) {
        self.shop.steps[self.number as usize].store(step, Ordering::Relaxed);
        let by = self.random.bits() as u32;
        self.binding.dispatch(by).unwrap();
        for value in &mut self.expected {
            *value = value.wrapping_add(by);
        }
    }

    fn check(&self, values: &[u32]) {
        assert!(values == self.expected, "task {} is wrong", self.number);
    }

    /// The download in its three steps; the second is a future.
    async fn queued(&self) {
        let context = &self.shop.context;
        context.enqueue_download(&self.values).unwrap();
        context.synchronize().await.unwrap();
        let mut values = vec![0; self.expected.len()];
        context.read_downloaded(&self.values, &mut values).unwrap();
        self.check(&values);
    }

    /// A task of the executor, where a deadline drops the future.
    async fn run(mut self) {
        let context = &self.shop.context.clone();
        for step in 1..=STEPS {
            self.step(step);
            let micros = Duration::from_micros(u64::from(self.random.below(2000)));
            match self.random.below(6) {
                0 => context.synchronize().await.unwrap(),
                1 => self.check(&context.download(&self.values).await.unwrap()),
                2 => self.queued().await,
                3 => drop(polled_once(context.download(&self.values)).await),
                4 => {
                    let download = context.download(&self.values);
                    // Where it is late, the work goes on.
                    if let Ok(values) = tokio::time::timeout(micros, download).await {
                        self.check(&values.unwrap());
                    }
                }
                // Nobody waits.
                _ => drop(context.synchronize()),
            }
        }
        self.check(&context.download(&self.values).await.unwrap());
    }

    /// A task of a thread that blocks, where a deadline ends the call.
    fn run_blocking(mut self) {
        let context = &self.shop.context.clone();
        for step in 1..=STEPS {
            self.step(step);
            let micros = Duration::from_micros(u64::from(self.random.below(2000)));
            match self.random.below(5) {
                0 => block_on(context.synchronize()).unwrap(),
                1 => block_on(self.queued()),
                2 => self.check(&context.download_blocking(&self.values).unwrap()),
                3 => match context.synchronize_within(micros) {
                    Ok(()) => {}
                    Err(SyncError::Timeout { after }) => assert_eq!(after, micros),
                    Err(other) => panic!("{other}"),
                },
                _ => drop(block_on(polled_once(context.synchronize()))),
            }
        }
        self.check(&block_on(context.download(&self.values)).unwrap());
    }
}

/// It is over when it has come to its end and when it was cancelled.
impl Drop for Job<'_> {
    fn drop(&mut self) {
        self.shop.steps[self.number as usize].store(OVER, Ordering::Relaxed);
    }
}

/// Polls a future once, so that it is listed if it is pending, and drops it.
async fn polled_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    std::future::poll_fn(|task| {
        Poll::Ready(match future.as_mut().poll(task) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

/// Wakes the thread that blocks.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The least of executors.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Parked(std::thread::current())));
    let mut task = TaskContext::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut task) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Aborts these one after the other, at moments that nobody foresees.
fn cancel(mut tasks: Vec<AbortHandle>, mut random: Random) {
    while !tasks.is_empty() {
        let at = random.below(tasks.len() as u32) as usize;
        tasks.swap_remove(at).abort();
        std::thread::sleep(Duration::from_micros(u64::from(random.below(1000))));
    }
}

/// The tasks of the executor; returns how many came to their end and how many were cancelled.
fn spawned(shop: &Arc<Shop>, round: u32) -> (u32, u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .enable_time()
        .build()
        .unwrap();
    let mut random = Random::new(u64::from(round));
    runtime.block_on(async {
        let tasks: Vec<_> = (BLOCKED..TASKS)
            .map(|number| {
                let shop = Arc::clone(shop);
                tokio::spawn(async move { Job::new(&shop, round, number).run().await })
            })
            .collect();
        let doomed = tasks.iter().filter(|_| random.once_in(3));
        let doomed = doomed.map(|task| task.abort_handle()).collect();
        let canceller = std::thread::spawn(move || cancel(doomed, random));
        let (mut ended, mut cancelled) = (0, 0);
        for task in tasks {
            match task.await {
                Ok(()) => ended += 1,
                Err(error) if error.is_cancelled() => cancelled += 1,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        }
        canceller.join().unwrap();
        (ended, cancelled)
    })
}

/// One round; whoever is cancelled is over too.
fn round(shop: &Arc<Shop>, round: u32) {
    for step in shop.steps.iter() {
        step.store(0, Ordering::Relaxed);
    }
    let (ended, cancelled) = std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                for number in (thread..BLOCKED).step_by(THREADS as usize) {
                    Job::new(shop, round, number).run_blocking();
                }
            });
        }
        spawned(shop, round)
    });
    assert_eq!(ended + cancelled, TASKS - BLOCKED);
    assert!(
        ended > 0 && cancelled > 0,
        "{ended} ended, {cancelled} were cancelled"
    );
    // A future leaves the list when it completes and when it is dropped.
    assert_eq!(shop.context.futures_listed(), 0);
}

fn waiter_goes(context: &Context) {
    let since = Instant::now();
    while context.waiter_runs() {
        assert!(since.elapsed() < Duration::from_secs(5), "the waiter stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs `work` on another thread and fails if it takes for ever, saying at which step which tasks are.
fn watched(steps: &[AtomicU32], context: &Context, work: impl FnOnce() + Send + 'static) {
    let (sender, done) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        work();
        let _ = sender.send(());
    });
    if let Err(mpsc::RecvTimeoutError::Timeout) = done.recv_timeout(PATIENCE) {
        let left: Vec<String> = (0..)
            .zip(steps)
            .map(|(number, step): (u32, _)| (number, step.load(Ordering::Relaxed)))
            .filter(|&(_, step)| step != OVER && step != 0)
            .map(|(number, step)| format!("{number} at step {step}"))
            .collect();
        panic!(
            "after {PATIENCE:?} these tasks are not over: {}; {} futures are \
             listed, and the waiter runs: {}",
            left.join(", "),
            context.futures_listed(),
            context.waiter_runs(),
        );
    }
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

/// In a process of its own, whose memory nothing else takes.
#[test]
fn a_thousand_tasks_and_no_wake_up_is_lost() {
    const TEST: &str = "stress::a_thousand_tasks_and_no_wake_up_is_lost";
    if !alone::is(TEST) {
        // A poll with a deadline may panic inside wgpu when another thread's submission has just seen
        // the queue done; it is caught and answered. A backtrace of it would map all symbols, 100 MiB.
        return alone::run(TEST, "", &[("RUST_BACKTRACE", "0")]);
    }
    let Some(context) = context() else { return };
    let steps: Arc<[AtomicU32]> = (0..TASKS).map(|_| AtomicU32::new(0)).collect();
    let shop = Arc::new(Shop {
        kernel: bump::compile(&context).unwrap(),
        context: context.clone(),
        steps: Arc::clone(&steps),
    });
    watched(&steps, &context, move || {
        let mut resident = Vec::new();
        for number in 0..ROUNDS {
            round(&shop, number);
            waiter_goes(&shop.context);
            resident.push(resident::kib());
        }
        let [first, .., last] = resident[..] else {
            unreachable!("several rounds")
        };
        // An allocator that many threads share grows for a while: up to 12 MiB were seen here.
        assert!(
            last < first + 32 * 1024,
            "resident KiB after each round: {resident:?}"
        );
        // The last of all handles.
        let Ok(Shop { kernel, .. }) = Arc::try_unwrap(shop) else {
            panic!("a task still holds what it used")
        };
        kernel.close().unwrap();
    });
    context.close().unwrap();
}

#[test]
fn deadlines_of_blocking_calls_start_no_thread() {
    let Some(context) = context() else { return };
    let kernel = bump::compile(&context).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (context, kernel) = (&context, &kernel);
            scope.spawn(move || {
                let mut random = Random::new(u64::from(thread));
                let values = context.buffer::<u32>(5000).unwrap();
                let binding = kernel.bind(&values).unwrap();
                for turn in 1..=100 {
                    binding.dispatch(1).unwrap();
                    let limit = Duration::from_micros(u64::from(random.below(500)));
                    match context.synchronize_within(limit) {
                        Ok(()) | Err(SyncError::Timeout { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                    if turn % 10 == 0 {
                        let there = context.download_blocking(&values).unwrap();
                        assert_eq!(there, vec![turn; 5000]);
                    }
                }
            });
        }
    });
    assert!(!context.waiter_runs());
}
