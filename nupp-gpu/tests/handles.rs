//! Lifetimes of handles: any order of drops, closing, moving between threads.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{affine, bump, context};
use nupp_gpu::{
    Buffer, Context, Download, RawBinding, RawKernel, Slot, SlotMut, Synchronize, View,
};
use nupp_testkit::resident;

/// xorshift, so that a failing order comes again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn one_order(context: &Context, dice: &mut Dice) {
    let len = 1 + dice.below(300);
    let output = context.buffer::<u32>(len).unwrap();
    let input = context.buffer::<u32>(len).unwrap();
    // All of the input, as a kernel by hand counts from its first element.
    let view = input.subview(&[0], &[len as u32]).unwrap();
    let kernel = context.compile_raw(affine_once()).unwrap();
    let binding = kernel
        .bind(vec![
            SlotMut::from(&output).into(),
            Slot::from(&view).into(),
        ])
        .unwrap();
    context.upload(&input, &vec![3; len]).unwrap();
    binding.dispatch(&[5, 1]).unwrap();
    let future = context.download(&output);
    let result = output.clone();

    enum Handle {
        Buffer(Buffer<u32>),
        View(View<u32>),
        Kernel(RawKernel),
        Binding(RawBinding),
        Future(Download<u32>),
        Sync(Synchronize),
    }
    let mut handles = vec![
        Handle::Buffer(output),
        Handle::Buffer(input),
        Handle::View(view),
        Handle::Kernel(kernel),
        Handle::Binding(binding),
        Handle::Future(future),
        Handle::Sync(context.synchronize()),
    ];
    // What is left of the order is dropped with the vector.
    for _ in 0..dice.below(handles.len() + 1) {
        match handles.swap_remove(dice.below(handles.len())) {
            Handle::Buffer(buffer) => drop(buffer),
            Handle::View(view) if dice.below(2) == 0 => drop(view.close()),
            Handle::View(view) => drop(view),
            Handle::Kernel(kernel) if dice.below(10) == 0 => drop(kernel.close()),
            Handle::Kernel(kernel) => drop(kernel),
            Handle::Binding(binding) => {
                binding.dispatch(&[5, 1]).unwrap();
                drop(binding.close());
            }
            Handle::Future(future) => drop(future),
            Handle::Sync(sync) => drop(sync),
        }
    }
    drop(handles);
    assert_eq!(context.download_blocking(&result).unwrap(), vec![16; len]);
}

fn affine_once() -> &'static nupp_core::artifact::KernelSpec {
    static SPEC: std::sync::OnceLock<&'static nupp_core::artifact::KernelSpec> =
        std::sync::OnceLock::new();
    SPEC.get_or_init(affine)
}

#[test]
fn a_thousand_random_orders_of_drops() {
    let Some(context) = context() else { return };
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..200 {
        one_order(&context, &mut dice);
    }
    let before = resident::kib();
    for _ in 0..800 {
        one_order(&context, &mut dice);
    }
    let after = resident::kib();
    assert!(
        after < before + 16 * 1024,
        "resident memory went from {before} to {after} KiB"
    );
}

#[test]
fn the_context_may_go_first() {
    let mut dice = Dice(1);
    for _ in 0..8 {
        let Some(context) = context() else { return };
        let buffer = context.buffer::<u32>(64).unwrap();
        let kernel = context.compile_raw(bump()).unwrap();
        let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
        drop(context);
        binding.dispatch(&[4]).unwrap();
        if dice.below(2) == 0 {
            let context = buffer.context().clone();
            assert_eq!(context.download_blocking(&buffer).unwrap(), [4; 64]);
        }
        // Otherwise the dispatch is dropped unsubmitted with the last handle.
        let (first, second): (Box<dyn Send>, Box<dyn Send>) = if dice.below(2) == 0 {
            (Box::new(buffer), Box::new(binding))
        } else {
            (Box::new(binding), Box::new(buffer))
        };
        drop(kernel);
        drop(first);
        drop(second);
    }
}

#[test]
fn dropping_does_not_wait_for_the_device() {
    let Some(context) = context() else { return };
    let buffer = context.buffer::<u32>(2_000_000).unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    for _ in 0..400 {
        binding.dispatch(&[1]).unwrap();
    }
    context.flush().unwrap();
    let start = std::time::Instant::now();
    drop((buffer, binding, kernel));
    drop(context);
    let dropped = start.elapsed();
    // The work itself takes a software driver far longer; a fast device may be done with it.
    assert!(dropped.as_millis() < 250, "dropping took {dropped:?}");
}

#[test]
fn closing_hands_back_what_is_still_held() {
    let Some(context) = context() else { return };
    let buffer = context.buffer::<u32>(8).unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();

    let refused = context.close().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "something else still holds this context; it was not closed"
    );
    let context = refused.into_inner();
    let buffer = buffer.close().unwrap_err().into_inner();
    let kernel = kernel.close().unwrap_err().into_inner();
    let twin = binding.clone();
    let binding = binding.close().unwrap_err().into_inner();
    drop(twin);

    // Everything works as before.
    binding.dispatch(&[2]).unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [2; 8]);

    binding.close().unwrap();
    kernel.close().unwrap();
    buffer.close().unwrap();
    context.close().unwrap();
}

#[test]
fn a_closed_kernel_is_compiled_again() {
    let Some(context) = context() else { return };
    let spec = bump();
    let first = context.compile_raw(spec).unwrap();
    let digest = first.digest().to_owned();
    first.close().unwrap();
    let again = context.compile_raw(spec).unwrap();
    assert_eq!(again.digest(), digest);
    let buffer = context.buffer::<u32>(3).unwrap();
    let binding = again.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    binding.dispatch(&[9]).unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [9; 3]);
}

#[test]
fn handles_go_anywhere() {
    fn anywhere<T: Clone + Send + Sync + 'static>() {}
    anywhere::<Context>();
    anywhere::<Buffer<f32>>();
    anywhere::<View<f32>>();
    anywhere::<RawKernel>();
    anywhere::<RawBinding>();
    fn sent<T: Send>() {}
    sent::<Synchronize>();
    sent::<Download<f32>>();
}
