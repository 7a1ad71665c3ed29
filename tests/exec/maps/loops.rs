//! Cases 4 to 6 and 42: every form of loop, and bounds that have side effects.

use super::ramp;
use crate::harness::{Case, floats, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function count_to(exclusive output: span.WriteSpan<float>, limit: uint32): nil
        for index = 1, #output do
            local cursor: uint32 = 0
            local sum: float = 0.0
            while cursor < limit do
                sum = sum + 1.0
                cursor = cursor + 1
            end
            output[index] = sum
        end
    end

    @aot(target = "gpu")
    local function count_down(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            local v = input[index]
            repeat
                local done = v <= 1.0
                if done then continue end
                v = v - 1.0
            until done
            output[index] = v
        end
    end

    @aot(target = "gpu")
    local function bounds(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        first: int32,
        last: int32
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            local low = first
            local high = last
            local counter: int32 = 0
            local from: int32 = 0
            local to: int32 = 0
            do
                counter = counter + 1
                from = low
            end
            do
                low = 1000
                counter = counter + 10
                to = high
            end
            local total = input[index]
            for turn = from, to do
                total = total + 1.0
                high = 0
            end
            if counter == 11 and low == 1000 then
                total = total + 1000.0
            end
            output[index] = total
        end
    end

    @aot(target = "gpu")
    local function counted(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        first: int32,
        last: int32
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            local total = input[index]
            for turn = first, last do
                total = total + 1.0
                if turn < 0 then total = total + 100.0 end
                if turn == 2147483647 then total = total + 1000.0 end
                turn = 99
            end
            output[index] = total
        end
    end
}

#[test]
fn case_04_while() {
    for limit in [0, 1, 7, 100] {
        Case::new(kernel!(count_to: w f32, u u32))
            .spans([vec![1; 257]])
            .uniforms([limit])
            .gives(0, vec![(limit as f32).to_bits(); 257]);
    }
}

#[test]
fn case_05_repeat() {
    let input: Vec<f32> = (0..257).map(|i| (i % 60) as f32 - 3.0).collect();
    let expected = input
        .iter()
        .map(|&v| if v >= 1.0 { 1.0 } else { v })
        .collect::<Vec<f32>>();
    Case::new(kernel!(count_down: w f32, r f32))
        .spans([vec![0; 257], floats(&input)])
        .gives(0, floats(&expected));
}

#[test]
fn case_06_bounds_with_side_effects() {
    for (first, last, added) in [(1, 4, 1004.0), (3, 2, 1000.0)] {
        let expected: Vec<f32> = ramp(257).iter().map(|x| x + added).collect();
        Case::new(kernel!(bounds: w f32, r f32, u i32, u i32))
            .spans([vec![0; 257], floats(&ramp(257))])
            .uniforms([first, last])
            .gives(0, floats(&expected));
    }
}

#[test]
fn case_42_counted_loop() {
    let max = i32::MAX;
    for (first, last, added) in [
        (1, 4, 4.0),
        (0, 0, 1.0),
        (3, 2, 0.0),
        (-2, 1, 204.0),
        (max - 2, max, 1003.0),
        (i32::MIN, i32::MIN, 101.0),
    ] {
        let expected: Vec<f32> = ramp(257).iter().map(|x| x + added).collect();
        Case::new(kernel!(counted: w f32, r f32, u i32, u i32))
            .spans([vec![0; 257], floats(&ramp(257))])
            .uniforms([first, last])
            .gives(0, floats(&expected));
    }
}

nupp! {
    @aot(target = "gpu")
    local function wrapped(exclusive output: span.WriteSpan<float>, at: uint32, last: int32): nil
        for index = 1, #output do
            local below: float = 0.0
            for i = 2147483647, 2147483647 do
                if i + 1 <= at then below = below + 1.0 end
            end
            for i = 0, last do
                if i - 1 < at then below = below + 10.0 end
                if i + 2147483647 <= at then below = below + 100.0 end
                if (i - 1) >> 1 <= at then below = below + 1000.0 end
            end
            output[index] = below
        end
    end
}

/// A counted loop's variable is int32, and so are sums of it: they wrap to negative numbers, which
/// are below every uint32.
#[test]
fn sums_of_a_loop_variable_are_int32() {
    for (at, last, expected) in [
        (3_u32, 2_i32, 3231.0_f32),
        (0, 1, 2111.0),
        (u32::MAX, 0, 1111.0),
    ] {
        Case::new(kernel!(wrapped: w f32, u u32, u i32))
            .spans([vec![0; 65]])
            .uniforms([at, last as u32])
            .gives(0, floats(&[expected; 65]));
    }
}
