//! Products of matrices of four-bit and eight-bit integers with vectors: the kernels of
//! `examples/quantized`.

#[path = "../../../examples/quantized/eight_bits.rs"]
mod eight_bits;
#[path = "../../../examples/quantized/four_bits.rs"]
mod four_bits;
#[path = "../../../examples/quantized/rows.rs"]
mod rows;

use super::fold;
use crate::harness::{Case, Words, floats, kernel};
use crate::maps::gate;
use eight_bits::{eight_bit_rows, words};
use four_bits::{four_bit_rows, nibbles};
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::{FLOATS, INTEGERS};
use rows::{Rows, noise};

/// What the kernels with `each` integers a word give, with a residual or an empty one.
fn products(rows: &Rows, each: usize, input: &[f32], residual: &[f32]) -> Words {
    let row = |(r, integers): (usize, &[i8])| {
        let mut lanes = [0.0_f32; 64];
        for (column, q) in integers.iter().enumerate() {
            let weight = i32::from(*q).wrapping_sub(rows.zeros[r]) as f32 * rows.scales[r];
            lanes[column / each % 64] += weight * input[column];
        }
        let sum = fold(&lanes, |a, b| a + b)[0];
        gate(residual.get(r).map_or(sum, |more| sum + more))
    };
    rows.values
        .chunks(rows.columns)
        .enumerate()
        .map(row)
        .collect()
}

fn integers(values: &[i32]) -> Words {
    values.iter().map(|&value| value as u32).collect()
}

fn four(rows: &Rows, input: &[f32]) -> Case {
    Case::new(kernel!(four_bit_rows: w f32, r f32, r i32, r u32, r f32)).spans([
        vec![7; rows.scales.len()],
        floats(&rows.scales),
        integers(&rows.zeros),
        nibbles(&rows.filled(8)),
        floats(input),
    ])
}

fn eight(rows: &Rows, input: &[f32], residual: &[f32]) -> Case {
    Case::new(kernel!(eight_bit_rows: w f32, r f32, r i32, r u32, r f32, r f32)).spans([
        vec![7; rows.scales.len()],
        floats(&rows.scales),
        integers(&rows.zeros),
        words(&rows.filled(4)),
        floats(input),
        floats(residual),
    ])
}

/// A matrix of noise in both widths, an input and a residual.
fn noisy(rows: usize, columns: usize) -> ([Rows; 2], Vec<f32>, Vec<f32>) {
    let mut state = 42.0;
    let mut take = |len: usize| (0..len).map(|_| noise(&mut state)).collect::<Vec<f32>>();
    let matrix = take(rows * columns);
    let quantized = [4, 8].map(|bits| Rows::quantize(&matrix, columns, bits));
    (quantized, take(columns), take(rows))
}

#[test]
fn case_28_four_bit_rows() {
    let rows = Rows {
        columns: 1024,
        scales: vec![0.03125; 1024],
        zeros: vec![0; 1024],
        values: (0..1024 * 1024).map(|k| (k % 16) as i8 - 8).collect(),
    };
    let input: Vec<f32> = (0..1024).map(|c| ((c % 31) as f32 - 15.0) / 16.0).collect();
    four(&rows, &input)
        .large()
        .gives(0, floats(&[910.0 / 1024.0; 1024]));
}

#[test]
fn rows_of_every_shape() {
    for (rows, columns) in [
        (1, 1),
        (3, 7),
        (2, 8),
        (1, 255),
        (2, 259),
        (5, 515),
        (1, 1003),
    ] {
        let ([narrow, wide], input, residual) = noisy(rows, columns);
        four(&narrow, &input).gives(0, products(&narrow, 8, &input, &[]));
        eight(&wide, &input, &residual).gives(0, products(&wide, 4, &input, &residual));
        eight(&wide, &input, &[]).gives(0, products(&wide, 4, &input, &[]));
    }
}

#[test]
fn many_odd_rows() {
    let ([narrow, wide], input, residual) = noisy(1021, 1003);
    let expected = products(&narrow, 8, &input, &[]);
    assert_eq!(fnv1a(&expected), 0x2372_17e4_79c0_51cc);
    four(&narrow, &input).large().gives(0, expected);
    let expected = products(&wide, 4, &input, &residual);
    assert_eq!(fnv1a(&expected), 0xf361_9119_e51d_a739);
    eight(&wide, &input, &residual).large().gives(0, expected);
}

/// Every integer under scales, zero points and factors that break arithmetic, a column a row.
#[test]
fn every_integer_at_every_edge() {
    for (bits, each) in [(4, 8), (8, 4)] {
        let all = -(1 << (bits - 1))..1 << (bits - 1);
        for (n, factor) in [1.0, -3.5, 1e-30, f32::MAX, f32::INFINITY]
            .into_iter()
            .enumerate()
        {
            let edge = |at: usize| (at * 7 + n * 5, at * 3 + n);
            let count = if bits == 4 { 160 } else { 256 };
            let values: Vec<i8> = all.clone().cycle().take(count).map(|q| q as i8).collect();
            let rows = Rows {
                columns: 1,
                scales: (0..count)
                    .map(|at| f32::from_bits(FLOATS[edge(at).0 % FLOATS.len()]))
                    .collect(),
                zeros: (0..count)
                    .map(|at| INTEGERS[edge(at).1 % INTEGERS.len()] as i32)
                    .collect(),
                values,
            };
            let expected = products(&rows, each, &[factor], &[]);
            match bits {
                4 => four(&rows, &[factor]).gives(0, expected),
                _ => eight(&rows, &[factor], &[]).gives(0, expected),
            }
        }
    }
}

/// What is quantised comes back within half a step, zero exactly, and integers keep their range.
#[test]
fn quantising_is_near() {
    for (bits, least, greatest) in [(4, -8, 7), (8, -128, 127)] {
        let mut state = 42.0;
        let mut matrix: Vec<f32> = (0..6 * 37).map(|_| noise(&mut state)).collect();
        matrix[37..74].fill(0.0);
        matrix[74..111].iter_mut().for_each(|x| *x += 5.0);
        matrix[111..148].iter_mut().for_each(|x| *x = -5.0 - *x);
        matrix[150] = 0.0;
        let rows = Rows::quantize(&matrix, 37, bits);
        for (at, (x, q)) in matrix.iter().zip(&rows.values).enumerate() {
            let (scale, zero) = (rows.scales[at / 37], rows.zeros[at / 37]);
            assert!((least..=greatest).contains(&i32::from(*q)));
            let back = f64::from(i32::from(*q) - zero) * f64::from(scale);
            let off = (back - f64::from(*x)).abs();
            // The zero point is rounded too, which may take the last integer of a range half a step off.
            assert!(off <= f64::from(scale) * 1.001, "{x} came back as {back}");
            assert!(*x != 0.0 || off == 0.0, "zero came back as {back}");
        }
    }
}

pub fn samples() -> Vec<Case> {
    let ([narrow, wide], input, residual) = noisy(2, 515);
    vec![four(&narrow, &input), eight(&wide, &input, &residual)]
}
