//! A program of nothing but printed kernels: `tests/libm.rs` looks at what it imports.

use nupp_printed_tests::rounding;
use std::hint::black_box;

fn main() {
    let input = black_box([1.5_f32; 70]);
    let mut output = [0.0_f32; 70];
    let results = [
        rounding::straight(&mut output, &input),
        rounding::blocks(&mut output, &input),
    ];
    let failed = results.iter().any(Result::is_err);
    std::process::exit(i32::from(failed || black_box(output)[0].is_nan()));
}
