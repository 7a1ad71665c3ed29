//! What the macro's items do on the CPU besides computing: errors, widths, threads.

// What the macro writes into a crate is held to the crate's own rule.
#![forbid(unsafe_code)]

use gpu_kernels::{KernelError, ScatterError};
use nupp_testkit::alone;

gpu_kernels::nupp! {
    @aot
    local function at_least_one(
        exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>, factor: float
    ): nil
        assert(#output == #input)
        assert(factor >= 1.0, "the factor is below one")
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function moved_to(
        exclusive output: span.WriteSpan<uint32>, borrows places: span.Span<uint32>,
        exclusive moved: span.WriteSpan<uint32>
    ): nil
        assert(#output == #places)
        for index = 1, #output do
            local to = places[index]
            output[index] = to
            if to < #moved then moved:scatter(to + 1, index) end
        end
    end

    @aot(target = "gpu")
    local function turns(
        exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            local x = input[index]
            local turn: uint32 = 0
            while x > 1.0 and turn < 40 do
                x = x * 0.5
                turn = turn + 1
            end
            output[index] = x
        end
    end

    @aot(target = "gpu")
    local function doubled_in_place(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>): nil
        for index = 1, #output do
            local x = output[index]
            if index < #table then x = x + table[index + 1] end
            output[index] = x + x
        end
    end
}

#[test]
fn a_guard_over_scalars_holds_on_the_cpu() {
    let mut output = [0.0; 2];
    at_least_one(&mut output, &[1.0, 2.0], 3.0).expect("the guards hold");
    assert_eq!(output, [3.0, 6.0]);
    for factor in [0.5, f32::NAN] {
        let error = at_least_one(&mut output, &[1.0, 2.0], factor).expect_err("below one");
        let KernelError::Guard(guard) = error else {
            panic!("{error:?}")
        };
        assert_eq!(guard.message, Some("the factor is below one"));
        assert_eq!(output, [3.0, 6.0]);
    }
}

#[test]
fn lanes_that_scatter_to_one_element_are_an_error() {
    let (mut output, mut moved) = ([0; 4], [0; 3]);
    moved_to(&mut output, &[2, 9, 0, 1], &mut moved).expect("no two meet");
    assert_eq!(moved, [3, 4, 1]);
    let error = moved_to(&mut output, &[2, 0, 9, 2], &mut moved);
    let Err(KernelError::Scatter(ScatterError {
        span,
        slot,
        first,
        second,
        ..
    })) = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((span, slot, first, second), ("moved", 2, 0, 3));
}

#[test]
fn threads_give_the_same_bits() {
    let input: Vec<f32> = (0..100_003).map(|i| i as f32 * 1.7 - 50.0).collect();
    let (mut serial, mut threads) = (vec![0.0; input.len()], vec![0.0; input.len()]);
    turns(&mut serial, &input).expect("the guards hold");
    turns::cpu_parallel(&mut threads, &input).expect("the guards hold");
    let bits = |floats: &[f32]| floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&serial), bits(&threads));
    let expected: Vec<f32> = input
        .iter()
        .map(|&x| (0..40).fold(x, |x, _| if x > 1.0 { x * 0.5 } else { x }))
        .collect();
    assert_eq!(bits(&serial), bits(&expected));
}

#[test]
fn an_element_that_is_read_and_written_is_written_once() {
    for len in [1_u16, 15, 16, 31, 32, 33, 70] {
        let mut output: Vec<f32> = (0..len).map(f32::from).collect();
        let table: Vec<f32> = (0..40_u16).map(f32::from).collect();
        doubled_in_place(&mut output, &table).expect("there is no guard");
        for (i, (&x, own)) in output.iter().zip(0..len).enumerate() {
            let more = if i + 1 < table.len() {
                table[i + 1]
            } else {
                0.0
            };
            assert_eq!(
                x.to_bits(),
                (2.0 * (f32::from(own) + more)).to_bits(),
                "{len}, {i}"
            );
        }
    }
}

/// The width is chosen once a process, so the refusal is looked at in another one.
#[test]
fn a_width_that_is_not_there_is_an_error() {
    if alone::is("a_width_that_is_not_there_is_an_error") {
        let error = at_least_one(&mut [0.0], &[1.0], 1.0).expect_err("there is no such width");
        assert!(
            error
                .to_string()
                .starts_with("NUPP_CPU=sse9 is not available here"),
            "{error}"
        );
        return;
    }
    alone::run(
        "a_width_that_is_not_there_is_an_error",
        "",
        &[("NUPP_CPU", "sse9")],
    );
}
