//! Cases 13 to 15: a gather, a stencil and a matrix product, whose reads are proved by comparisons.

use super::{LENGTHS, Planted, ramp};
use crate::harness::{Case, floats, kernel};
use nupp::nupp;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::Lcg;

nupp! {
    @aot(target = "gpu")
    local function gather(
        exclusive output: span.WriteSpan<float>,
        borrows indices: span.Span<uint32>,
        borrows values: span.Span<float>
    ): nil
        assert(#output == #indices, "one index an output")
        for index = 1, #output do
            local cursor = indices[index]
            local value: float = 0.0
            if cursor < #values then
                value = values[cursor + 1]
            end
            output[index] = value
        end
    end

    @aot(target = "gpu")
    local function stencil(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            local center = input[index]
            if index > 1 and index < #input then
                output[index] = input[index - 1] - 2.0 * center + input[index + 1]
            else
                output[index] = center
            end
        end
    end
}

#[test]
fn case_13_gather() {
    for values in [0_usize, 1, 100, 257] {
        let indices: Vec<u32> = (0..257)
            .map(|i| if i % 50 == 49 { u32::MAX } else { i * 3 % 300 })
            .collect();
        let source = ramp(values);
        let expected = indices
            .iter()
            .map(|&i| source.get(i as usize).copied().unwrap_or(0.0));
        let expected: Vec<f32> = expected.collect();
        Case::new(kernel!(gather: w f32, r u32, r f32))
            .spans([vec![0; 257], indices, floats(&source)])
            .gives(0, floats(&expected));
    }
}

#[test]
fn case_14_stencil() {
    for len in LENGTHS {
        let input: Vec<f32> = (0..len).map(|i| (i as f32 * 0.7).sin_cos_free()).collect();
        let at = |i: usize| {
            if i == 0 || i + 1 == len {
                input[i]
            } else {
                input[i - 1] - 2.0 * input[i] + input[i + 1]
            }
        };
        let expected: Vec<f32> = (0..len).map(at).collect();
        Case::new(kernel!(stencil: w f32, r f32))
            .spans([vec![0; len], floats(&input)])
            .gives(0, floats(&expected));
    }
}

/// A bumpy number without the C library.
trait Bumpy {
    fn sin_cos_free(self) -> f32;
}

impl Bumpy for f32 {
    fn sin_cos_free(self) -> f32 {
        let t = self - self.floor();
        t * (1.0 - t) * 4.1 - 0.3
    }
}

nupp! {
    @aot(target = "gpu")
    local function product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        columns: uint32,
        inner: uint32
    ): nil
        for index = 1, #c do
            local off = index - 1
            local row = u32.div(off, columns)
            local col = u32.mod(off, columns)
            local sum: float = 0.0
            local k: uint32 = 0
            while k < inner do
                local i = row * inner + k
                local j = k * columns + col
                if i < #a and j < #b then
                    sum = f32.fma(a[i + 1], b[j + 1], sum)
                end
                k = k + 1
            end
            c[index] = sum
        end
    end
}

/// The matrices of the acceptance cases and their product, `sum = fma(a, b, sum)` with k ascending.
pub fn matrices(n: usize) -> ([Vec<u32>; 3], Vec<u32>) {
    let mut stream = Lcg::default().map(|s| (s / 1_073_741_824.0 - 1.0) as f32);
    let a: Vec<f32> = stream.by_ref().take(n * n).collect();
    let b: Vec<f32> = stream.take(n * n).collect();
    let dot = |row: usize, col: usize| {
        (0..n).fold(0.0_f32, |sum, k| {
            a[row * n + k].mul_add(b[k * n + col], sum)
        })
    };
    let c: Vec<f32> = (0..n * n).map(|i| dot(i / n, i % n)).collect();
    ([vec![0; n * n], floats(&a), floats(&b)], floats(&c))
}

#[test]
fn case_15_matrix_product() {
    for (n, first, hash) in [
        (64, Some(0xc032_3129), 0xa4de_a7ef_12cf_a26e),
        (128, None, 0x6f5a_e7da_37dc_3349),
    ] {
        let (spans, expected) = matrices(n);
        assert_eq!(fnv1a(&expected), hash, "the reference itself, at {n}");
        assert!(first.is_none_or(|first| expected[0] == first));
        Case::new(kernel!(product: w f32, r f32, r f32, u u32, u u32))
            .spans(spans)
            .uniforms([n as u32, n as u32])
            .large()
            .gives(0, expected);
    }
}

/// Kernels of this file for planted faults.
pub fn planted() -> Vec<Planted> {
    vec![Planted {
        spec: &product::SPEC,
        spans: matrices(8).0.to_vec(),
        uniforms: vec![8, 8],
    }]
}
