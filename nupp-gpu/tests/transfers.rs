//! Uploads, downloads and waiting: order, snapshots, refusals that change nothing, futures.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use common::{bump, context};
use nupp_gpu::{SlotMut, TransferError};

#[test]
fn a_download_is_a_snapshot_at_its_place() {
    let Some(context) = context() else { return };
    let [a, b] = [(); 2].map(|()| context.buffer::<u32>(3).unwrap());
    context.upload(&a, &[1, 2, 3]).unwrap();
    context.upload(&b, &[7, 8, 9]).unwrap();
    context.enqueue_download(&a).unwrap();
    context.enqueue_download(&b).unwrap();
    context.upload(&a, &[4, 5, 6]).unwrap();
    context.synchronize_blocking().unwrap();
    let mut out = [0; 3];
    context.read_downloaded(&b, &mut out).unwrap();
    assert_eq!(out, [7, 8, 9]);
    context.read_downloaded(&a, &mut out).unwrap();
    assert_eq!(out, [1, 2, 3]);
    assert_eq!(context.download_blocking(&a).unwrap(), [4, 5, 6]);
}

#[test]
fn a_refused_read_changes_nothing() {
    let Some(context) = context() else { return };
    let buffer = context.buffer::<f32>(2).unwrap();
    context.upload(&buffer, &[1.5, -2.5]).unwrap();
    let mut out = [9.0f32; 2];
    let read = |out: &mut [f32]| context.read_downloaded(&buffer, out);

    assert_eq!(read(&mut out), Err(TransferError::NotQueued));
    context.enqueue_download(&buffer).unwrap();
    assert_eq!(read(&mut out), Err(TransferError::NotReady));
    // On the way is not there: only `synchronize` says so.
    context.flush().unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [1.5, -2.5]);
    assert_eq!(read(&mut out), Err(TransferError::NotReady));
    assert_eq!(
        context.enqueue_download(&buffer),
        Err(TransferError::Pending)
    );
    context.synchronize_blocking().unwrap();
    let mut short = [9.0f32; 1];
    assert_eq!(
        read(&mut short),
        Err(TransferError::Length {
            buffer: 2,
            slice: 1
        })
    );
    assert_eq!((out, short), ([9.0; 2], [9.0]));
    read(&mut out).unwrap();
    assert_eq!(out, [1.5, -2.5]);
    assert_eq!(read(&mut out), Err(TransferError::NotQueued));
    context.enqueue_download(&buffer).unwrap();
    context.synchronize_blocking().unwrap();
    read(&mut out).unwrap();
}

#[test]
fn lengths_and_contexts_are_checked() {
    let Some(context) = context() else { return };
    let buffer = context.buffer::<u32>(2).unwrap();
    assert_eq!(
        context.upload(&buffer, &[1, 2, 3]),
        Err(TransferError::Length {
            buffer: 2,
            slice: 3
        })
    );
    let Some(other) = common::context() else {
        return;
    };
    assert_eq!(
        other.upload(&buffer, &[1, 2]),
        Err(TransferError::OtherContext)
    );
    assert_eq!(
        other.enqueue_download(&buffer),
        Err(TransferError::OtherContext)
    );
    assert_eq!(
        other.download_blocking(&buffer),
        Err(TransferError::OtherContext)
    );
    assert_eq!(
        other.read_downloaded(&buffer, &mut [0, 0]),
        Err(TransferError::OtherContext)
    );
    assert_eq!(context.download_blocking(&buffer).unwrap(), [0, 0]);
}

#[test]
fn an_empty_buffer_is_a_buffer() {
    let Some(context) = context() else { return };
    let empty = context.buffer::<u32>(0).unwrap();
    assert!(empty.is_empty());
    context.upload(&empty, &[]).unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&empty).into()]).unwrap();
    binding.dispatch(&[1]).unwrap();
    context.enqueue_download(&empty).unwrap();
    assert_eq!(
        context.read_downloaded(&empty, &mut []),
        Err(TransferError::NotReady)
    );
    context.synchronize_blocking().unwrap();
    context.read_downloaded(&empty, &mut []).unwrap();
    assert_eq!(context.download_blocking(&empty).unwrap(), [0u32; 0]);
    assert_eq!(
        pollster::block_on(context.download(&empty)).unwrap(),
        [0u32; 0]
    );
}

#[test]
fn futures_complete_under_any_executor() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(1000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    pollster::block_on(async {
        for turn in 1..=20 {
            binding.dispatch(&[1]).unwrap();
            context.enqueue_download(&buffer).unwrap();
            context.synchronize().await.unwrap();
            let mut out = vec![0; 1000];
            context.read_downloaded(&buffer, &mut out).unwrap();
            assert_eq!(out, vec![turn; 1000]);
        }
        assert_eq!(context.download(&buffer).await.unwrap(), vec![20; 1000]);
    });
}

