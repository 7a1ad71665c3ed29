//! Workgroup kernels on the CPU against loops written by hand, in every width, serially and over
//! threads: phases whose lanes are all alike in most groups and differ in some, phases of few lanes,
//! and the splitting of groups over threads.

// What the macro writes into a crate is held to the crate's own rule.
#![forbid(unsafe_code)]

use gpu_kernels::nupp;
use gpu_kernels::rt::testing;
use nupp_testkit::random::Random;
use std::sync::Mutex;

nupp! {
    local struct Pair
        a: float
        b: float
    end

    // Values past the end of either input are left out.
    @aot(target = "gpu")
    local function products(
        exclusive sums: span.WriteSpan<float>,
        borrows left: span.Span<float>,
        borrows right: span.Span<float>
    ): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#left), 64), 64, function(groupIndex, phases)
            local values = phases:scratch(0.0, 64)
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                local value: float = 0.0
                if cursor < #left and cursor < #right then
                    value = left[cursor + 1] * right[cursor + 1]
                end
                values[localIndex] = value
            end)
            phases:reduceSum(values)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #sums then
                    sums[groupIndex + 1] = values[0]
                end
            end)
        end)
    end

    // A copy, the slots of the last lanes keep what they began with.
    @aot(target = "gpu")
    local function turned(
        exclusive output: span.WriteSpan<uint32>,
        borrows input: span.Span<uint32>,
        first: uint32
    ): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#output), 32), 32, function(groupIndex, phases)
            local values = phases:scratch(u32.wrap(7), 32)
            phases:run(function(localIndex)
                local cursor = first + groupIndex * 32 + localIndex
                if cursor < #input then
                    values[localIndex] = input[cursor + 1]
                end
            end)
            phases:run(function(localIndex)
                local place = groupIndex * 32 + localIndex
                if place < #output then
                    output[groupIndex * 32 + localIndex + 1] = values[31 - localIndex]
                end
            end)
        end)
    end

    // Straight from span to span, by pairs; each group has twelve elements that nobody writes.
    @aot(target = "gpu")
    local function swapped(
        exclusive output: span.WriteSpan<Pair>,
        borrows input: span.Span<Pair>,
        scale: float
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 20), 8, function(groupIndex, phases)
            phases:run(function(localIndex)
                local cursor = groupIndex * 8 + localIndex
                if cursor < #input then
                    local pair = input[cursor + 1]
                    output[groupIndex * 20 + localIndex + 1] = Pair(pair.b * scale, pair.a)
                end
            end)
        end)
    end

    // Few lanes act: those below a constant, those below a length, and the third.
    @aot(target = "gpu")
    local function few(
        exclusive output: span.WriteSpan<uint32>,
        exclusive third: span.WriteSpan<uint32>,
        borrows limit: span.Span<uint32>
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 33), 33, function(groupIndex, phases)
            local counts = phases:scratch(u32.wrap(1), 33)
            phases:run(function(localIndex)
                if localIndex < 5 then counts[localIndex] = groupIndex end
            end)
            phases:run(function(localIndex)
                if localIndex < #limit then
                    counts[localIndex] = counts[localIndex] + limit[localIndex + 1]
                end
            end)
            phases:run(function(localIndex)
                output[groupIndex * 33 + localIndex + 1] = counts[localIndex]
            end)
            phases:run(function(localIndex)
                if localIndex == 2 and groupIndex < #third then
                    third[groupIndex + 1] = counts[localIndex + 1]
                end
            end)
        end)
    end
}

/// Runs a check in each width that the machine has. Widths are forced for the whole process.
fn in_each_width(check: impl Fn()) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME.lock();
    for width in testing::widths() {
        testing::force(Some(width));
        check();
    }
    testing::force(None);
    drop(guard);
}

fn floats(seed: u64, len: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len)
        .map(|_| random.below(2_000_001) as f32 / 1e4 - 100.0)
        .collect()
}

fn bits(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|x| x.to_bits()).collect()
}

/// Groups for none, one, a few, and for several parts of an odd length.
const GROUPS: [usize; 6] = [0, 1, 2, 3, 64, 8193];

fn tree(mut slots: Vec<f32>) -> f32 {
    while slots.len() > 1 {
        let (below, above) = slots.split_at(slots.len() / 2);
        slots = below.iter().zip(above).map(|(a, b)| a + b).collect();
    }
    slots[0]
}

