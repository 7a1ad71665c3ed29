//! Cases 10 and 11: binary16 through words, and elements that are structs.

use super::{LENGTHS, NAN, ramp};
use crate::harness::{Case, floats, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function narrow(exclusive output: span.WriteSpan<uint32>, borrows input: span.Span<uint32>): nil
        assert(#output == #input)
        for index = 1, #output do
            output[index] = f32.toF16Bits(f32.fromBits(input[index]))
        end
    end

    @aot(target = "gpu")
    local function widen(
        exclusive output: span.WriteSpan<float>,
        exclusive back: span.WriteSpan<uint32>,
        borrows input: span.Span<uint32>
    ): nil
        assert(#output == #input and #back == #input)
        for index = 1, #output do
            local wide = f32.fromF16Bits(input[index])
            output[index] = wide
            back[index] = f32.toF16Bits(wide)
        end
    end
}

#[test]
fn case_10_binary16() {
    let table: [(u32, u32); 13] = [
        (0x3f80_1000, 0x3c00),
        (0x3f80_3000, 0x3c02),
        (65504.0_f32.to_bits(), 0x7bff),
        (65519.996_f32.to_bits(), 0x7bff),
        (65520.0_f32.to_bits(), 0x7c00),
        (2.0_f32.powi(-25).to_bits(), 0),
        (2.0_f32.powi(-25).to_bits() + 1, 1),
        (2.0_f32.powi(-24).to_bits(), 1),
        (NAN, 0x7e00),
        (0xffff_1234, 0x7e00),
        (0x8000_0000, 0x8000),
        ((1.0_f32 / 3.0).to_bits(), 0x3555),
        (f32::NEG_INFINITY.to_bits(), 0xfc00),
    ];
    let (input, expected): (Vec<u32>, Vec<u32>) = table.into_iter().unzip();
    Case::new(kernel!(narrow: w u32, r u32))
        .spans([vec![0; 13], input])
        .gives(0, expected);

    let all: Vec<u32> = (0..65_536).collect();
    let widened = all.iter().map(|&h| {
        let (sign, exponent, fraction) = (h >> 15, (h >> 10) & 31, h & 1023);
        let magnitude = match (exponent, fraction) {
            (31, 0) => f64::INFINITY,
            (31, _) => return NAN,
            (0, f) => f64::from(f) * 2.0_f64.powi(-24),
            (e, f) => f64::from(1024 + f) * 2.0_f64.powi(e as i32 - 25),
        };
        ((if sign == 1 { -magnitude } else { magnitude }) as f32).to_bits()
    });
    let back = all
        .iter()
        .map(|&h| if h & 0x7fff > 0x7c00 { 0x7e00 } else { h });
    Case::new(kernel!(widen: w f32, w u32, r u32))
        .spans([vec![0; 65_536], vec![0; 65_536], all.clone()])
        .gives_all([widened.collect(), back.collect()]);
}

nupp! {
    pub local struct Pair
        a: float
        b: float
    end

    @aot(target = "gpu")
    pub local function add_pair(exclusive output: span.WriteSpan<float>, borrows pairs: span.Span<Pair>): nil
        assert(#output == #pairs)
        for index = 1, #output do
            local pair = pairs[index]
            output[index] = pair.a + pair.b
        end
    end

    @aot(target = "gpu")
    pub local function swap_pair(exclusive output: span.WriteSpan<Pair>, borrows pairs: span.Span<Pair>): nil
        assert(#output == #pairs)
        for index = 1, #output do
            output[index].a = pairs[index].b
            output[index].b = pairs[index].a
        end
    end

    @aot(target = "gpu")
    pub local function build_pair(exclusive output: span.WriteSpan<Pair>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            local pair = Pair(input[index], 2.0)
            pair.b = pair.b * pair.a
            pair.a, pair.b = pair.b, pair.a
            output[index] = pair
        end
    end
}

#[test]
fn case_11_structs() {
    for len in LENGTHS {
        let pairs: Vec<Pair> = (0..len)
            .map(|i| Pair {
                a: i as f32 * 0.3,
                b: 1.0 - i as f32,
            })
            .collect();
        let pair_words: Vec<u32> = bytemuck::cast_slice(&pairs).to_vec();
        let sums: Vec<f32> = pairs.iter().map(|p| p.a + p.b).collect();
        Case::new(kernel!(add_pair: w f32, r Pair))
            .spans([vec![0; len], pair_words.clone()])
            .gives(0, floats(&sums));
        let swapped: Vec<f32> = pairs.iter().flat_map(|p| [p.b, p.a]).collect();
        Case::new(kernel!(swap_pair: w Pair, r Pair))
            .spans([vec![0; 2 * len], pair_words])
            .gives(0, floats(&swapped));
        let built: Vec<f32> = ramp(len).iter().flat_map(|&x| [x * 2.0, x]).collect();
        Case::new(kernel!(build_pair: w Pair, r f32))
            .spans([vec![0; 2 * len], floats(&ramp(len))])
            .gives(0, floats(&built));
    }
}
