//! A list of bindings that grows while earlier ones are in flight, as a program does that learns of its
//! inputs one by one.

use nupp::Buffer;

use crate::kernels::affine;
use crate::{context, numbers};

#[test]
fn bindings_are_added_as_inputs_come() {
    let Some(context) = context() else { return };
    let kernel = affine::compile(&context).unwrap();
    let mut stages: Vec<(affine::Binding, Buffer<u32>)> = Vec::new();
    let mut source = context.buffer::<u32>(100).unwrap();
    context.upload(&source, &numbers(100)).unwrap();
    for stage in 0..20 {
        let target = context.buffer(100).unwrap();
        let binding = kernel.bind(&target, &source).unwrap();
        stages.push((binding, target.clone()));
        // All that are there run again, from the first on, with nothing waited for.
        for (binding, _) in &stages {
            binding.dispatch(3, stage).unwrap();
        }
        source = target;
    }
    let mut expected = numbers(100);
    for (_, target) in &stages {
        for value in &mut expected {
            *value = value.wrapping_mul(3).wrapping_add(19);
        }
        assert_eq!(context.download_blocking(target).unwrap(), expected);
    }
    // Shrinking is as good: what a later binding reads is kept by it.
    stages.drain(..19);
    stages[0].0.dispatch(3, 19).unwrap();
    assert_eq!(context.download_blocking(&source).unwrap(), expected);
}
