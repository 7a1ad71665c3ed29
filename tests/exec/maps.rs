//! The acceptance cases of map kernels, each against values written down beforehand or a Rust
//! reference, on every executor.

use crate::harness::{Case, devices, floats, kernel};
use nupp::nupp;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::{FLOATS, INTEGERS, Lcg};

const NAN: u32 = 0x7fc0_0000;

/// `i * 17 + 3`, the input where a case says nothing.
fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i * 17 + 3) as f32).collect()
}

/// Every length at which a workgroup, a block of lanes or a row could go wrong.
const LENGTHS: [usize; 8] = [0, 1, 31, 255, 256, 257, 1000, 1025];

/// In integers: the compiler folds a float selection of NaN away behind a square root.
fn gate(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        bits
    }
}

nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input, "output and input differ in length")
        for index = 1, #output do
            output[index] = input[index]
        end
    end

    @aot(target = "gpu")
    local function scale(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        factor: float
    ): nil
        if #output ~= #input then error("output and input differ in length") end
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function copy_if(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        mode: uint32
    ): nil
        assert(#output == #input)
        for index = 1, #output do
            if mode == 73 then
                output[index] = input[index]
            end
        end
    end
}

#[test]
fn case_01_copy() {
    for len in LENGTHS {
        let input: Vec<u32> = FLOATS.iter().copied().cycle().take(len).collect();
        let expected = input
            .iter()
            .map(|&bits| gate(f32::from_bits(bits)))
            .collect();
        Case::new(kernel!(copy: w f32, r f32))
            .spans([vec![7; len], input])
            .gives(0, expected);
    }
}

#[test]
fn case_02_scale() {
    for len in LENGTHS {
        for factor in [0.1_f32, -3.0, 1e-30, f32::INFINITY, f32::NAN] {
            let input: Vec<u32> = FLOATS.iter().copied().cycle().take(len).collect();
            let expected = input
                .iter()
                .map(|&bits| gate(f32::from_bits(bits) * factor))
                .collect();
            Case::new(kernel!(scale: w f32, r f32, u f32))
                .spans([vec![7; len], input])
                .uniforms([factor.to_bits()])
                .flushing()
                .gives(0, expected);
        }
    }
}

#[test]
fn case_03_copy_if() {
    for (mode, copies) in [(73, true), (72, false)] {
        let input = floats(&ramp(257));
        let expected = if copies { input.clone() } else { vec![0; 257] };
        Case::new(kernel!(copy_if: w f32, r f32, u u32))
            .spans([vec![0; 257], input])
            .uniforms([mode])
            .gives(0, expected);
    }
}

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

/// Every pair of integers at an edge.
fn integer_pairs() -> (Vec<u32>, Vec<u32>) {
    INTEGERS
        .iter()
        .flat_map(|&a| INTEGERS.iter().map(move |&b| (a, b)))
        .unzip()
}

