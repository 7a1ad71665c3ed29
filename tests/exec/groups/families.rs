//! Scratch: phases of one lane, slots used again, other arrays read while one is written, structs,
//! arrays longer and shorter than the group, and what a conditional store leaves.

use crate::harness::{Case, floats, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function untouched(exclusive output: span.WriteSpan<float>, borrows sizes: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#sizes), 4), 4, function(groupIndex, phases)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #output then
                    output[groupIndex + 1] = 1.0
                end
            end)
        end)
    end

    @aot(target = "gpu")
    local function conditional(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 8), 8, function(groupIndex, phases)
            local shared = phases:scratch(-3.0, 8)
            phases:run(function(localIndex)
                local x = input[groupIndex * 8 + localIndex + 1]
                if x > 40.0 then
                    shared[localIndex] = x
                end
            end)
            phases:run(function(localIndex)
                output[groupIndex * 8 + localIndex + 1] = shared[7 - localIndex]
            end)
        end)
    end

    @aot(target = "gpu")
    local function leaders(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 32), 32, function(groupIndex, phases)
            local shared = phases:scratch(0.0, 32)
            local idle = phases:scratch(2.0, 32)
            phases:run(function(localIndex)
                if localIndex == 0 then
                    shared[localIndex] = input[groupIndex * 32 + localIndex + 1]
                end
            end)
            phases:run(function(localIndex)
                if localIndex == 0 then
                    shared[localIndex] = shared[localIndex] * 2.0 + idle[31]
                end
            end)
            phases:run(function(localIndex)
                output[groupIndex * 32 + localIndex + 1] = shared[0] + f32.fromU32(localIndex)
            end)
        end)
    end

    @aot(target = "gpu")
    local function neighbours(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 64), 64, function(groupIndex, phases)
            local one = phases:scratch(0.0, 64)
            local other = phases:scratch(0.0, 64)
            phases:run(function(localIndex)
                one[localIndex] = input[groupIndex * 64 + localIndex + 1]
            end)
            phases:run(function(localIndex)
                other[localIndex] = one[u32.mod(localIndex + 1, 64)]
            end)
            phases:run(function(localIndex)
                one[localIndex] = other[localIndex] * 2.0
            end)
            phases:run(function(localIndex)
                local left = one[u32.mod(localIndex + 63, 64)]
                output[groupIndex * 64 + localIndex + 1] = left + other[63 - localIndex]
            end)
        end)
    end
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i * 17 + 3) as f32).collect()
}

#[test]
fn case_20_no_scratch_no_barrier() {
    assert_eq!(
        (untouched::SPEC.barriers, untouched::SPEC.scratch_bytes),
        (0, 0)
    );
    Case::new(kernel!(untouched: w f32, r f32))
        .spans([vec![0; 5], vec![0; 17]])
        .gives(0, floats(&[1.0, 1.0, 1.0, 1.0, 0.0]));
}

#[test]
fn case_21_a_conditional_store_leaves_the_rest() {
    let input = ramp(24);
    let kept = |x: f32| if x > 40.0 { x } else { -3.0 };
    let expected: Vec<f32> = (0..24)
        .map(|i| kept(input[i / 8 * 8 + 7 - i % 8]))
        .collect();
    Case::new(kernel!(conditional: w f32, r f32))
        .spans([vec![0; 24], floats(&input)])
        .gives(0, floats(&expected));
}

#[test]
fn phases_of_one_lane_follow_each_other() {
    let input = ramp(96);
    let expected: Vec<f32> = (0..96)
        .map(|i| input[i / 32 * 32] * 2.0 + 2.0 + (i % 32) as f32)
        .collect();
    Case::new(kernel!(leaders: w f32, r f32))
        .spans([vec![0; 96], floats(&input)])
        .gives(0, floats(&expected));
}

#[test]
fn slots_are_used_again() {
    let input = ramp(192);
    let at = |group: usize, slot: usize| input[group * 64 + slot % 64];
    let expected: Vec<f32> = (0..192)
        .map(|i| {
            let (g, l) = (i / 64, i % 64);
            at(g, l) * 2.0 + at(g, 64 - l)
        })
        .collect();
    Case::new(kernel!(neighbours: w f32, r f32))
        .spans([vec![0; 192], floats(&input)])
        .gives(0, floats(&expected));
}

nupp! {
    local struct Pair
        weight: float
        place: int32
    end

    local function heavier(p: Pair, q: Pair): Pair
        local best = p
        if q.weight > p.weight then best = q end
        return best
    end

    local function put(s: gpu.Scratch<Pair>, lane: uint32, value: Pair)
        s[lane] = value
    end

    @aot(target = "gpu")
    local function heaviest(
        exclusive weights: span.WriteSpan<float>,
        exclusive places: span.WriteSpan<int32>,
        borrows input: span.Span<float>
    ): nil
        assert(#weights == #input and #places == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 8), 8, function(groupIndex, phases)
            local pairs = phases:scratch(Pair(-1.0, 7), 8)
            local found = phases:scratch(Pair(0.0, 0), 8)
            phases:run(function(localIndex)
                local x = input[groupIndex * 8 + localIndex + 1]
                if x > 3.0 then
                    pairs[localIndex].weight = x
                    pairs[localIndex].place = i32.wrap(localIndex)
                end
            end)
            phases:run(function(localIndex)
                local next = pairs[u32.mod(localIndex + 1, 8)]
                found[localIndex] = heavier(pairs[localIndex], next)
            end)
            phases:run(function(localIndex)
                local across = found[localIndex ~ 4]
                weights[groupIndex * 8 + localIndex + 1] = across.weight
                places[groupIndex * 8 + localIndex + 1] = across.place
            end)
        end)
    end
}

