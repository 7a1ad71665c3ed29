//! Groups of every size at which a block of lanes, a subgroup or a tree could go wrong: a neighbour's
//! slot after a boundary, and a tree over an array that is longer or shorter than the group.

use crate::harness::{Case, floats, kernel};
use nupp::nupp;

macro_rules! sized {
    ($name:ident, $size:tt, $count:tt) => {
        nupp! {
            @aot(target = "gpu")
            local function $name(
                exclusive output: span.WriteSpan<float>,
                exclusive sums: span.WriteSpan<uint32>,
                borrows input: span.Span<float>
            ): nil
                assert(#output == #input)
                local groups = u32.div(u32.wrap(#input), $size)
                gpu.workgroups(groups, $size, function(groupIndex, phases)
                    local values = phases:scratch(0.0, $size)
                    local numbers = phases:scratch(u32.wrap(0), $count)
                    phases:run(function(localIndex)
                        values[localIndex] = input[groupIndex * $size + localIndex + 1]
                        numbers[localIndex] = localIndex + 1
                    end)
                    phases:reduceSum(numbers)
                    phases:run(function(localIndex)
                        local next = u32.mod(localIndex + 1, $size)
                        output[groupIndex * $size + localIndex + 1] = values[next]
                        if localIndex == 0 and groupIndex < #sums then
                            sums[groupIndex + 1] = numbers[0]
                        end
                    end)
                end)
            end
        }
    };
}

sized!(lanes_1, 1, 1);
sized!(lanes_2, 2, 2);
sized!(lanes_8, 8, 8);
sized!(lanes_31, 31, 32);
sized!(lanes_32, 32, 32);
sized!(lanes_33, 33, 64);
sized!(lanes_64, 64, 64);
sized!(lanes_128, 128, 128);
sized!(lanes_255, 255, 256);
sized!(lanes_256, 256, 256);

pub fn samples() -> Vec<Case> {
    [
        (kernel!(lanes_1: w f32, w u32, r f32), 1),
        (kernel!(lanes_2: w f32, w u32, r f32), 2),
        (kernel!(lanes_8: w f32, w u32, r f32), 8),
        (kernel!(lanes_31: w f32, w u32, r f32), 31),
        (kernel!(lanes_32: w f32, w u32, r f32), 32),
        (kernel!(lanes_33: w f32, w u32, r f32), 33),
        (kernel!(lanes_64: w f32, w u32, r f32), 64),
        (kernel!(lanes_128: w f32, w u32, r f32), 128),
        (kernel!(lanes_255: w f32, w u32, r f32), 255),
        (kernel!(lanes_256: w f32, w u32, r f32), 256),
    ]
    .into_iter()
    .map(|(runner, size)| {
        let len = 3 * size + size / 2;
        let input: Vec<f32> = (0..len).map(|i| (i * 17 + 3) as f32 * 0.1).collect();
        Case::new(runner).spans([vec![7; len], vec![7; 3], floats(&input)])
    })
    .collect()
}

#[test]
fn groups_of_every_size() {
    let sizes = [1_usize, 2, 8, 31, 32, 33, 64, 128, 255, 256];
    for (case, size) in samples().into_iter().zip(sizes) {
        let input = &case.spans[2];
        let mut expected = vec![7; input.len()];
        for i in 0..3 * size {
            expected[i] = input[i / size * size + (i % size + 1) % size];
        }
        let sum = (size * (size + 1) / 2) as u32;
        case.gives_all([expected, vec![sum; 3]]);
    }
}

#[test]
fn sums_of_the_first_numbers() {
    let sum = |size: u32| size * (size + 1) / 2;
    assert_eq!((sum(64), sum(256)), (2080, 32_896));
}