/// Every pair of floats at an edge.
fn float_pairs() -> (Vec<u32>, Vec<u32>) {
    FLOATS
        .iter()
        .flat_map(|&a| FLOATS.iter().map(move |&b| (a, b)))
        .unzip()
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
        .flushing()
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

nupp! {
    @aot(target = "gpu")
    local function mandelbrot(
        exclusive iterations: span.WriteSpan<uint32>,
        borrows xs: span.Span<float>,
        borrows ys: span.Span<float>
    ): nil
        assert(#iterations == #xs and #xs == #ys)
        for index = 1, #iterations do
            local cx = xs[index]
            local cy = ys[index]
            local zx: float = 0.0
            local zy: float = 0.0
            local count: uint32 = 0
            while count < 256 do
                local xx = zx * zx
                local yy = zy * zy
                if xx + yy > 4.0 then break end
                zy = 2.0 * zx * zy + cy
                zx = (xx - yy) + cx
                count = count + 1
            end
            iterations[index] = count
        end
    end

    @aot(target = "gpu")
    local function mandelbrot_fused(
        exclusive iterations: span.WriteSpan<uint32>,
        borrows xs: span.Span<float>,
        borrows ys: span.Span<float>
    ): nil
        assert(#iterations == #xs and #xs == #ys)
        for index = 1, #iterations do
            local cx = xs[index]
            local cy = ys[index]
            local zx: float = 0.0
            local zy: float = 0.0
            local count: uint32 = 0
            while count < 256 do
                local xx = zx * zx
                local yy = zy * zy
                if xx + yy > 4.0 then break end
                zy = f32.fma(2.0 * zx, zy, cy)
                zx = (xx - yy) + cx
                count = count + 1
            end
            iterations[index] = count
        end
    end
}

/// The points of the 1024 by 768 picture.
pub fn plane() -> (Vec<u32>, Vec<u32>) {
    let point = |i: usize| {
        let (x, y) = ((i % 1024) as f32, (i / 1024) as f32);
        (
            (-2.0 + x * (3.0 / 1024.0)).to_bits(),
            (y * (2.4_f32 / 768.0) - 1.2_f32).to_bits(),
        )
    };
    (0..1024 * 768).map(point).unzip()
}

/// The same loop in Rust, to have each element and not the sum alone.
pub fn iterations(cx: u32, cy: u32, fused: bool) -> u32 {
    let (cx, cy) = (f32::from_bits(cx), f32::from_bits(cy));
    let (mut zx, mut zy) = (0.0_f32, 0.0_f32);
    for count in 0..256 {
        let (xx, yy) = (zx * zx, zy * zy);
        if xx + yy > 4.0 {
            return count;
        }
        zy = if fused {
            (2.0 * zx).mul_add(zy, cy)
        } else {
            2.0 * zx * zy + cy
        };
        zx = (xx - yy) + cx;
    }
    256
}

fn mandelbrot_case(fused: bool, sum: u64) -> (Vec<u32>, [Vec<u32>; 3]) {
    let (xs, ys) = plane();
    let expected: Vec<u32> = xs
        .iter()
        .zip(&ys)
        .map(|(&x, &y)| iterations(x, y, fused))
        .collect();
    assert_eq!(expected.iter().map(|&n| u64::from(n)).sum::<u64>(), sum);
    (expected, [vec![0; xs.len()], xs, ys])
}

#[test]
fn case_12_mandelbrot() {
    let (expected, spans) = mandelbrot_case(false, 46_372_998);
    Case::new(kernel!(mandelbrot: w u32, r f32, r f32))
        .spans(spans)
        .large()
        .gives(0, expected);
}

#[test]
fn case_12_mandelbrot_fused() {
    let (expected, spans) = mandelbrot_case(true, 46_373_131);
    Case::new(kernel!(mandelbrot_fused: w u32, r f32, r f32))
        .spans(spans)
        .large()
        .gives(0, expected);
}

nupp! {
    @aot(target = "gpu")
    local function gather(
        exclusive output: span.WriteSpan<float>,
        borrows indices: span.Span<uint32>,
        borrows values: span.Span<float>
    ): nil
        assert(#output == #indices, "one index an output")
        for index = 1, #output do
            local cursor = indices[index]
            local value: float = 0.0
            if cursor < #values then
                value = values[cursor + 1]
            end
            output[index] = value
        end
    end

    @aot(target = "gpu")
    local function stencil(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            local center = input[index]
            if index > 1 and index < #input then
                output[index] = input[index - 1] - 2.0 * center + input[index + 1]
            else
                output[index] = center
            end
        end
    end
}

#[test]
fn case_13_gather() {
    for values in [0_usize, 1, 100, 257] {
        let indices: Vec<u32> = (0..257)
            .map(|i| if i % 50 == 49 { u32::MAX } else { i * 3 % 300 })
            .collect();
        let source = ramp(values);
        let expected = indices
            .iter()
            .map(|&i| source.get(i as usize).copied().unwrap_or(0.0));
        let expected: Vec<f32> = expected.collect();
        Case::new(kernel!(gather: w f32, r u32, r f32))
            .spans([vec![0; 257], indices, floats(&source)])
            .gives(0, floats(&expected));
    }
}

#[test]
fn case_14_stencil() {
    for len in LENGTHS {
        let input: Vec<f32> = (0..len).map(|i| (i as f32 * 0.7).sin_cos_free()).collect();
        let at = |i: usize| {
            if i == 0 || i + 1 == len {
                input[i]
            } else {
                input[i - 1] - 2.0 * input[i] + input[i + 1]
            }
        };
        let expected: Vec<f32> = (0..len).map(at).collect();
        Case::new(kernel!(stencil: w f32, r f32))
            .spans([vec![0; len], floats(&input)])
            .gives(0, floats(&expected));
    }
}

/// A bumpy number without the C library.
trait Bumpy {
    fn sin_cos_free(self) -> f32;
}

impl Bumpy for f32 {
    fn sin_cos_free(self) -> f32 {
        let t = self - self.floor();
        t * (1.0 - t) * 4.1 - 0.3
    }
}

nupp! {
    @aot(target = "gpu")
    local function product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        columns: uint32,
        inner: uint32
    ): nil
        for index = 1, #c do
            local off = index - 1
            local row = u32.div(off, columns)
            local col = u32.mod(off, columns)
            local sum: float = 0.0
            local k: uint32 = 0
            while k < inner do
                local i = row * inner + k
                local j = k * columns + col
                if i < #a and j < #b then
                    sum = f32.fma(a[i + 1], b[j + 1], sum)
                end
                k = k + 1
            end
            c[index] = sum
        end
    end
}

/// The matrices of the acceptance cases and their product, `sum = fma(a, b, sum)` with k ascending.
pub fn matrices(n: usize) -> ([Vec<u32>; 3], Vec<u32>) {
    let mut stream = Lcg::default().map(|s| (s / 1_073_741_824.0 - 1.0) as f32);
    let a: Vec<f32> = stream.by_ref().take(n * n).collect();
    let b: Vec<f32> = stream.take(n * n).collect();
    let dot = |row: usize, col: usize| {
        (0..n).fold(0.0_f32, |sum, k| {
            a[row * n + k].mul_add(b[k * n + col], sum)
        })
    };
    let c: Vec<f32> = (0..n * n).map(|i| dot(i / n, i % n)).collect();
    ([vec![0; n * n], floats(&a), floats(&b)], floats(&c))
}

#[test]
fn case_15_matrix_product() {
    for (n, first, hash) in [
        (64, Some(0xc032_3129), 0xa4de_a7ef_12cf_a26e),
        (128, None, 0x6f5a_e7da_37dc_3349),
    ] {
        let (spans, expected) = matrices(n);
        assert_eq!(fnv1a(&expected), hash, "the reference itself, at {n}");
        assert!(first.is_none_or(|first| expected[0] == first));
        Case::new(kernel!(product: w f32, r f32, r f32, u u32, u u32))
            .spans(spans)
            .uniforms([n as u32, n as u32])
            .large()
            .gives(0, expected);
    }
}

nupp! {
    @aot
    local function guarded(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        factor: float
    ): nil
        assert(#output == #input, "lengths")
        assert(factor >= 1.0, "factor below one")
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function interleave(
        exclusive output: span.WriteSpan<float>,
        exclusive marks: span.WriteSpan<uint32>,
        borrows left: span.Span<float>,
        borrows right: span.Span<float>
    ): nil
        assert(#left == #marks and #right <= #marks and #right >= #marks)
        assert(2 * #output <= #left)
        for index = 1, #output do
            marks[(index - 1) * 2 + 1] = index
            for j = 0, 1 do
                marks[(index - 1) * 2 + j + 1] = 2 * index + u32.wrap(j)
            end
            output[index] = f32.fromU32(index)
        end
    end
}

#[test]
fn case_40_guards_on_the_cpu() {
    let mut output = [0.0; 2];
    assert!(guarded(&mut output, &[1.0, 2.0], 1.5).is_ok());
    assert_eq!(output, [1.5, 3.0]);
    let fault = guarded(&mut output, &[1.0, 2.0], 0.5).expect_err("a factor below one");
    assert!(fault.to_string().contains("factor below one"), "{fault}");
    let fault = guarded(&mut output, &[1.0], f32::NAN).expect_err("the first guard that fails");
    assert!(fault.to_string().contains("lengths"), "{fault}");
    assert_eq!(output, [1.5, 3.0], "a refused call touches nothing");
}

#[test]
fn block_writes() {
    for len in [0, 1, 128, 129, 300] {
        let marks: Vec<u32> = (1..=len as u32).flat_map(|i| [2 * i, 2 * i + 1]).collect();
        let output: Vec<u32> = (1..=len).map(|i| (i as f32).to_bits()).collect();
        let pad = vec![0; 2 * len];
        Case::new(kernel!(interleave: w f32, w u32, r f32, r f32))
            .spans([vec![9; len], pad.clone(), pad.clone(), pad])
            .gives_all([output, marks]);
    }
}

nupp! {
    @aot(target = "gpu")
    local function not_numbers(
        exclusive roots: span.WriteSpan<float>,
        exclusive quotients: span.WriteSpan<float>,
        exclusive sums: span.WriteSpan<float>,
        exclusive bits: span.WriteSpan<uint32>,
        borrows a: span.Span<float>,
        x: float
    ): nil
        assert(#roots == #quotients and #sums == #roots and #bits == #roots and #a == #roots)
        for index = 1, #roots do
            roots[index] = f32.sqrt(x)
            quotients[index] = (x - x) / (x - x)
            sums[index] = f32.sqrt(a[index]) + x
            bits[index] = f32.toBits(f32.sqrt(a[index]))
        end
    end
}

/// The bits of a NaN that a processor makes are its own: gates stand where they become visible,
/// also where the compiler thinks that it knows better (a square root, a value outside the loop).
#[test]
fn not_a_number_has_one_pattern() {
    for x in [-1.0_f32, f32::NAN, 2.25] {
        let a: Vec<u32> = [-1.0_f32, 4.0, f32::NEG_INFINITY, -0.0]
            .map(f32::to_bits)
            .to_vec();
        let values = || a.iter().map(|&bits| f32::from_bits(bits));
        let blank = || vec![0; a.len()];
        Case::new(kernel!(not_numbers: w f32, w f32, w f32, w u32, r f32, u f32))
            .spans([blank(), blank(), blank(), blank(), a.clone()])
            .uniforms([x])
            .gives_all([
                vec![gate(x.sqrt()); a.len()],
                vec![NAN; a.len()],
                values().map(|a| gate(a.sqrt() + x)).collect(),
                values().map(|a| gate(a.sqrt())).collect(),
            ]);
    }
}

/// What the conservative profile is known to get wrong on a device that flushes, and what the
/// integer profile gets right there: asserted, so that the list in `docs/numerics.md` stays true.
#[test]
fn flushing_devices_are_known_wrong() {
    let input = vec![1.0e-40_f32.to_bits(), 2.0_f32.to_bits()];
    let runner = kernel!(scale: w f32, r f32, u f32);
    for device in devices() {
        let mut spans = vec![vec![0; 2], input.clone()];
        runner
            .gpu(&device.context, &mut spans, &[0.5_f32.to_bits()])
            .expect("a dispatch");
        let flushed = spans[0][0] == 0;
        let right = spans[0][0] == (1.0e-40_f32 * 0.5).to_bits();
        assert_eq!(
            (flushed, right),
            (device.flushes, !device.flushes),
            "{}",
            device.name
        );
        assert_eq!(spans[0][1], 1.0_f32.to_bits());
    }
}

/// A kernel, and inputs that tell each of its operations from a near relative.
pub struct Planted {
    pub name: &'static str,
    pub spec: &'static nupp::KernelSpec,
    pub spans: Vec<Vec<u32>>,
    pub uniforms: Vec<u32>,
}

/// Kernels for planted faults.
pub fn planted_kernels() -> Vec<Planted> {
    let (a, b) = integer_pairs();
    let (x, y) = float_pairs();
    let blank = |len: usize| vec![0; len];
    let planted = |name, spec, spans: Vec<Vec<u32>>, uniforms: Vec<u32>| Planted {
        name,
        spec,
        spans,
        uniforms,
    };
    vec![
        planted(
            "add_mask",
            &add_mask::SPEC,
            vec![blank(a.len()), a.clone()],
            vec![0x5a5a],
        ),
        planted(
            "divide",
            &divide::SPEC,
            vec![
                blank(a.len()),
                blank(a.len()),
                blank(a.len()),
                blank(a.len()),
                a.clone(),
                b.clone(),
            ],
            vec![],
        ),
        planted(
            "extremes",
            &extremes::SPEC,
            vec![blank(x.len()), blank(x.len()), x.clone(), y.clone()],
            vec![],
        ),
        planted(
            "oddities",
            &oddities::SPEC,
            vec![blank(x.len()), x.clone(), y],
            vec![],
        ),
        planted(
            "shifts",
            &shifts::SPEC,
            vec![blank(a.len()), blank(a.len()), blank(a.len()), a, b],
            vec![],
        ),
        planted(
            "scale",
            &scale::SPEC,
            vec![blank(x.len()), x.clone()],
            vec![3.0_f32.to_bits()],
        ),
        planted(
            "to_integers",
            &to_integers::SPEC,
            vec![
                blank(x.len()),
                blank(x.len()),
                blank(x.len()),
                blank(x.len()),
                x,
            ],
            vec![],
        ),
        planted(
            "product",
            &product::SPEC,
            matrices(8).0.to_vec(),
            vec![8, 8],
        ),
    ]
}