#[test]
fn blocking_calls_start_no_thread_and_futures_one_that_ends() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(20_000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    for _ in 0..10 {
        binding.dispatch(&[1]).unwrap();
        context.synchronize_blocking().unwrap();
        context.download_blocking(&buffer).unwrap();
    }
    assert!(!context.waiter_runs());
    let mut seen = false;
    for _ in 0..10 {
        for _ in 0..200 {
            binding.dispatch(&[1]).unwrap();
        }
        pollster::block_on(context.synchronize()).unwrap();
        seen |= context.waiter_runs();
    }
    assert!(seen, "no future was ever pending");
    let patience = Instant::now();
    while context.waiter_runs() {
        assert!(patience.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        context.download_blocking(&buffer).unwrap(),
        vec![10 + 10 * 200; 20_000]
    );
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_dropped_future_ends_the_wait_and_not_the_work() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(200_000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    let count = Arc::new(Count(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    for _ in 0..100 {
        binding.dispatch(&[1]).unwrap();
    }
    context.enqueue_download(&buffer).unwrap();
    {
        let mut task = TaskContext::from_waker(&waker);
        let mut future = pin!(context.synchronize());
        // Polled by hand, so that it is pending once and then dropped, whatever it said.
        let _ = future.as_mut().poll(&mut task);
    }
    // It is off the list at once, while the device works on.
    assert_eq!(context.futures_listed(), 0);
    {
        let mut task = TaskContext::from_waker(&waker);
        let mut future = pin!(context.download(&buffer));
        let _ = future.as_mut().poll(&mut task);
    }
    assert_eq!(context.futures_listed(), 0);
    context.synchronize_blocking().unwrap();
    let mut out = vec![0; 200_000];
    context.read_downloaded(&buffer, &mut out).unwrap();
    assert_eq!(out, vec![100; 200_000]);
}

#[test]
fn a_pending_future_is_woken_and_not_spun() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(100_000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    let count = Arc::new(Count(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    let mut task = TaskContext::from_waker(&waker);
    for _ in 0..100 {
        binding.dispatch(&[1]).unwrap();
    }
    let mut future = pin!(context.synchronize());
    let mut polls = 0;
    loop {
        polls += 1;
        let woken = count.0.load(Ordering::SeqCst);
        match future.as_mut().poll(&mut task) {
            Poll::Ready(outcome) => break outcome.unwrap(),
            Poll::Pending => {
                while count.0.load(Ordering::SeqCst) == woken {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
    // One poll for each thing waited for at most, and the last.
    assert!(polls <= 3, "{polls} polls");
}

#[test]
fn futures_of_many_threads_share_one_waiter() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    std::thread::scope(|scope| {
        for lane in 0..6u32 {
            let (context, kernel) = (&context, &kernel);
            scope.spawn(move || {
                let buffer = context.buffer::<u32>(5000).unwrap();
                let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
                for turn in 1..=20 {
                    binding.dispatch(&[lane]).unwrap();
                    let values = if (turn + lane) % 2 == 0 {
                        pollster::block_on(context.download(&buffer)).unwrap()
                    } else {
                        context.download_blocking(&buffer).unwrap()
                    };
                    assert_eq!(values, vec![lane * turn; 5000]);
                }
            });
        }
    });
}

#[test]
fn a_deadline_leaves_the_work_alone() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(200_000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    context.synchronize_within(Duration::from_secs(60)).unwrap();
    for _ in 0..100 {
        binding.dispatch(&[1]).unwrap();
    }
    context.enqueue_download(&buffer).unwrap();
    let mut out = vec![0; 200_000];
    match context.synchronize_within(Duration::ZERO) {
        Err(nupp_gpu::SyncError::Timeout { after }) => {
            assert_eq!(after, Duration::ZERO);
            assert_eq!(
                context.read_downloaded(&buffer, &mut out),
                Err(TransferError::NotReady)
            );
            context.synchronize_blocking().unwrap();
        }
        other => other.unwrap(),
    }
    context.read_downloaded(&buffer, &mut out).unwrap();
    assert_eq!(out, vec![100; 200_000]);
}

#[test]
fn large_uploads_do_not_pile_up() {
    let Some(context) = context() else { return };
    let data: Vec<u32> = (0..1 << 20).collect();
    let buffer = context.buffer::<u32>(data.len()).unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    for _ in 0..40 {
        context.upload(&buffer, &data).unwrap();
        binding.dispatch(&[1]).unwrap();
    }
    let expected: Vec<u32> = data.iter().map(|value| value + 1).collect();
    assert_eq!(context.download_blocking(&buffer).unwrap(), expected);
    // Small ones are bounded by their number.
    let one = context.buffer::<u32>(1).unwrap();
    for value in 0..5000 {
        context.upload(&one, &[value]).unwrap();
    }
    assert_eq!(context.download_blocking(&one).unwrap(), [4999]);
}
