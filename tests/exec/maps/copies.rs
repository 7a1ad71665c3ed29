//! Cases 1 to 3: copies, products with a uniform, a uniform that chooses; and products of subnormals.

use super::{LENGTHS, Planted, blank, float_pairs, gate, ramp};
use crate::harness::{Case, floats, kernel};
use nupp::nupp;
use nupp_testkit::inputs::FLOATS;

nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input, "output and input differ in length")
        for index = 1, #output do
            output[index] = input[index]
        end
    end

    @aot(target = "gpu")
    local function scale(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        factor: float
    ): nil
        if #output ~= #input then error("output and input differ in length") end
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function copy_if(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        mode: uint32
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            if mode == 73 then
                output[index] = input[index]
            end
        end
    end
}

#[test]
fn case_01_copy() {
    for len in LENGTHS {
        let input: Vec<u32> = FLOATS.iter().copied().cycle().take(len).collect();
        let expected = input
            .iter()
            .map(|&bits| gate(f32::from_bits(bits)))
            .collect();
        Case::new(kernel!(copy: w f32, r f32))
            .spans([vec![7; len], input])
            .gives(0, expected);
    }
}

#[test]
fn case_02_scale() {
    for len in LENGTHS {
        for factor in [0.1_f32, -3.0, 1e-30, f32::INFINITY, f32::NAN] {
            let input: Vec<u32> = FLOATS.iter().copied().cycle().take(len).collect();
            let expected = input
                .iter()
                .map(|&bits| gate(f32::from_bits(bits) * factor))
                .collect();
            Case::new(kernel!(scale: w f32, r f32, u f32))
                .spans([vec![7; len], input])
                .uniforms([factor.to_bits()])
                .gives(0, expected);
        }
    }
}

#[test]
fn case_03_copy_if() {
    for (mode, copies) in [(73, true), (72, false)] {
        let input = floats(&ramp(257));
        let expected = if copies { input.clone() } else { vec![0; 257] };
        Case::new(kernel!(copy_if: w f32, r f32, u u32))
            .spans([vec![0; 257], input])
            .uniforms([mode])
            .gives(0, expected);
    }
}

/// A device that flushes subnormals in its own operations gives their bits all the same.
#[test]
fn subnormals_are_kept() {
    let input = [1.0e-40_f32, -1.0e-45, 2.0, 1.5e-38];
    Case::new(kernel!(scale: w f32, r f32, u f32))
        .spans([vec![0; 4], floats(&input)])
        .uniforms([0.5_f32])
        .gives(0, floats(&input.map(|x| x * 0.5)));
}

/// Kernels of this file for planted faults.
pub fn planted() -> Vec<Planted> {
    let x = float_pairs().0;
    vec![Planted {
        spec: &scale::SPEC,
        spans: vec![blank(x.len()), x],
        uniforms: vec![3.0_f32.to_bits()],
    }]
}
