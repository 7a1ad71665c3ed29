//! Binding and dispatching maps: results, lengths, guards, aliases, folding.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sketch, affine, bump, context, context_with, span};
use nupp_core::artifact::GuardOp::{Le, Length};
use nupp_core::artifact::GuardSpec;
use nupp_gpu::{
    BindError, Buffer, BufferError, CompileError, Context, ContextOptions, DispatchError,
    RawBinding, RawKernel, RawSlot, Slot, SlotMut,
};

fn pair<T: nupp_gpu::Element, U: nupp_gpu::Element>(
    output: &Buffer<T>,
    input: &Buffer<U>,
) -> Vec<RawSlot> {
    vec![SlotMut::from(output).into(), Slot::from(input).into()]
}

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i * 17 + 3).collect()
}

fn bound(context: &Context, kernel: &RawKernel, len: usize) -> (Buffer<u32>, RawBinding) {
    let output = context.buffer::<u32>(len).unwrap();
    let input = context.buffer::<u32>(len).unwrap();
    context.upload(&input, &numbers(len)).unwrap();
    let binding = kernel.bind(pair(&output, &input)).unwrap();
    (output, binding)
}

#[test]
fn a_map_gives_what_it_says_for_many_lengths() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(affine()).unwrap();
    assert_eq!(kernel.digest().len(), 64);
    assert_eq!(kernel.profile(), "conservative");
    for len in [0, 1, 63, 64, 65, 257, 4096, 100_003] {
        let (output, binding) = bound(&context, &kernel, len);
        binding.dispatch(&[3, 7]).unwrap();
        let expected: Vec<u32> = numbers(len).iter().map(|x| x * 3 + 7).collect();
        assert_eq!(context.download_blocking(&output).unwrap(), expected);
    }
}

#[test]
fn buffers_are_zeroed() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    for len in [1, 1000, 70_000] {
        let fresh = context.buffer::<u32>(len).unwrap();
        assert_eq!(context.download_blocking(&fresh).unwrap(), vec![0; len]);
        let bumped = context.buffer::<u32>(len).unwrap();
        let binding = kernel.bind(vec![SlotMut::from(&bumped).into()]).unwrap();
        binding.dispatch(&[5]).unwrap();
        assert_eq!(context.download_blocking(&bumped).unwrap(), vec![5; len]);
    }
}

#[test]
fn large_dispatches_are_folded_into_rows() {
    for limit in [1, 2, 3, 5, 64] {
        let options = ContextOptions::new().workgroup_row_limit(limit);
        let Some(context) = context_with(options) else {
            return;
        };
        let kernel = context.compile_raw(affine()).unwrap();
        let most = (limit * limit * 64) as usize;
        for len in [1, 64, 65, 129, 300, 577, most - 1, most] {
            if len > most {
                continue;
            }
            let (output, binding) = bound(&context, &kernel, len);
            binding.dispatch(&[2, 1]).unwrap();
            let expected: Vec<u32> = numbers(len).iter().map(|x| x * 2 + 1).collect();
            assert_eq!(context.download_blocking(&output).unwrap(), expected);
        }
        let (output, binding) = bound(&context, &kernel, most + 1);
        let offered = u64::from(limit * limit);
        assert_eq!(
            binding.dispatch(&[2, 1]),
            Err(DispatchError::TooLarge {
                kernel: "affine",
                needed: offered + 1,
                offered,
            })
        );
        assert_eq!(
            context.download_blocking(&output).unwrap(),
            vec![0; most + 1]
        );
    }
}

#[test]
fn more_than_a_row_of_workgroups_is_complete() {
    let Some(context) = context() else { return };
    let mut sketch = Sketch::map(
        "identify",
        vec![span("output", "uint32", true)],
        "span0[lane] = lane ^ arg(0u);",
    )
    .uniforms(1);
    sketch.workgroup = 1;
    sketch.covers = 1;
    let kernel = context.compile_raw(sketch.embed()).unwrap();
    let len = 65_535 * 2 + 7;
    let output = context.buffer::<u32>(len).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&output).into()]).unwrap();
    binding.dispatch(&[0x5555_5555]).unwrap();
    let expected: Vec<u32> = (0..len as u32).map(|i| i ^ 0x5555_5555).collect();
    assert_eq!(context.download_blocking(&output).unwrap(), expected);
}

#[test]
fn many_dispatches_share_their_order() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let values = context.buffer::<u32>(257).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&values).into()]).unwrap();
    // More than the ring of uniforms holds, with an upload in the middle of the order.
    for step in 0..2500 {
        if step == 1700 {
            context.upload(&values, &[1000; 257]).unwrap();
        }
        binding.dispatch(&[step]).unwrap();
    }
    let sum: u32 = (1700..2500).sum();
    assert_eq!(
        context.download_blocking(&values).unwrap(),
        vec![1000 + sum; 257]
    );
}

