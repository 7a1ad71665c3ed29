//! Case 12: a picture whose points take different numbers of turns, with separate and with fused steps.

use crate::harness::{Case, kernel};
use nupp::nupp;

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