#[test]
fn a_tree_over_groups_of_which_some_are_not_whole() {
    in_each_width(|| {
        for groups in GROUPS {
            for (less, shorter) in [(0, 0), (1, 0), (5, 70), (0, 1)] {
                let len = (groups * 64_usize).saturating_sub(less);
                let left = floats(1, len);
                let right = floats(2, len.saturating_sub(shorter));
                let product = |i: usize| match (left.get(i), right.get(i)) {
                    (Some(a), Some(b)) => a * b,
                    _ => 0.0,
                };
                let expected: Vec<f32> = (0..len.div_ceil(64))
                    .map(|group| tree((0..64).map(|lane| product(group * 64 + lane)).collect()))
                    .collect();
                for form in [products, products::cpu_parallel] {
                    let mut sums = vec![f32::NAN; expected.len()];
                    form(&mut sums, &left, &right).expect("there is no guard");
                    assert_eq!(bits(&sums), bits(&expected), "{len}, {shorter}");
                }
            }
        }
    });
}

#[test]
fn a_cursor_that_wraps_is_met_lane_by_lane() {
    in_each_width(|| {
        for (len, inputs) in [(0, 9), (32, 9), (33, 100), (64, 64), (300_001, 300_001)] {
            let input: Vec<u32> = (0..inputs).map(|i| i * 3 + 1).collect();
            for first in [0, 1, 31, u32::MAX, u32::MAX - 15, u32::MAX - 40] {
                let expected: Vec<u32> = (0..len)
                    .map(|i: u32| {
                        let cursor = first.wrapping_add(i / 32 * 32 + 31 - i % 32);
                        input.get(cursor as usize).copied().unwrap_or(7)
                    })
                    .collect();
                for form in [turned, turned::cpu_parallel] {
                    let mut output = vec![99; len as usize];
                    form(&mut output, &input, first).expect("there is no guard");
                    assert_eq!(output, expected, "{len}, {inputs}, {first}");
                }
            }
        }
    });
}

#[test]
fn structs_from_span_to_span() {
    in_each_width(|| {
        for groups in GROUPS {
            let input: Vec<Pair> = floats(3, 8 * groups)
                .iter()
                .map(|&a| Pair { a, b: a + 0.5 })
                .collect();
            for missing in [0, 3] {
                let input = &input[..input.len().saturating_sub(missing)];
                let kept = Pair { a: 1.0, b: 2.0 };
                let mut expected = vec![kept; 20 * groups + 19];
                for (i, pair) in input.iter().enumerate() {
                    expected[i / 8 * 20 + i % 8] = Pair {
                        a: pair.b * 0.75,
                        b: pair.a,
                    };
                }
                for form in [swapped, swapped::cpu_parallel] {
                    let mut output = vec![kept; expected.len()];
                    form(&mut output, input, 0.75).expect("there is no guard");
                    for (i, (got, right)) in output.iter().zip(&expected).enumerate() {
                        assert_eq!(
                            bits(&[got.a, got.b]),
                            bits(&[right.a, right.b]),
                            "{groups}, {i}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn phases_of_few_lanes() {
    in_each_width(|| {
        for groups in GROUPS {
            for limits in [0_u32, 1, 32, 33, 40] {
                let limit: Vec<u32> = (0..limits).map(|i| 1000 * (i + 1)).collect();
                let count = |group: u32, lane: u32| {
                    let begun = if lane < 5 { group } else { 1 };
                    begun + limit.get(lane as usize).copied().unwrap_or(0)
                };
                let numbers = 0..groups as u32;
                let expected: Vec<u32> = numbers
                    .clone()
                    .flat_map(|group| (0..33).map(move |lane| (group, lane)))
                    .map(|(group, lane)| count(group, lane))
                    .collect();
                let thirds: Vec<u32> = numbers.map(|group| count(group, 3)).collect();
                for form in [few, few::cpu_parallel] {
                    let mut output = vec![0; 33 * groups + 32];
                    let mut third = vec![0; groups];
                    form(&mut output, &mut third, &limit).expect("there is no guard");
                    assert_eq!(output[..33 * groups], expected, "{groups}, {limits}");
                    assert_eq!(output[33 * groups..], [0; 32]);
                    assert_eq!(third, thirds, "{groups}, {limits}");
                }
            }
        }
    });
}
