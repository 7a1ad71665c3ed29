//! Cases 1 to 3: copies, products with a uniform, a uniform that chooses; and what a device that
//! flushes subnormals is known to do to a product.

use super::{LENGTHS, Planted, blank, float_pairs, gate, ramp};
use crate::harness::{Case, devices, floats, kernel};
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
                .flushing()
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

/// What the conservative profile is known to get wrong on a device that flushes, and what the
/// integer profile gets right there: asserted, so that the list in `docs/numerics.md` stays true.
#[test]
fn flushing_devices_are_known_wrong() {
    let input = vec![1.0e-40_f32.to_bits(), 2.0_f32.to_bits()];
    let runner = kernel!(scale: w f32, r f32, u f32);
    for device in devices() {
        let mut spans = vec![vec![0; 2], input.clone()];
        runner
            .gpu(&device.context, &mut spans, &[0.5_f32.to_bits()])
            .expect("a dispatch");
        let flushed = spans[0][0] == 0;
        let right = spans[0][0] == (1.0e-40_f32 * 0.5).to_bits();
        assert_eq!(
            (flushed, right),
            (device.flushes, !device.flushes),
            "{}",
            device.name
        );
        assert_eq!(spans[0][1], 1.0_f32.to_bits());
    }
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
