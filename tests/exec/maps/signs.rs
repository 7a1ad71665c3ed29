//! Signs of results: a driver that makes `-(a * b)` a product of `-a` may forget on the way what it was
//! told of subnormals.

use super::{NAN, blank, float_pairs};
use crate::harness::{Case, Words, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function turned(
        exclusive product: span.WriteSpan<uint32>,
        exclusive magnitude: span.WriteSpan<uint32>,
        exclusive sum: span.WriteSpan<uint32>,
        exclusive fused: span.WriteSpan<uint32>,
        exclusive quotient: span.WriteSpan<uint32>,
        exclusive flipped: span.WriteSpan<uint32>,
        exclusive used: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#a == #product and #b == #a and #magnitude == #a and #sum == #a and #fused == #a)
        assert(#quotient == #a and #flipped == #a and #used == #a)
        for index = 1, #product do
            local x, y = a[index], b[index]
            product[index] = f32.toBits(-(x * y))
            magnitude[index] = f32.toBits(f32.abs(x * y))
            sum[index] = f32.toBits(f32.copySign(x + y, x - y))
            fused[index] = f32.toBits(-f32.fma(x, y, x))
            quotient[index] = f32.toBits(-(x / y))
            flipped[index] = u32.xorBits(f32.toBits(x * y), 0x80000000)
            local minus = -(x * y)
            used[index] = y / minus + f32.fromBits(u32.xorBits(f32.toBits(y * 0.25), 0x80000000)) * 1e30
        end
    end
}

#[test]
fn signs_of_results_keep_subnormals() {
    let (mut a, mut b) = float_pairs();
    // Products, sums and quotients around the least numbers.
    for n in 0..400_u32 {
        let x = f32::from_bits((0x1a00_0000 + n * 0x0003_1237) | (n << 31));
        a.push(x.to_bits());
        b.push([x, 3.1e-23, -1.7e-21, 2.0e-38 / x][n as usize % 4].to_bits());
    }
    let each = |of: fn(f32, f32) -> f32| -> Words {
        let pairs = a.iter().zip(&b);
        let value = |(&a, &b)| of(f32::from_bits(a), f32::from_bits(b));
        let word = |x: f32| if x.is_nan() { NAN } else { x.to_bits() };
        pairs.map(value).map(word).collect()
    };
    let subnormal = |words: &Words| {
        words
            .iter()
            .filter(|&&x| f32::from_bits(x).is_subnormal())
            .count()
    };
    let product = each(|x, y| -(x * y));
    assert!(subnormal(&product) > 100);
    let sum = each(|x, y| {
        let minus = x - y;
        (x + y).copysign(if minus.is_nan() { 1.0 } else { minus })
    });
    let flipped = each(|x, y| x * y).iter().map(|x| x ^ 0x8000_0000).collect();
    let used = each(|x, y| {
        let quarter = y * 0.25;
        // The bits of a NaN are canonical before their sign is changed.
        let quarter = if quarter.is_nan() { f32::NAN } else { -quarter };
        y / -(x * y) + quarter * 1e30
    });
    let expected = [
        product,
        each(|x, y| (x * y).abs()),
        sum,
        // Seen together, LLVM for AArch64 makes `-x * y - x` of it, whose zero has another sign.
        each(|x, y| -std::hint::black_box(x.mul_add(y, x))),
        each(|x, y| -(x / y)),
        flipped,
        used,
    ];
    let n = a.len();
    let mut spans: Vec<Words> = (0..7).map(|_| blank(n)).collect();
    spans.extend([a.clone(), b.clone()]);
    Case::new(kernel!(turned: w u32, w u32, w u32, w u32, w u32, w u32, w f32, r f32, r f32))
        .spans(spans)
        .gives_all(expected);
}
