//! Reductions and scans: the order of a tree, what it leaves in its array, each type and combination.

use super::fold;
use crate::harness::{Case, floats, kernel};
use nupp::nupp;
use nupp_testkit::inputs::{FLOATS, INTEGERS};

nupp! {
    @aot(target = "gpu")
    local function group_sums(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>
    ): nil
        local groups = u32.divCeil(u32.wrap(#input), 4)
        gpu.workgroups(groups, 4, function(groupIndex, phases)
            local shared = phases:scratch(0.0, 4)
            phases:run(function(localIndex)
                local cursor = groupIndex * 4 + localIndex
                if cursor < #input then
                    shared[localIndex] = input[cursor + 1]
                end
            end)
            phases:reduceSum(shared)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #output then
                    output[groupIndex + 1] = shared[0]
                end
            end)
        end)
    end

    @aot(target = "gpu")
    local function whole_groups(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>
    ): nil
        assert(#output == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 4), 4, function(groupIndex, phases)
            local shared = phases:scratch(0.0, 4)
            phases:run(function(localIndex)
                shared[localIndex] = input[groupIndex * 4 + localIndex + 1]
            end)
            phases:reduceSum(shared)
            phases:run(function(localIndex)
                output[groupIndex * 4 + localIndex + 1] = shared[localIndex]
            end)
        end)
    end
}

/// Sums of groups of 4, the last one filled up with zeros.
fn sums_of_four(input: &[f32]) -> Vec<f32> {
    let sum = |group: &[f32]| {
        let mut four = [0.0; 4];
        four[..group.len()].copy_from_slice(group);
        fold(&four, |a, b| a + b)[0]
    };
    input.chunks(4).map(sum).collect()
}

#[test]
fn case_16_sums_of_groups() {
    for len in [0, 1, 3, 4, 5, 10, 257] {
        let input: Vec<f32> = (0..len).map(|i| (i * 17 + 3) as f32 * 0.1).collect();
        let expected = sums_of_four(&input);
        Case::new(kernel!(group_sums: w f32, r f32))
            .spans([vec![7; expected.len()], floats(&input)])
            .gives(0, floats(&expected));
    }
}

#[test]
fn case_17_order_of_a_tree() {
    let input = [1e8, 1.0, -1e8, 1.0];
    assert_eq!(((input[0] + input[1]) + input[2]) + input[3], 1.0_f32);
    assert_eq!((input[0] + input[1]) + (input[2] + input[3]), 0.0_f32);
    Case::new(kernel!(group_sums: w f32, r f32))
        .spans([vec![0], floats(&input)])
        .gives(0, floats(&[2.0]));
}

#[test]
fn case_18_whole_groups_only() {
    let input: Vec<f32> = (0..10).map(|i| (i * 17 + 3) as f32).collect();
    let mut expected: Vec<f32> = input
        .chunks_exact(4)
        .flat_map(|group| fold(group, |a, b| a + b))
        .collect();
    expected.extend([9.0; 2]);
    assert_eq!(expected.len(), 10);
    Case::new(kernel!(whole_groups: w f32, r f32))
        .spans([floats(&[9.0; 10]), floats(&input)])
        .gives(0, floats(&expected));
}

/// A kernel that scans 1, 2, 3 … in a group of `$size` lanes.
macro_rules! scanned {
    ($name:ident, $size:tt) => {
        nupp! {
            @aot(target = "gpu")
            local function $name(exclusive output: span.WriteSpan<float>): nil
                gpu.workgroups(u32.div(u32.wrap(#output), $size), $size, function(groupIndex, phases)
                    local values = phases:scratch(0.0, $size)
                    local temporary = phases:scratch(0.0, $size)
                    phases:run(function(localIndex)
                        values[localIndex] = f32.fromU32(localIndex + 1)
                    end)
                    phases:inclusiveScan(values, temporary)
                    phases:run(function(localIndex)
                        output[groupIndex * $size + localIndex + 1] = values[localIndex]
                    end)
                end)
            end
        }
    };
}

scanned!(scan_2, 2);
scanned!(scan_4, 4);
scanned!(scan_8, 8);
scanned!(scan_16, 16);
scanned!(scan_32, 32);
scanned!(scan_256, 256);

#[test]
fn case_19_inclusive_scan() {
    let sums = |size: usize| -> Vec<f32> {
        let one = (1..=size).map(|n| (n * (n + 1) / 2) as f32);
        one.clone().chain(one).collect()
    };
    assert_eq!(sums(4)[..4], [1.0, 3.0, 6.0, 10.0]);
    for (runner, size) in [
        (kernel!(scan_2: w f32), 2),
        (kernel!(scan_4: w f32), 4),
        (kernel!(scan_8: w f32), 8),
        (kernel!(scan_16: w f32), 16),
        (kernel!(scan_32: w f32), 32),
        (kernel!(scan_256: w f32), 256),
    ] {
        let mut expected = sums(size);
        expected.push(3.0);
        let mut output = vec![3.0; 2 * size];
        output.push(3.0);
        Case::new(runner)
            .spans([floats(&output)])
            .gives(0, floats(&expected));
    }
}

nupp! {
    @aot(target = "gpu")
    local function extremes_of_groups(
        exclusive least: span.WriteSpan<float>,
        exclusive greatest: span.WriteSpan<int32>,
        exclusive mixed: span.WriteSpan<uint32>,
        borrows floats: span.Span<float>,
        borrows integers: span.Span<int32>
    ): nil
        assert(#least == #floats and #greatest == #least and #mixed == #least and #integers == #least)
        gpu.workgroups(u32.div(u32.wrap(#floats), 16), 16, function(groupIndex, phases)
            local low = phases:scratch(0.0, 16)
            local high = phases:scratch(i32.wrap(0), 16)
            local words = phases:scratch(u32.wrap(0), 16)
            phases:run(function(localIndex)
                low[localIndex] = floats[groupIndex * 16 + localIndex + 1]
                high[localIndex] = integers[groupIndex * 16 + localIndex + 1]
                words[localIndex] = u32.wrap(integers[groupIndex * 16 + localIndex + 1])
            end)
            phases:reduceMin(low)
            phases:reduceMax(high)
            phases:reduce(words, function(a, b) return a * 31 + b end)
            phases:run(function(localIndex)
                least[groupIndex * 16 + localIndex + 1] = low[localIndex]
                greatest[groupIndex * 16 + localIndex + 1] = high[localIndex]
                mixed[groupIndex * 16 + localIndex + 1] = words[localIndex]
            end)
        end)
    end
}

/// The least of two floats as the language has it, on bits.
fn least(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let key = |bits: u32| (bits as i32) ^ (((bits as i32) >> 31) as u32 >> 1) as i32;
    match x.is_nan() || y.is_nan() {
        true => 0x7fc0_0000,
        false if key(a) < key(b) => a,
        false => b,
    }
}

#[test]
fn extremes_and_combinations() {
    let values: Vec<u32> = FLOATS.iter().copied().cycle().take(96).collect();
    let integers: Vec<u32> = INTEGERS.iter().copied().cycle().take(96).collect();
    let by_group = |words: &[u32], combine: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
        let groups = words.chunks(16);
        groups.flat_map(|group| fold(group, combine)).collect()
    };
    let gate = |bits: u32| match f32::from_bits(bits).is_nan() {
        true => 0x7fc0_0000,
        false => bits,
    };
    let low = by_group(&values, &least).into_iter().map(gate).collect();
    let high = by_group(&integers, &|a, b| (a as i32).max(b as i32) as u32);
    let mixed = by_group(&integers, &|a, b| a.wrapping_mul(31).wrapping_add(b));
    Case::new(kernel!(extremes_of_groups: w f32, w i32, w u32, r f32, r i32))
        .spans([vec![1; 96], vec![1; 96], vec![1; 96], values, integers])
        .gives_all([low, high, mixed]);
}

nupp! {
    @aot(target = "gpu")
    local function scans(
        exclusive sums: span.WriteSpan<float>,
        exclusive stage: span.WriteSpan<float>,
        exclusive alone: span.WriteSpan<int32>,
        exclusive before: span.WriteSpan<uint32>,
        borrows input: span.Span<float>
    ): nil
        assert(#sums == #input and #stage == #input and #alone == #input and #before == #input)
        gpu.workgroups(u32.div(u32.wrap(#input), 16), 16, function(groupIndex, phases)
            local values = phases:scratch(0.0, 16)
            local temporary = phases:scratch(0.0, 16)
            local signed = phases:scratch(i32.wrap(0), 16)
            local words = phases:scratch(u32.wrap(0), 16)
            phases:run(function(localIndex)
                local x = input[groupIndex * 16 + localIndex + 1]
                values[localIndex] = x
                signed[localIndex] = i32.saturate(x) - 40
                words[localIndex] = u32.saturate(x) * 1000000000
            end)
            phases:inclusiveScan(values, temporary)
            phases:inclusiveScan(signed)
            phases:exclusiveScan(words)
            phases:run(function(localIndex)
                sums[groupIndex * 16 + localIndex + 1] = values[localIndex]
                stage[groupIndex * 16 + localIndex + 1] = temporary[localIndex]
                alone[groupIndex * 16 + localIndex + 1] = signed[localIndex]
                before[groupIndex * 16 + localIndex + 1] = words[localIndex]
            end)
        end)
    end
}

/// What one group's scan leaves in its two arrays.
fn scan_stages(values: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let (mut from, mut to) = (values.to_vec(), values.to_vec());
    let mut distance = 1;
    while distance < values.len() {
        for i in 0..values.len() {
            to[i] = match i >= distance {
                true => from[i - distance] + from[i],
                false => from[i],
            };
        }
        std::mem::swap(&mut from, &mut to);
        distance *= 2;
    }
    (from, to)
}

#[test]
fn scans_of_each_kind() {
    let input: Vec<f32> = (0..48).map(|i| (i * 37 % 101) as f32 * 0.9).collect();
    let stages: Vec<_> = input.chunks(16).map(scan_stages).collect();
    let running = |of: &dyn Fn(f32) -> u32, inclusive: bool| -> Vec<u32> {
        let group = |group: &[f32]| {
            let mut total = 0_u32;
            let mut sums = Vec::new();
            for &x in group {
                let before = total;
                total = total.wrapping_add(of(x));
                sums.push(if inclusive { total } else { before });
            }
            sums
        };
        input.chunks(16).flat_map(group).collect()
    };
    let values: Vec<f32> = stages.iter().flat_map(|stage| stage.0.clone()).collect();
    let temporary: Vec<f32> = stages.iter().flat_map(|stage| stage.1.clone()).collect();
    Case::new(kernel!(scans: w f32, w f32, w i32, w u32, r f32))
        .spans([
            vec![1; 48],
            vec![1; 48],
            vec![1; 48],
            vec![1; 48],
            floats(&input),
        ])
        .gives_all([
            floats(&values),
            floats(&temporary),
            running(&|x| (x as i32 - 40) as u32, true),
            running(&|x| (x as u32).wrapping_mul(1_000_000_000), false),
        ]);
}

pub fn samples() -> Vec<Case> {
    let input = |len: usize| -> Vec<u32> {
        let values = (0..len).map(|i| (i * 17 + 3) as f32 * 0.1);
        floats(&values.collect::<Vec<f32>>())
    };
    let blank = |len: usize| vec![0; len];
    vec![
        Case::new(kernel!(group_sums: w f32, r f32)).spans([blank(3), input(10)]),
        Case::new(kernel!(whole_groups: w f32, r f32)).spans([blank(10), input(10)]),
        Case::new(kernel!(scan_2: w f32)).spans([blank(4)]),
        Case::new(kernel!(scan_8: w f32)).spans([blank(16)]),
        Case::new(kernel!(scan_16: w f32)).spans([blank(32)]),
        Case::new(kernel!(scan_256: w f32)).spans([blank(512)]),
        Case::new(kernel!(extremes_of_groups: w f32, w i32, w u32, r f32, r i32)).spans([
            blank(32),
            blank(32),
            blank(32),
            input(32),
            (0..32).collect(),
        ]),
        Case::new(kernel!(scans: w f32, w f32, w i32, w u32, r f32)).spans([
            blank(32),
            blank(32),
            blank(32),
            blank(32),
            input(32),
        ]),
    ]
}
