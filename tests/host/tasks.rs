//! Tasks that are spawned on an executor with several threads, each with handles of its own: the
//! futures of the runtime are `Send` and `'static`, and need no executor of a certain kind.

use nupp::Context;

use crate::kernels::affine;
use crate::{context, numbers};

async fn one(context: Context, kernel: affine::Kernel, factor: u32) -> Vec<u32> {
    let input = context.buffer(100).unwrap();
    let output = context.buffer(100).unwrap();
    context.upload(&input, &numbers(100)).unwrap();
    let binding = kernel.bind(&output, &input).unwrap();
    for add in 0..4 {
        binding.dispatch(factor, add).unwrap();
        context.synchronize().await.unwrap();
    }
    context.download(&output).await.unwrap()
}

#[test]
fn tasks_share_a_context() {
    let Some(context) = context() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let kernel = affine::compile_async(&context).await.unwrap();
        let tasks: Vec<_> = (0..16)
            .map(|factor| tokio::spawn(one(context.clone(), kernel.clone(), factor)))
            .collect();
        for (factor, task) in (0..).zip(tasks) {
            let expected: Vec<u32> = numbers(100).iter().map(|x| x * factor + 3).collect();
            assert_eq!(task.await.unwrap(), expected);
        }
    });
}

#[test]
fn a_task_that_is_aborted_leaves_the_work_alone() {
    let Some(context) = context() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let values = context.buffer::<u32>(1000).unwrap();
    let kernel = crate::kernels::bump::compile(&context).unwrap();
    let binding = kernel.bind(&values).unwrap();
    runtime.block_on(async {
        let task = tokio::spawn({
            let (context, values) = (context.clone(), values.clone());
            async move {
                binding.dispatch(5).unwrap();
                let download = context.download(&values);
                tokio::task::yield_now().await;
                download.await
            }
        });
        tokio::task::yield_now().await;
        task.abort();
        // It may have been done first.
        match task.await {
            Ok(values) => assert_eq!(values.unwrap(), [5; 1000]),
            Err(aborted) => assert!(aborted.is_cancelled()),
        }
        assert_eq!(context.download(&values).await.unwrap(), [5; 1000]);
    });
}
