//! Threads with a cloned context, four at once on one context, and two contexts side by side.

use nupp_testkit::compare::fnv1a;

use crate::kernels::{affine, bump};
use crate::{context, numbers};

#[test]
fn a_thread_takes_a_clone() {
    let Some(context) = context() else { return };
    let values = context.buffer::<u32>(300).unwrap();
    context.upload(&values, &numbers(300)).unwrap();
    let worker = std::thread::spawn({
        let (context, values) = (context.clone(), values.clone());
        move || {
            let binding = bump::compile(&context).unwrap().bind(&values).unwrap();
            binding.dispatch(4).unwrap();
            // It is recorded; the other thread submits it.
        }
    });
    worker.join().unwrap();
    let expected: Vec<u32> = numbers(300).iter().map(|x| x + 4).collect();
    assert_eq!(context.download_blocking(&values).unwrap(), expected);
}

#[test]
fn four_threads_on_one_context_give_one_hash() {
    const ROUNDS: u32 = 1000;
    let Some(context) = context() else { return };
    let hashes: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let context = context.clone();
                scope.spawn(move || {
                    let kernel = affine::compile(&context).unwrap();
                    let [front, back] = [(); 2].map(|()| context.buffer::<u32>(513).unwrap());
                    context.upload(&front, &numbers(513)).unwrap();
                    let there = kernel.bind(&back, &front).unwrap();
                    let again = kernel.bind(&front, &back).unwrap();
                    let mut seen = Vec::new();
                    for round in 0..ROUNDS {
                        there.dispatch(5, round).unwrap();
                        again.dispatch(7, 1).unwrap();
                        if round % 50 == 49 {
                            seen.extend(context.download_blocking(&front).unwrap());
                        }
                    }
                    fnv1a(&seen)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut values = numbers(513);
    let mut seen = Vec::new();
    for round in 0..ROUNDS {
        for value in &mut values {
            *value = value.wrapping_mul(5).wrapping_add(round);
            *value = value.wrapping_mul(7).wrapping_add(1);
        }
        if round % 50 == 49 {
            seen.extend(&values);
        }
    }
    assert_eq!(hashes, [fnv1a(&seen); 4]);
}

#[test]
fn two_contexts_are_two() {
    let (Some(first), Some(second)) = (context(), context()) else {
        return;
    };
    let runs = [&first, &second].map(|context| {
        let values = context.buffer::<u32>(100).unwrap();
        let kernel = bump::compile(context).unwrap();
        (kernel.bind(&values).unwrap(), values)
    });
    for step in 1..=10 {
        runs[0].0.dispatch(step).unwrap();
        runs[1].0.dispatch(100 * step).unwrap();
    }
    assert_eq!(first.download_blocking(&runs[0].1).unwrap(), [55; 100]);
    assert_eq!(second.download_blocking(&runs[1].1).unwrap(), [5500; 100]);
    // One goes, the other stays.
    let [(binding, values), other] = runs;
    drop((binding, values));
    first.close().unwrap();
    other.0.dispatch(1).unwrap();
    assert_eq!(second.download_blocking(&other.1).unwrap(), [5501; 100]);
}
