//! 65,536 exponentials summed by two trees of 256 lanes.

use super::fold;
use crate::harness::{Case, Words, floats, kernel};
use nupp::nupp;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::Lcg;

nupp! {
    @aot(target = "gpu")
    local function exponential_sums(
        exclusive partial: span.WriteSpan<float>,
        borrows input: span.Span<float>
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#input), 256), 256, function(groupIndex, phases)
            local shared = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                shared[localIndex] = f32.exp(input[groupIndex * 256 + localIndex + 1])
            end)
            phases:reduceSum(shared)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #partial then
                    partial[groupIndex + 1] = shared[0]
                end
            end)
        end)
    end

    @aot(target = "gpu")
    local function total(exclusive output: span.WriteSpan<float>, borrows partial: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#partial), 256), 256, function(groupIndex, phases)
            local shared = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                shared[localIndex] = partial[groupIndex * 256 + localIndex + 1]
            end)
            phases:reduceSum(shared)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #output then
                    output[groupIndex + 1] = shared[0]
                end
            end)
        end)
    end
}

fn input(len: usize) -> Words {
    let values = Lcg::default().map(|s| (-16.0 * s / 2_147_483_648.0) as f32);
    floats(&values.take(len).collect::<Vec<f32>>())
}

/// The binary64 exponential narrowed: right wherever binary64 is nearer than a tie; the published hash
/// says that it is, for all of these inputs.
fn partials(input: &[u32]) -> Vec<f32> {
    let exps = input
        .iter()
        .map(|&bits| f64::from(f32::from_bits(bits)).exp() as f32);
    let exps: Vec<f32> = exps.collect();
    exps.chunks(256)
        .map(|block| fold(block, |a, b| a + b)[0])
        .collect()
}

#[test]
fn case_24_exponentials() {
    let input = input(65_536);
    let partials = partials(&input);
    assert_eq!(partials[0].to_bits(), 0x41ab_0f36);
    assert_eq!(fnv1a(&floats(&partials)), 0x794d_bd86_7058_6681);
    let sum = fold(&partials, |a, b| a + b)[0].to_bits();
    assert_eq!(sum, 0x4586_e933);
    Case::new(kernel!(exponential_sums: w f32, r f32))
        .spans([vec![0; 256], input.clone()])
        .large()
        .gives(0, floats(&partials));
    // On the interpreters too, and in the profile that carries each operation in integers.
    Case::new(kernel!(exponential_sums: w f32, r f32))
        .spans([vec![0; 2], input[..512].to_vec()])
        .gives(0, floats(&partials[..2]));
    Case::new(kernel!(total: w f32, r f32))
        .spans([vec![0], floats(&partials)])
        .gives(0, vec![sum]);
}

pub fn samples() -> Vec<Case> {
    vec![Case::new(kernel!(exponential_sums: w f32, r f32)).spans([vec![0; 2], input(512)])]
}
