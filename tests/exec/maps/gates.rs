//! One pattern of NaN wherever its bits become visible.

use super::{NAN, gate};
use crate::harness::{Case, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function not_numbers(
        exclusive roots: span.WriteSpan<float>,
        exclusive quotients: span.WriteSpan<float>,
        exclusive sums: span.WriteSpan<float>,
        exclusive bits: span.WriteSpan<uint32>,
        borrows a: span.Span<float>,
        x: float
    ): nil
        assert(#roots == #quotients and #sums == #roots and #bits == #roots and #a == #roots)
        for index = 1, #roots do
            roots[index] = f32.sqrt(x)
            quotients[index] = (x - x) / (x - x)
            sums[index] = f32.sqrt(a[index]) + x
            bits[index] = f32.toBits(f32.sqrt(a[index]))
        end
    end
}

/// The bits of a NaN that a processor makes are its own: gates stand where they become visible,
/// also where the compiler thinks that it knows better (a square root, a value outside the loop).
#[test]
fn not_a_number_has_one_pattern() {
    for x in [-1.0_f32, f32::NAN, 2.25] {
        let a: Vec<u32> = [-1.0_f32, 4.0, f32::NEG_INFINITY, -0.0]
            .map(f32::to_bits)
            .to_vec();
        let values = || a.iter().map(|&bits| f32::from_bits(bits));
        let blank = || vec![0; a.len()];
        Case::new(kernel!(not_numbers: w f32, w f32, w f32, w u32, r f32, u f32))
            .spans([blank(), blank(), blank(), blank(), a.clone()])
            .uniforms([x])
            .gives_all([
                vec![gate(x.sqrt()); a.len()],
                vec![NAN; a.len()],
                values().map(|a| gate(a.sqrt() + x)).collect(),
                values().map(|a| gate(a.sqrt())).collect(),
            ]);
    }
}
