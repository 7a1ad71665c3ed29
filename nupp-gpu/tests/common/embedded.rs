//! What the macro would embed for the kernels written by hand in Source IR, and runs of two of them
//! against plain Rust, by bits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

use nupp_compile::driver;
use nupp_core::artifact::KernelSpec;
use nupp_core::ir::kernel::Kernel;
use nupp_gpu::{Context, RawKernel, Slot, SlotMut};

/// What the macro would embed for a kernel.
pub fn embed(kernel: Kernel) -> &'static KernelSpec {
    nupp_testkit::embed::embed(&driver::finish(kernel).unwrap()).unwrap()
}

/// Signed values of many sizes, subnormal ones too.
pub fn floats(len: usize) -> Vec<f32> {
    (0..len as u32)
        .map(|i| {
            let bits = i.wrapping_mul(0x9e37_79b9).rotate_left(7);
            match i % 5 {
                0 => f32::from_bits(bits & 0x807f_ffff),
                // Exponents near 0, where products and sums stay normal.
                _ => f32::from_bits(bits & 0x807f_ffff | (118 + bits % 17) << 23),
            }
        })
        .collect()
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The fixed tree: strides 128 … 1.
fn tree(values: &[f32]) -> f32 {
    let mut slots = values.to_vec();
    let mut stride = slots.len() / 2;
    while stride > 0 {
        for slot in 0..stride {
            slots[slot] += slots[slot + stride];
        }
        stride /= 2;
    }
    slots[0]
}

/// Runs the map over `len` elements and asserts each of them.
pub fn check_map(context: &Context, kernel: &RawKernel, len: usize) {
    let input = floats(len);
    let table: Vec<f32> = floats(len / 2);
    let cursors: Vec<u32> = (0..len as u32)
        .map(|i| i.wrapping_mul(7919) % 6000)
        .collect();
    let scale = 0.75f32;
    let expected: Vec<f32> = input
        .iter()
        .zip(&cursors)
        .map(|(x, c)| {
            let t = table.get(*c as usize).copied().unwrap_or(0.0);
            (0..c & 7).fold(x.mul_add(scale, t), |y, _| y.mul_add(scale, *x))
        })
        .collect();
    let output = context.buffer::<f32>(len).unwrap();
    let source = context.buffer::<f32>(len).unwrap();
    let wheres = context.buffer::<u32>(len).unwrap();
    let lookup = context.buffer::<f32>(table.len()).unwrap();
    context.upload(&source, &input).unwrap();
    context.upload(&wheres, &cursors).unwrap();
    context.upload(&lookup, &table).unwrap();
    let binding = kernel
        .bind(vec![
            SlotMut::from(&output).into(),
            Slot::from(&source).into(),
            Slot::from(&wheres).into(),
            Slot::from(&lookup).into(),
        ])
        .unwrap();
    binding.dispatch(&[scale.to_bits()]).unwrap();
    let got = context.download_blocking(&output).unwrap();
    assert_eq!(bits(&got), bits(&expected), "{kernel:?}, {len} elements");
}

/// Runs the trees over `len` elements and asserts each of them.
pub fn check_groups(context: &Context, kernel: &RawKernel, len: usize) {
    let input = floats(len);
    let mut expected = vec![0.0; len];
    for (group, sums) in input.chunks_exact(256).zip(expected.chunks_exact_mut(256)) {
        sums.fill(tree(group));
    }
    let output = context.buffer::<f32>(len).unwrap();
    let source = context.buffer::<f32>(len).unwrap();
    context.upload(&source, &input).unwrap();
    let binding = kernel
        .bind(vec![
            SlotMut::from(&output).into(),
            Slot::from(&source).into(),
        ])
        .unwrap();
    binding.dispatch(&[]).unwrap();
    let got = context.download_blocking(&output).unwrap();
    assert_eq!(bits(&got), bits(&expected), "{kernel:?}, {len} elements");
}
