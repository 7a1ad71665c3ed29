//! Controllers: `if`, `while` and `for` around phases, decided by uniforms, group numbers and loads.

use crate::harness::{Case, floats, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function tiles(exclusive output: span.WriteSpan<float>, inner: uint32): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 8), 8, function(groupIndex, phases)
            local sums = phases:scratch(0.0, 8)
            local last = phases:scratch(0.0, 8)
            for tile = 0, inner - 1 do
                phases:run(function(localIndex)
                    last[localIndex] = f32.fromU32(localIndex + tile)
                end)
                phases:run(function(localIndex)
                    sums[localIndex] = sums[localIndex] + last[7 - localIndex]
                end)
            end
            phases:run(function(localIndex)
                output[groupIndex * 8 + localIndex + 1] = sums[localIndex] + last[u32.mod(localIndex + 1, 8)]
            end)
        end)
    end

    @aot(target = "gpu")
    local function choices(
        exclusive output: span.WriteSpan<float>,
        borrows turns: span.Span<uint32>,
        limit: uint32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 8), 8, function(groupIndex, phases)
            local values = phases:scratch(1.0, 8)
            local wanted: uint32 = 0
            if groupIndex < #turns then
                wanted = turns[groupIndex + 1]
            end
            local done: uint32 = 0
            while done < wanted do
                if done == limit then break end
                done = done + 1
                if u32.mod(done, 3) == 0 then
                    phases:reduceSum(values)
                    continue
                end
                phases:run(function(localIndex)
                    values[localIndex] = values[localIndex] + f32.fromU32(localIndex * done)
                end)
            end
            if done > 2 then
                phases:run(function(localIndex)
                    values[localIndex] = values[localIndex] * 2.0
                end)
            elseif done == 1 then
                phases:inclusiveScan(values)
            end
            phases:run(function(localIndex)
                output[groupIndex * 8 + localIndex + 1] = values[7 - localIndex]
            end)
        end)
    end

    @aot(target = "gpu")
    local function doubled(exclusive output: span.WriteSpan<float>, count: int32): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)
            local values = phases:scratch(0.0, 4)
            phases:run(function(localIndex)
                values[localIndex] = f32.fromU32(groupIndex * 4 + localIndex)
            end)
            for turn = 1, count do
                phases:reduce(values, function(a, b) return a * 0.5 + b end)
                phases:run(function(localIndex)
                    values[localIndex] = values[localIndex] + f32.fromI32(turn)
                end)
            end
            phases:run(function(localIndex)
                output[groupIndex * 4 + localIndex + 1] = values[localIndex]
            end)
        end)
    end
}

fn tiled(inner: usize) -> Vec<f32> {
    let one = |lane: usize| {
        let sum = (0..inner).fold(0.0, |sum, tile| sum + (7 - lane + tile) as f32);
        let next = (lane + 1) % 8;
        sum + if inner == 0 {
            0.0
        } else {
            (next + inner - 1) as f32
        }
    };
    (0..24).map(|i| one(i % 8)).collect()
}

#[test]
fn case_45_a_loop_over_tiles() {
    for inner in [0, 1, 2, 7] {
        Case::new(kernel!(tiles: w f32, u u32))
            .spans([vec![9; 24]])
            .uniforms([inner])
            .gives(0, floats(&tiled(inner as usize)));
    }
}

fn chosen(wanted: u32, limit: u32) -> Vec<f32> {
    let mut values = vec![1.0_f32; 8];
    let done = wanted.min(limit);
    for turn in 1..=done {
        if turn % 3 == 0 {
            values = super::fold(&values, |a, b| a + b);
        } else {
            for (lane, value) in values.iter_mut().enumerate() {
                *value += (lane as u32 * turn) as f32;
            }
        }
    }
    if done > 2 {
        values.iter_mut().for_each(|value| *value *= 2.0);
    } else if done == 1 {
        for lane in 1..8 {
            values[lane] += values[lane - 1];
        }
    }
    values.reverse();
    values
}

#[test]
fn choices_of_the_controller() {
    let turns = [0, 1, 2, 3, 4, 9];
    for limit in [0, 1, 3, 100] {
        let expected: Vec<f32> = turns
            .iter()
            .chain(&[0])
            .flat_map(|&turns| chosen(turns, limit))
            .collect();
        Case::new(kernel!(choices: w f32, r u32, u u32))
            .spans([vec![9; 56], turns.to_vec()])
            .uniforms([limit])
            .gives(0, floats(&expected));
    }
}

#[test]
fn trees_in_a_counted_loop() {
    for count in [-1, 0, 1, 3] {
        let group = |group: usize| {
            let mut values: Vec<f32> = (0..4).map(|lane| (group * 4 + lane) as f32).collect();
            for turn in 1..=count {
                values = super::fold(&values, |a, b| a * 0.5 + b);
                values.iter_mut().for_each(|value| *value += turn as f32);
            }
            values
        };
        let expected: Vec<f32> = (0..5).flat_map(group).collect();
        Case::new(kernel!(doubled: w f32, u i32))
            .spans([vec![9; 20]])
            .uniforms([count])
            .gives(0, floats(&expected));
    }
}

pub fn samples() -> Vec<Case> {
    vec![
        Case::new(kernel!(tiles: w f32, u u32))
            .spans([vec![0; 24]])
            .uniforms([3]),
        Case::new(kernel!(choices: w f32, r u32, u u32))
            .spans([vec![0; 56], vec![0, 1, 2, 3, 4, 9]])
            .uniforms([7]),
        Case::new(kernel!(doubled: w f32, u i32))
            .spans([vec![0; 20]])
            .uniforms([3]),
    ]
}
