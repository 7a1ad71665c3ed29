//! Conversions through the macro on every executor, against definitions of others: Rust's casts, the
//! `half` crate, and binary64. All patterns of 16 bits and some of every exponent; `NUPP_EXHAUSTIVE=1` takes
//! all 2^32 words through the CPU function in every width as well.

use super::{blank, every_input};
use crate::harness::{Case, Runner, in_width, kernel};
use half::{bf16, f16};
use nupp::nupp;
use nupp_testkit::compare::difference;
use nupp_testkit::inputs::FLOATS;

nupp! {
    @aot(target = "gpu")
    local function to_halves(
        exclusive output: span.WriteSpan<uint32>,
        borrows x: span.Span<uint32>
    ): nil
        assert(#x == #output)
        for index = 1, #output do
            local value = f32.fromBits(x[index])
            local low, high = f32.toF16Bits(value), f32.toBF16Bits(value)
            output[index] = u32.orBits(low, u32.shiftLeft(high, 16))
        end
    end

    @aot(target = "gpu")
    local function from_halves(
        exclusive binary16: span.WriteSpan<float>,
        exclusive bfloat16: span.WriteSpan<float>,
        borrows x: span.Span<uint32>
    ): nil
        assert(#x == #binary16 and #bfloat16 == #binary16)
        for index = 1, #binary16 do
            binary16[index] = f32.fromF16Bits(x[index])
            bfloat16[index] = f32.fromBF16Bits(x[index])
        end
    end

    @aot(target = "gpu")
    local function to_integers(
        exclusive wrapped: span.WriteSpan<uint32>,
        exclusive signed_wrapped: span.WriteSpan<int32>,
        exclusive saturated: span.WriteSpan<uint32>,
        exclusive signed_saturated: span.WriteSpan<int32>,
        borrows x: span.Span<uint32>
    ): nil
        assert(#x == #wrapped and #signed_wrapped == #wrapped)
        assert(#saturated == #wrapped and #signed_saturated == #wrapped)
        for index = 1, #wrapped do
            local value = f32.fromBits(x[index])
            wrapped[index] = u32.wrap(value)
            signed_wrapped[index] = i32.wrap(value)
            saturated[index] = u32.saturate(value)
            signed_saturated[index] = i32.saturate(value)
        end
    end

    @aot(target = "gpu")
    local function from_integers(
        exclusive unsigned: span.WriteSpan<float>,
        exclusive signed: span.WriteSpan<float>,
        borrows x: span.Span<uint32>
    ): nil
        assert(#x == #unsigned and #signed == #unsigned)
        for index = 1, #unsigned do
            unsigned[index] = f32.fromU32(x[index])
            signed[index] = f32.fromI32(i32.wrap(x[index]))
        end
    end
}

fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        0x7fc0_0000
    } else {
        value.to_bits()
    }
}

fn right_to_halves(word: u32) -> [u32; 1] {
    let value = f32::from_bits(word);
    if value.is_nan() {
        return [0x7fc0_7e00];
    }
    let (low, high) = (f16::from_f32(value), bf16::from_f32(value));
    [u32::from(low.to_bits()) | u32::from(high.to_bits()) << 16]
}

/// Upper bits of the word are no part of it.
fn right_from_halves(word: u32) -> [u32; 2] {
    let bits = word as u16;
    [
        canonical(f16::from_bits(bits).to_f32()),
        canonical(bf16::from_bits(bits).to_f32()),
    ]
}

fn right_to_integers(word: u32) -> [u32; 4] {
    let value = f32::from_bits(word);
    // Exact in binary64: a float is, and so is the remainder of one.
    let wrapped = f64::from(value)
        .round_ties_even()
        .rem_euclid(4_294_967_296.0) as u64 as u32;
    let wrapped = if value.is_finite() { wrapped } else { 0 };
    [wrapped, wrapped, value as u32, value as i32 as u32]
}

fn right_from_integers(word: u32) -> [u32; 2] {
    [(word as f32).to_bits(), (word as i32 as f32).to_bits()]
}

/// The lists of the results of each output.
fn outputs<const N: usize>(x: &[u32], right: impl Fn(u32) -> [u32; N]) -> Vec<Vec<u32>> {
    let of_one = |n: usize| x.iter().map(|&word| right(word)[n]).collect();
    (0..N).map(of_one).collect()
}

/// All 16-bit patterns, edges with their neighbours, and some of every exponent.
fn words() -> Vec<u32> {
    let near = FLOATS
        .iter()
        .flat_map(|x| [x.wrapping_sub(1), *x, x.wrapping_add(1)]);
    let all = (0..1 << 16).chain((0..1 << 16).map(|high| high << 16 | 0x8000));
    all.chain(near)
        .chain((0..=u32::MAX).step_by(1_000_003))
        .collect()
}

/// A case of a kernel, and what its outputs must be.
fn case<const N: usize>(
    runner: Runner,
    x: Vec<u32>,
    right: impl Fn(u32) -> [u32; N],
) -> (Case, Vec<Vec<u32>>) {
    let expected = outputs(&x, right);
    let blanks = expected.iter().map(|words| blank(words.len()));
    let spans: Vec<Vec<u32>> = blanks.chain([x]).collect();
    (Case::new(runner).spans(spans), expected)
}

fn check<const N: usize>(kernel: impl Fn() -> Runner, right: impl Fn(u32) -> [u32; N] + Sync) {
    let (all, expected) = case(kernel(), words(), &right);
    all.large().gives_all(expected);
    // As many as interpreters take in a moment.
    let some = words().into_iter().step_by(67).collect();
    let (some, expected) = case(kernel(), some, &right);
    some.gives_all(expected);
    if !every_input::asked_for() {
        return;
    }
    let runner = kernel();
    for width in every_input::widths() {
        let name = format!("{} on the CPU in {width}", runner.spec.name);
        let part = |first: u32| {
            let x: Vec<u32> = every_input::part(first).collect();
            let expected = outputs(&x, &right);
            let mut spans = vec![blank(x.len()); N];
            spans.push(x);
            (runner.cpu)(&mut spans, &[]).expect("one length");
            for (expected, given) in expected.iter().zip(&spans) {
                assert_eq!(difference(expected, given), None, "{name}, from {first:#x}");
            }
        };
        in_width(width, || every_input::in_parts(part));
        eprintln!("{name}: all inputs");
    }
}

#[test]
fn floats_to_halves() {
    check(|| kernel!(to_halves: w u32, r u32), right_to_halves);
}

#[test]
fn halves_to_floats() {
    check(
        || kernel!(from_halves: w f32, w f32, r u32),
        right_from_halves,
    );
}

#[test]
fn floats_to_integers() {
    check(
        || kernel!(to_integers: w u32, w i32, w u32, w i32, r u32),
        right_to_integers,
    );
}

#[test]
fn integers_to_floats() {
    check(
        || kernel!(from_integers: w f32, w f32, r u32),
        right_from_integers,
    );
}
