//! The kernels of `examples/transformer`, each alone: at lengths that fill a group and at odd ones, against
//! the same steps in Rust.

#[path = "../../../examples/transformer/kernels.rs"]
mod kernels;

use super::fold;
use crate::harness::{Case, Words, floats, kernel};
use kernels::{HEAD, activate, attend, choose, embed, norm};
use nupp_core::math::Function;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::Lcg;

/// A function of the library, correctly rounded.
fn apply(function: Function, x: f32) -> f32 {
    f32::from_bits(function.apply([x.to_bits(); 2]))
}

/// Numbers from -4 to 4.
fn noise(len: usize) -> Vec<f32> {
    let values = Lcg::default().map(|s| (s / 268_435_456.0 - 4.0) as f32);
    values.take(len).collect()
}

#[test]
fn a_token_picks_its_row() {
    let (rows, columns) = (7, 13);
    let bytes: Vec<u8> = (0..rows * 16).map(|at| (at * 37 + 11) as u8).collect();
    let words: Words = bytes
        .chunks(4)
        .map(|four| four.iter().rfold(0, |word, b| word << 8 | u32::from(*b)))
        .collect();
    let (scales, zeros) = (noise(rows), [3, -128, 127, 0, -5, 77, i32::MIN]);
    let zero_words: Words = zeros.iter().map(|&zero| zero as u32).collect();
    for token in [0, 3, 6, 7, u32::MAX] {
        let row = token as usize;
        let one = |column: usize| {
            let q = i32::from(bytes[row * 16 + column] as i8);
            q.wrapping_sub(zeros[row]) as f32 * scales[row]
        };
        // Past the table there is nothing.
        let expected: Vec<f32> = match row < rows {
            true => (0..columns).map(one).collect(),
            false => vec![0.0; columns],
        };
        Case::new(kernel!(embed: w f32, r u32, r f32, r i32, r u32))
            .spans([
                vec![9; columns],
                vec![token],
                floats(&scales),
                zero_words.clone(),
                words.clone(),
            ])
            .gives(0, floats(&expected));
    }
}

fn normed(input: &[f32], gain: &[f32]) -> Vec<f32> {
    let mut squares = [0.0; 64];
    for (at, x) in input.iter().enumerate() {
        squares[at % 64] += x * x;
    }
    let sum = fold(&squares, |a, b| a + b)[0];
    let factor = apply(Function::Rsqrt, sum / input.len() as f32 + 0.00001);
    let pairs = input.iter().zip(gain);
    pairs.map(|(x, gain)| x * factor * gain).collect()
}

#[test]
fn norms_of_every_length() {
    for len in [1, 63, 64, 65, 131, 255, 256] {
        let all = noise(2 * len);
        let (input, gain) = all.split_at(len);
        let expected = floats(&normed(input, gain));
        if len == 255 {
            assert_eq!(fnv1a(&expected), 0xdcb0_f748_34d2_a1f2);
        }
        Case::new(kernel!(norm: w f32, r f32, r f32))
            .spans([vec![9; len], floats(input), floats(gain)])
            .gives(0, expected);
    }
    let fault = norm(&mut [0.0; 257], &[1.0; 257], &[1.0; 257]).expect_err("too long");
    assert!(
        fault.to_string().contains("at most 256 elements"),
        "{fault}"
    );
}

fn attended(cache: &[f32], width: usize) -> Vec<f32> {
    let tokens = cache.len() / (3 * width);
    let at = |token: usize, part: usize, element: usize| {
        cache[token * 3 * width + part * width + element]
    };
    let head = |head: usize| {
        let mut scores = [f32::MIN; 64];
        for (token, score) in scores.iter_mut().enumerate().take(tokens) {
            let mut sum = 0.0;
            for k in head * HEAD..(head + 1) * HEAD {
                sum += at(tokens - 1, 0, k) * at(token, 1, k);
            }
            *score = sum * apply(Function::Rsqrt, HEAD as f32);
        }
        let best = scores.iter().copied().fold(f32::MIN, f32::max);
        let mut weights = [0.0; 64];
        for (weight, score) in weights.iter_mut().zip(scores).take(tokens) {
            *weight = apply(Function::Exp, score - best);
        }
        let total = fold(&weights, |a, b| a + b)[0];
        let element = move |k: usize| {
            let mut sum = 0.0;
            for (token, weight) in weights.iter().enumerate().take(tokens) {
                sum += weight * at(token, 2, head * HEAD + k);
            }
            sum / total
        };
        (0..HEAD).map(element).collect::<Vec<f32>>()
    };
    (0..width / HEAD).flat_map(head).collect()
}

#[test]
fn attention_over_one_token_to_all() {
    for (heads, tokens) in [(1, 1), (1, 2), (3, 7), (5, 19), (2, 63), (1, 64)] {
        let width = heads * HEAD;
        let cache = noise(tokens * 3 * width);
        let expected = floats(&attended(&cache, width));
        if heads == 5 {
            assert_eq!(fnv1a(&expected), 0x6fd2_b5e0_304f_adc5);
        }
        Case::new(kernel!(attend: w f32, r f32))
            .spans([vec![9; width], floats(&cache)])
            .gives(0, expected);
    }
    let fault = attend(&mut [0.0; HEAD], &[0.0; 65 * 3 * HEAD]).expect_err("too many");
    assert!(fault.to_string().contains("at most 64 tokens"), "{fault}");
}

#[test]
fn the_activation_is_in_place() {
    let values = noise(131);
    let each = |x: &f32| x * apply(Function::Sigmoid, *x);
    let expected = floats(&values.iter().map(each).collect::<Vec<f32>>());
    assert_eq!(fnv1a(&expected), 0xc207_7693_d8d7_2163);
    Case::new(kernel!(activate: w f32))
        .spans([floats(&values)])
        .gives(0, expected);
}

#[test]
fn the_first_of_the_greatest_is_chosen() {
    let mut logits = noise(97);
    let greatest = logits.iter().copied().fold(f32::MIN, f32::max);
    let first = logits.iter().position(|x| *x == greatest).expect("one is") as u32;
    let chosen = |logits: &[f32], token: u32| {
        Case::new(kernel!(choose: w u32, r f32))
            .spans([vec![9], floats(logits)])
            .gives(0, vec![token]);
    };
    chosen(&logits, first);
    // The same value later, in the same lane and in others, and a NaN, which is never chosen.
    logits.resize(300, greatest);
    logits[1] = f32::NAN;
    chosen(&logits, first);
    chosen(&[-1.5], 0);
    chosen(&[-1.5, -0.5, -0.5], 1);
    chosen(&[f32::NAN, f32::NEG_INFINITY, 0.0], 2);
}

pub fn samples() -> Vec<Case> {
    let cache = floats(&noise(7 * 3 * 2 * HEAD));
    let [input, gain] = [floats(&noise(65)), floats(&noise(65))];
    vec![
        Case::new(kernel!(norm: w f32, r f32, r f32)).spans([vec![9; 65], input, gain]),
        Case::new(kernel!(attend: w f32, r f32)).spans([vec![9; 2 * HEAD], cache]),
        Case::new(kernel!(choose: w u32, r f32)).spans([vec![9], floats(&noise(97))]),
    ]
}
