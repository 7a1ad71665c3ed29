//! Cases 7 to 9: integers, least and greatest, comparisons, shifts, signs and conversions at the edges
//! of their types.

use super::{NAN, Planted, blank, float_pairs, integer_pairs};
use crate::harness::{Case, kernel};
use nupp::nupp;
use nupp_testkit::inputs::FLOATS;

nupp! {
    @aot(target = "gpu")
    local function add_mask(
        exclusive output: span.WriteSpan<uint32>,
        borrows input: span.Span<uint32>,
        mask: uint32
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            output[index] = u32.add(u32.xorBits(input[index], mask), input[index])
        end
    end

    @aot(target = "gpu")
    local function divide(
        exclusive quotient: span.WriteSpan<uint32>,
        exclusive remainder: span.WriteSpan<uint32>,
        exclusive signed: span.WriteSpan<int32>,
        exclusive signed_remainder: span.WriteSpan<int32>,
        borrows a: span.Span<uint32>,
        borrows b: span.Span<uint32>
    ): nil
        assert(#quotient == #remainder and #signed == #quotient and #signed_remainder == #signed)
        assert(#a == #quotient and #b == #a)
        for index = 1, #quotient do
            quotient[index] = u32.div(a[index], b[index])
            remainder[index] = u32.mod(a[index], b[index])
            signed[index] = i32.div(i32.wrap(a[index]), i32.wrap(b[index]))
            signed_remainder[index] = i32.mod(i32.wrap(a[index]), i32.wrap(b[index]))
        end
    end
}

#[test]
fn case_07_integers() {
    let (a, b) = integer_pairs();
    let mask = 0x5a5a_0ff0;
    let expected = a.iter().map(|x| (x ^ mask).wrapping_add(*x)).collect();
    Case::new(kernel!(add_mask: w u32, r u32, u u32))
        .spans([vec![0; a.len()], a.clone()])
        .uniforms([mask])
        .gives(0, expected);

    let pairs = || a.iter().zip(&b).map(|(&a, &b)| (a, b));
    let signed = || pairs().map(|(a, b)| (a as i32, b as i32));
    let blank = || vec![0; a.len()];
    Case::new(kernel!(divide: w u32, w u32, w i32, w i32, r u32, r u32))
        .spans([blank(), blank(), blank(), blank(), a.clone(), b.clone()])
        .gives_all([
            pairs()
                .map(|(a, b)| a.checked_div(b).unwrap_or(0))
                .collect(),
            pairs()
                .map(|(a, b)| a.checked_rem(b).unwrap_or(0))
                .collect(),
            signed()
                .map(|(a, b)| if b == 0 { 0 } else { a.wrapping_div(b) as u32 })
                .collect(),
            signed()
                .map(|(a, b)| if b == 0 { 0 } else { a.wrapping_rem(b) as u32 })
                .collect(),
        ]);
}

nupp! {
    @aot(target = "gpu")
    local function extremes(
        exclusive least: span.WriteSpan<float>,
        exclusive greatest: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#least == #greatest and #greatest == #a and #a == #b)
        for index = 1, #least do
            least[index] = f32.min(a[index], b[index])
            greatest[index] = f32.max(a[index], b[index])
        end
    end

    @aot(target = "gpu")
    local function oddities(
        exclusive output: span.WriteSpan<uint32>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#output == #a and #b == #a)
        for index = 1, #output do
            local x = a[index]
            local y = b[index]
            local bits: uint32 = 0
            if x ~= x then bits = bits | 1 end
            if x ~= y then bits = bits | 2 end
            if x == y then bits = bits | 4 end
            if x < y then bits = bits | 8 end
            if x <= y then bits = bits | 16 end
            if x > y then bits = bits | 32 end
            if x >= y then bits = bits | 64 end
            if f32.isNaN(x) then bits = bits | 128 end
            if f32.isInf(x) then bits = bits | 256 end
            output[index] = bits
        end
    end

    @aot(target = "gpu")
    local function shifts(
        exclusive left: span.WriteSpan<uint32>,
        exclusive right: span.WriteSpan<uint32>,
        exclusive arithmetic: span.WriteSpan<int32>,
        borrows a: span.Span<uint32>,
        borrows b: span.Span<uint32>
    ): nil
        assert(#left == #right and #right == #arithmetic and #left == #a and #a == #b)
        for index = 1, #left do
            left[index] = a[index] << b[index]
            right[index] = a[index] >> b[index]
            arithmetic[index] = i32.wrap(a[index]) >> b[index]
        end
    end

    @aot(target = "gpu")
    local function signs(
        exclusive negated: span.WriteSpan<uint32>,
        exclusive magnitude: span.WriteSpan<uint32>,
        exclusive signed: span.WriteSpan<uint32>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#negated == #magnitude and #magnitude == #signed and #negated == #a and #a == #b)
        for index = 1, #negated do
            negated[index] = f32.toBits(-a[index])
            magnitude[index] = f32.toBits(f32.abs(a[index]))
            signed[index] = f32.toBits(f32.copySign(a[index], b[index]))
        end
    end

    @aot(target = "gpu")
    local function to_integers(
        exclusive saturated: span.WriteSpan<uint32>,
        exclusive saturated_signed: span.WriteSpan<int32>,
        exclusive wrapped: span.WriteSpan<uint32>,
        exclusive wrapped_signed: span.WriteSpan<int32>,
        borrows a: span.Span<float>
    ): nil
        assert(#saturated == #saturated_signed and #wrapped == #saturated and #wrapped_signed == #wrapped)
        assert(#saturated == #a)
        for index = 1, #saturated do
            saturated[index] = u32.saturate(a[index])
            saturated_signed[index] = i32.saturate(a[index])
            wrapped[index] = u32.wrap(a[index])
            wrapped_signed[index] = i32.wrap(a[index])
        end
    end
}

#[test]
fn case_08_min_and_max() {
    let (a, b) = float_pairs();
    let order = |bits: u32| {
        let key = bits as i32;
        key ^ (((key >> 31) as u32) >> 1) as i32
    };
    let choose = |less: bool| {
        let one = move |(&a, &b): (&u32, &u32)| match (
            f32::from_bits(a).is_nan() || f32::from_bits(b).is_nan(),
            order(a) < order(b),
        ) {
            (true, _) => NAN,
            (false, a_less) => {
                if a_less == less {
                    a
                } else {
                    b
                }
            }
        };
        a.iter().zip(&b).map(one).collect::<Vec<u32>>()
    };
    assert_eq!(choose(true)[1], 0x8000_0000, "min(+0, -0) is -0");
    let blank = vec![1; a.len()];
    Case::new(kernel!(extremes: w f32, w f32, r f32, r f32))
        .spans([blank.clone(), blank, a.clone(), b.clone()])
        .gives_all([choose(true), choose(false)]);
}

#[test]
fn case_09_comparisons() {
    let (a, b) = float_pairs();
    let expected = a.iter().zip(&b).map(|(&a, &b)| {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let tests = [
            x.is_nan(),
            x != y,
            x == y,
            x < y,
            x <= y,
            x > y,
            x >= y,
            x.is_nan(),
            x.is_infinite(),
        ];
        tests
            .iter()
            .enumerate()
            .map(|(bit, &is)| u32::from(is) << bit)
            .sum::<u32>()
    });
    let expected: Vec<u32> = expected.collect();
    Case::new(kernel!(oddities: w u32, r f32, r f32))
        .spans([vec![0; a.len()], a, b])
        .gives(0, expected);
}

#[test]
fn case_09_shifts() {
    let (a, b) = integer_pairs();
    let zip = || a.iter().zip(&b);
    let blank = vec![0; a.len()];
    Case::new(kernel!(shifts: w u32, w u32, w i32, r u32, r u32))
        .spans([blank.clone(), blank.clone(), blank, a.clone(), b.clone()])
        .gives_all([
            zip().map(|(a, b)| a << (b & 31)).collect(),
            zip().map(|(a, b)| a >> (b & 31)).collect(),
            zip()
                .map(|(&a, b)| ((a as i32) >> (b & 31)) as u32)
                .collect(),
        ]);
}

#[test]
fn case_09_signs() {
    let (a, b) = float_pairs();
    let keep = |bits: u32, then: u32| {
        if f32::from_bits(bits).is_nan() {
            NAN
        } else {
            then
        }
    };
    let sign = |bits: u32| {
        if f32::from_bits(bits).is_nan() {
            0
        } else {
            bits & 0x8000_0000
        }
    };
    let blank = vec![0; a.len()];
    Case::new(kernel!(signs: w u32, w u32, w u32, r f32, r f32))
        .spans([blank.clone(), blank.clone(), blank, a.clone(), b.clone()])
        .gives_all([
            a.iter().map(|&a| keep(a, a ^ 0x8000_0000)).collect(),
            a.iter().map(|&a| keep(a, a & 0x7fff_ffff)).collect(),
            a.iter()
                .zip(&b)
                .map(|(&a, &b)| keep(a, (a & 0x7fff_ffff) | sign(b)))
                .collect(),
        ]);
}

#[test]
fn case_09_float_to_integer() {
    let a: Vec<u32> = FLOATS.to_vec();
    let values = || a.iter().map(|&bits| f32::from_bits(bits));
    let wrap = |x: f32| {
        if !x.is_finite() {
            return 0;
        }
        // Exact in 160 bits would be needed in general; modulo 2^32 the remainder does it.
        let rounded = f64::from(x).round_ties_even();
        rounded.rem_euclid(4_294_967_296.0) as u64 as u32
    };
    let blank = vec![0; a.len()];
    Case::new(kernel!(to_integers: w u32, w i32, w u32, w i32, r f32))
        .spans([
            blank.clone(),
            blank.clone(),
            blank.clone(),
            blank,
            a.clone(),
        ])
        .gives_all([
            values().map(|x| x as u32).collect(),
            values().map(|x| (x as i32) as u32).collect(),
            values().map(wrap).collect(),
            values().map(wrap).collect(),
        ]);
}

/// Kernels of this file for planted faults.
pub fn planted() -> Vec<Planted> {
    let (a, b) = integer_pairs();
    let (x, y) = float_pairs();
    let planted = |spec, outputs: usize, inputs: &[&Vec<u32>], uniforms: &[u32]| Planted {
        spec,
        spans: outputs_and_inputs(outputs, inputs),
        uniforms: uniforms.to_vec(),
    };
    vec![
        planted(&add_mask::SPEC, 1, &[&a], &[0x5a5a]),
        planted(&divide::SPEC, 4, &[&a, &b], &[]),
        planted(&extremes::SPEC, 2, &[&x, &y], &[]),
        planted(&oddities::SPEC, 1, &[&x, &y], &[]),
        planted(&shifts::SPEC, 3, &[&a, &b], &[]),
        planted(&to_integers::SPEC, 4, &[&x], &[]),
    ]
}

/// Blank outputs before these inputs, all of one length.
fn outputs_and_inputs(outputs: usize, inputs: &[&Vec<u32>]) -> Vec<Vec<u32>> {
    let outputs = std::iter::repeat_n(blank(inputs[0].len()), outputs);
    outputs
        .chain(inputs.iter().map(|&words| words.clone()))
        .collect()
}
