//! Compares each function of `nupp_ir::math` with CORE-MATH on all 2^32 inputs, for both ways of
//! carrying `mul_add`, and prints the inputs that differ and the hash of all outputs.
//!
//! `cargo run --release [-- NAME ...]` in this folder. What differs belongs into the exceptions,
//! after a look at why; the hash belongs into the tests of `nupp_ir::math`. Ends with 1 where
//! anything differs.

use nupp_ir::math::Function;
use nupp_ir::math::double::Double;
use nupp_ir::math::plain::{Products, Separate, block};
use std::process::ExitCode;

/// With the machine's fused multiply-add.
#[derive(Clone, Copy)]
struct Fused;

impl Products for Fused {
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn two_prod(a: f32, b: f32) -> Double<f32> {
        let high = a * b;
        let low = a.mul_add(b, -high);
        Double { high, low }
    }
}

/// Inputs of one block.
const BLOCK: usize = 1024;

fn reference(function: Function) -> fn(f32) -> f32 {
    match function {
        Function::Exp => core_math::expf,
    }
}

/// One function over a block, compiled for the widest vectors that all testers have.
fn values<P: Products + Copy>(function: Function, x: &[f32; BLOCK]) -> [f32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide<P: Products + Copy>(function: Function, x: &[f32; BLOCK]) -> [f32; BLOCK] {
            block::<P, BLOCK>(function, x)
        }
        assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"));
        // SAFETY: the machine has just been asked.
        unsafe { wide::<P>(function, x) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    block::<P, BLOCK>(function, x)
}

/// FNV-1a over the words of the outputs.
fn mixed(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Compares a part of all inputs; gives what differs.
fn compare(function: Function, blocks: std::ops::Range<u32>) -> Vec<(u32, u32)> {
    let reference = reference(function);
    let mut wrong = Vec::new();
    for block in blocks {
        let first = block * BLOCK as u32;
        let x: [f32; BLOCK] = std::array::from_fn(|n| f32::from_bits(first + n as u32));
        let separate = values::<Separate>(function, &x);
        let fused = values::<Fused>(function, &x);
        for n in 0..BLOCK {
            let right = reference(x[n]);
            let right = if right.is_nan() {
                0x7fc0_0000
            } else {
                right.to_bits()
            };
            if separate[n].to_bits() != right || fused[n].to_bits() != right {
                wrong.push((first + n as u32, right));
            }
        }
    }
    wrong
}

/// The hash of all outputs, in order of the inputs.
fn hash(function: Function) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for block in 0..u32::MAX / BLOCK as u32 + 1 {
        let first = block * BLOCK as u32;
        let x: [f32; BLOCK] = std::array::from_fn(|n| f32::from_bits(first + n as u32));
        let values = values::<Fused>(function, &x);
        hash = values.iter().fold(hash, |hash, y| mixed(hash, y.to_bits()));
    }
    hash
}

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let blocks = u32::MAX / BLOCK as u32 + 1;
    let mut failed = false;
    for &function in Function::ALL {
        let name = function.op().name();
        if !asked.is_empty() && !asked.iter().any(|asked| asked == name) {
            continue;
        }
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let part = blocks.div_ceil(workers);
        let wrong: Vec<(u32, u32)> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers)
                .map(|n| {
                    scope.spawn(move || compare(function, n * part..blocks.min((n + 1) * part)))
                })
                .collect();
            let parts = handles.into_iter().map(|handle| handle.join());
            parts
                .flat_map(|part| part.expect("a worker does not panic"))
                .collect()
        });
        println!(
            "{name}: {} differ, hash {:#018x}",
            wrong.len(),
            hash(function)
        );
        for (input, output) in wrong.iter().take(1000) {
            println!("    ({input:#010x}, {output:#010x}),");
        }
        failed |= !wrong.is_empty();
    }
    ExitCode::from(u8::from(failed))
}
