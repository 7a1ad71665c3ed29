//! The acceptance cases of map kernels, each against values written down beforehand or a Rust
//! reference, on every executor. A file a family of cases; here is what they share.

use nupp_testkit::inputs::{FLOATS, INTEGERS};

mod conversions;
mod copies;
pub mod cursors;
mod elements;
mod every_input;
mod functions;
mod gates;
mod guards;
mod loops;
pub mod mandelbrot;
mod numbers;
mod signs;

const NAN: u32 = 0x7fc0_0000;

/// `i * 17 + 3`, the input where a case says nothing.
fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i * 17 + 3) as f32).collect()
}

/// Every length at which a workgroup, a block of lanes or a row could go wrong.
const LENGTHS: [usize; 8] = [0, 1, 31, 255, 256, 257, 1000, 1025];

/// In integers: the compiler folds a float selection of NaN away behind a square root.
pub fn gate(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        bits
    }
}

/// Every pair of integers at an edge.
fn integer_pairs() -> (Vec<u32>, Vec<u32>) {
    INTEGERS
        .iter()
        .flat_map(|&a| INTEGERS.iter().map(move |&b| (a, b)))
        .unzip()
}

/// Every pair of floats at an edge.
fn float_pairs() -> (Vec<u32>, Vec<u32>) {
    FLOATS
        .iter()
        .flat_map(|&a| FLOATS.iter().map(move |&b| (a, b)))
        .unzip()
}

/// An output to be written.
fn blank(len: usize) -> Vec<u32> {
    vec![0; len]
}

/// A kernel, and inputs that tell each of its operations from a near relative.
pub struct Planted {
    pub spec: &'static nupp::KernelSpec,
    pub spans: Vec<Vec<u32>>,
    pub uniforms: Vec<u32>,
}

/// Kernels for planted faults.
pub fn planted_kernels() -> Vec<Planted> {
    [copies::planted(), numbers::planted(), cursors::planted()]
        .into_iter()
        .flatten()
        .collect()
}