#[test]
fn chains_stay_on_the_device() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(affine()).unwrap();
    let data = numbers(1000);
    let [a, b] = [(); 2].map(|()| context.buffer::<u32>(data.len()).unwrap());
    context.upload(&a, &data).unwrap();
    let forth = kernel.bind(pair(&b, &a)).unwrap();
    let back = kernel.bind(pair(&a, &b)).unwrap();
    let mut expected = data;
    for turn in 0..10 {
        forth.dispatch(&[3, turn]).unwrap();
        back.dispatch(&[5, 1]).unwrap();
        for value in &mut expected {
            *value = value
                .wrapping_mul(3)
                .wrapping_add(turn)
                .wrapping_mul(5)
                .wrapping_add(1);
        }
    }
    assert_eq!(context.download_blocking(&a).unwrap(), expected);
}

#[test]
fn guards_are_checked_at_bind_with_both_lengths() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(affine()).unwrap();
    let output = context.buffer::<u32>(3).unwrap();
    let input = context.buffer::<u32>(4).unwrap();
    let error = kernel.bind(pair(&output, &input)).unwrap_err();
    assert_eq!(
        error,
        BindError::Guard {
            kernel: "affine",
            message: "lengths differ",
            text: "#output == #input",
            lengths: vec![("output", 3), ("input", 4)],
        }
    );
    assert_eq!(
        error.to_string(),
        "kernel `affine`: the guard `#output == #input` does not hold (#output is 3, #input is \
         4): lengths differ"
    );

    let mut loose = Sketch::map(
        "loose",
        vec![
            span("output", "uint32", true),
            span("input", "uint32", false),
        ],
        "span0[lane] = span1[lane];",
    )
    .guard(GuardSpec {
        cond: &[Length(0), Length(1), Le],
        message: "",
        text: "#output <= #input",
    });
    loose.spans[1].loop_indexed = false;
    let kernel = context.compile_raw(loose.embed()).unwrap();
    kernel.bind(pair(&output, &input)).unwrap();
    let error = kernel.bind(pair(&input, &output)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `loose`: the guard `#output <= #input` does not hold (#output is 4, #input is 3)"
    );
}

#[test]
fn spans_at_the_loop_index_are_as_long_as_the_dispatch() {
    let Some(context) = context() else { return };
    let sketch = Sketch::map(
        "copy",
        vec![
            span("output", "uint32", true),
            span("input", "uint32", false),
        ],
        "span0[lane] = span1[lane];",
    );
    let kernel = context.compile_raw(sketch.embed()).unwrap();
    let output = context.buffer::<u32>(5).unwrap();
    let input = context.buffer::<u32>(6).unwrap();
    assert_eq!(
        kernel.bind(pair(&output, &input)).unwrap_err(),
        BindError::Length {
            kernel: "copy",
            span: "input",
            needed: 5,
            given: 6
        }
    );
}

#[test]
fn slots_are_checked_by_position() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(affine()).unwrap();
    let output = context.buffer::<u32>(4).unwrap();
    let input = context.buffer::<u32>(4).unwrap();
    let floats = context.buffer::<f32>(4).unwrap();
    let one = kernel
        .bind(vec![SlotMut::from(&output).into()])
        .unwrap_err();
    assert!(matches!(
        one,
        BindError::Count {
            spans: 2,
            slots: 1,
            ..
        }
    ));
    let typed = kernel.bind(pair(&output, &floats)).unwrap_err();
    assert_eq!(
        typed,
        BindError::Element {
            kernel: "affine",
            span: "input",
            needed: "uint32",
            given: "float"
        }
    );
    let swapped = vec![Slot::from(&output).into(), SlotMut::from(&input).into()];
    assert!(matches!(
        kernel.bind(swapped).unwrap_err(),
        BindError::Access { span: "output", .. }
    ));
    assert_eq!(
        kernel.bind(pair(&output, &output)).unwrap_err(),
        BindError::Shared {
            kernel: "affine",
            first: "output",
            second: "input"
        }
    );
    let Some(other) = common::context() else {
        return;
    };
    let foreign = other.buffer::<u32>(4).unwrap();
    assert_eq!(
        kernel.bind(pair(&output, &foreign)).unwrap_err(),
        BindError::OtherContext {
            kernel: "affine",
            span: "input"
        }
    );
}