#[test]
fn scratch_of_structs() {
    let input: Vec<f32> = (0..40).map(|i| (i * 29 % 23) as f32 * 0.5).collect();
    let pair = |group: usize, slot: usize| {
        let x = input[group * 8 + slot % 8];
        if x > 3.0 {
            (x, (slot % 8) as u32)
        } else {
            (-1.0, 7)
        }
    };
    let pairs: Vec<(f32, u32)> = (0..40)
        .map(|i| {
            let slot = (i % 8) ^ 4;
            let (p, q) = (pair(i / 8, slot), pair(i / 8, slot + 1));
            if q.0 > p.0 { q } else { p }
        })
        .collect();
    let weights: Vec<f32> = pairs.iter().map(|pair| pair.0).collect();
    Case::new(kernel!(heaviest: w f32, w i32, r f32))
        .spans([vec![0; 40], vec![0; 40], floats(&input)])
        .gives_all([floats(&weights), pairs.iter().map(|pair| pair.1).collect()]);
}

nupp! {
    @aot(target = "gpu")
    local function longer(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 32), 8, function(groupIndex, phases)
            local rows = phases:scratch(0.0, 32)
            local blocks = phases:scratch(0.0, 32)
            local few = phases:scratch(0.5, 3)
            phases:run(function(localIndex)
                for k = 0, 3 do
                    rows[localIndex + k * 8] = input[groupIndex * 32 + localIndex + k * 8 + 1]
                end
                if localIndex < 2 then
                    few[localIndex] = f32.fromU32(localIndex + 1)
                end
            end)
            phases:run(function(localIndex)
                for j = 0, 3 do
                    blocks[localIndex * 4 + j] = rows[localIndex * 4 + j] * few[2]
                end
            end)
            phases:run(function(localIndex)
                for k = 0, 3 do
                    local sum = blocks[localIndex + k * 8] + few[0] + few[1]
                    output[groupIndex * 32 + localIndex + k * 8 + 1] = sum
                end
            end)
        end)
    end

    @aot(target = "gpu")
    local function registers(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 32), 8, function(groupIndex, phases)
            local own = phases:scratch(1.0, 32)
            for turn = 0, 2 do
                phases:run(function(localIndex)
                    for j = 0, 3 do
                        local x = input[groupIndex * 32 + localIndex * 4 + j + 1]
                        own[localIndex * 4 + j] = own[localIndex * 4 + j] * 0.5 + x
                    end
                end)
            end
            phases:run(function(localIndex)
                for j = 0, 3 do
                    output[groupIndex * 32 + localIndex * 4 + j + 1] = own[localIndex * 4 + j]
                end
            end)
        end)
    end
}

#[test]
fn arrays_of_other_lengths_than_the_group() {
    let input = ramp(101);
    let mut expected: Vec<f32> = input.iter().map(|x| x * 0.5 + 1.0 + 2.0).collect();
    expected[96..].fill(0.0);
    Case::new(kernel!(longer: w f32, r f32))
        .spans([vec![0; 101], floats(&input)])
        .gives(0, floats(&expected));
}

#[test]
fn slots_of_one_lane_meet_no_barrier() {
    let input = ramp(64);
    let turn = |own: f32, x: f32| own * 0.5 + x;
    let expected: Vec<f32> = input
        .iter()
        .map(|&x| turn(turn(turn(1.0, x), x), x))
        .collect();
    assert_eq!(registers::SPEC.barriers, 0);
    Case::new(kernel!(registers: w f32, r f32))
        .spans([vec![0; 64], floats(&input)])
        .gives(0, floats(&expected));
}

pub fn samples() -> Vec<Case> {
    let of = |runner, len: usize| Case::new(runner).spans([vec![0; len], floats(&ramp(len))]);
    vec![
        of(kernel!(untouched: w f32, r f32), 16),
        of(kernel!(conditional: w f32, r f32), 24),
        of(kernel!(leaders: w f32, r f32), 64),
        of(kernel!(neighbours: w f32, r f32), 128),
        Case::new(kernel!(heaviest: w f32, w i32, r f32)).spans([
            vec![0; 16],
            vec![0; 16],
            floats(&ramp(16)),
        ]),
        of(kernel!(longer: w f32, r f32), 64),
        of(kernel!(registers: w f32, r f32), 64),
    ]
}