#[test]
fn one_buffer_may_be_read_through_two_slots() {
    let Some(context) = context() else { return };
    let sketch = Sketch::map(
        "double",
        vec![
            span("output", "uint32", true),
            span("left", "uint32", false),
            span("right", "uint32", false),
        ],
        "span0[lane] = span1[lane] + span2[lane];",
    );
    let kernel = context.compile_raw(sketch.embed()).unwrap();
    let output = context.buffer::<u32>(4).unwrap();
    let input = context.buffer::<u32>(4).unwrap();
    context.upload(&input, &[1, 2, 3, 4]).unwrap();
    let slots = vec![
        SlotMut::from(&output).into(),
        Slot::from(&input).into(),
        Slot::from(&input).into(),
    ];
    kernel.bind(slots).unwrap().dispatch(&[]).unwrap();
    assert_eq!(context.download_blocking(&output).unwrap(), [2, 4, 6, 8]);
}

#[test]
fn uniforms_are_counted() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(affine()).unwrap();
    let (output, binding) = bound(&context, &kernel, 4);
    assert_eq!(
        binding.dispatch(&[1]),
        Err(DispatchError::Uniforms {
            kernel: "affine",
            needed: 2,
            given: 1
        })
    );
    assert_eq!(context.download_blocking(&output).unwrap(), [0; 4]);
}

#[test]
fn what_the_device_cannot_hold_is_refused_with_both_numbers() {
    let Some(context) = context() else { return };
    let Err(BufferError::TooLong { elements, limit }) = context.buffer::<u32>(1 << 40) else {
        panic!("2^40 elements were granted")
    };
    assert_eq!((elements, limit), (1 << 40, u64::from(u32::MAX)));
    match context.buffer::<u32>(u32::MAX as usize) {
        Err(BufferError::TooLarge { bytes, limit }) => {
            assert_eq!(bytes, u64::from(u32::MAX) * 4);
            assert!(limit < bytes);
        }
        // A device with so much to offer may still run out of it.
        Err(BufferError::Device(_)) | Ok(_) => {}
        Err(other) => panic!("{other}"),
    }

    let mut sketch = Sketch::map(
        "wide",
        vec![span("output", "uint32", true)],
        "span0[lane] = 1u;",
    );
    sketch.workgroup = 64;
    let spec = sketch.embed();
    let wide: &'static _ = Box::leak(Box::new(nupp_core::artifact::KernelSpec {
        scratch_bytes: 1 << 30,
        ..*spec
    }));
    match context.compile_raw(wide).unwrap_err() {
        CompileError::Limit {
            kernel: "wide",
            what: "bytes of workgroup memory",
            needed,
            offered,
        } => assert!(needed == 64 << 30 && offered < needed),
        other => panic!("{other}"),
    }
}

#[test]
fn a_module_that_is_none_fails_to_compile_and_nothing_else() {
    let Some(context) = context() else { return };
    let good = affine();
    let with = |spirv| {
        let mut spec = *good;
        spec.module.spirv = spirv;
        &*Box::leak(Box::new(spec))
    };
    let odd = context.compile_raw(with(&[1, 2, 3])).unwrap_err();
    assert!(matches!(odd, CompileError::Malformed { .. }), "{odd}");
    let noise = context.compile_raw(with(&[7; 64])).unwrap_err();
    assert!(matches!(noise, CompileError::Device { .. }), "{noise}");
    assert!(
        noise.to_string().starts_with("compiling kernel `affine`: "),
        "{noise}"
    );
    let kernel = context.compile_raw(good).unwrap();
    let (output, binding) = bound(&context, &kernel, 2);
    binding.dispatch(&[1, 0]).unwrap();
    assert_eq!(context.download_blocking(&output).unwrap(), numbers(2));
}

#[test]
fn a_kernel_is_compiled_once() {
    let Some(context) = context() else { return };
    let spec = affine();
    let first = context.compile_raw(spec).unwrap();
    let start = std::time::Instant::now();
    for _ in 0..1000 {
        assert_eq!(context.compile_raw(spec).unwrap().digest(), first.digest());
    }
    assert!(start.elapsed().as_millis() < 500);
}

#[test]
fn strict_contexts_give_the_same() {
    let Some(context) = context_with(ContextOptions::new().strict(true)) else {
        return;
    };
    let kernel = context.compile_raw(affine()).unwrap();
    let (output, binding) = bound(&context, &kernel, 100);
    let before = context.submissions();
    binding.dispatch(&[3, 7]).unwrap();
    assert_eq!(
        context.submissions(),
        before + 1,
        "each dispatch goes alone"
    );
    let expected: Vec<u32> = numbers(100).iter().map(|x| x * 3 + 7).collect();
    assert_eq!(context.download_blocking(&output).unwrap(), expected);
}
