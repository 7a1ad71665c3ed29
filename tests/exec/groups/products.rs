//! Matrix products over tiles in scratch, and a picture whose lanes take different numbers of turns.

use crate::harness::{Case, Words, floats, kernel};
use crate::maps::cursors::matrices;
use crate::maps::mandelbrot::{iterations, plane};
use nupp::nupp;
use nupp_testkit::compare::fnv1a;

nupp! {
    local function multiply_tile(a: gpu.Scratch<float>, b: gpu.Scratch<float>, lane: uint32, start: float): float
        local row = u32.div(lane, 16) * 16
        local column = u32.mod(lane, 16)
        local sum = start
        for k = 0, 15 do
            sum = f32.fma(a[row + k], b[k * 16 + column], sum)
        end
        return sum
    end

    @aot(target = "gpu")
    local function tiled_product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        columns: uint32,
        inner: uint32
    ): nil
        local groups = u32.div(u32.wrap(#c), 256)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local left = phases:scratch(0.0, 256)
            local right = phases:scratch(0.0, 256)
            local sums = phases:scratch(0.0, 256)
            local across = u32.div(columns, 16)
            local firstRow = u32.div(groupIndex, across) * 16
            local firstColumn = u32.mod(groupIndex, across) * 16
            local tiles = u32.div(inner, 16)
            for tile = 0, tiles - 1 do
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    local i = (firstRow + y) * inner + tile * 16 + x
                    local j = (tile * 16 + y) * columns + firstColumn + x
                    left[localIndex] = 0.0
                    right[localIndex] = 0.0
                    if i < #a then left[localIndex] = a[i + 1] end
                    if j < #b then right[localIndex] = b[j + 1] end
                end)
                phases:run(function(localIndex)
                    sums[localIndex] = multiply_tile(left, right, localIndex, sums[localIndex])
                end)
            end
            phases:run(function(localIndex)
                c[groupIndex * 256 + localIndex + 1] = sums[localIndex]
            end)
        end)
    end

    @aot(target = "gpu")
    local function scattered_product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        columns: uint32,
        inner: uint32
    ): nil
        local groups = u32.div(u32.wrap(#c), 256)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local left = phases:scratch(0.0, 256)
            local right = phases:scratch(0.0, 256)
            local sums = phases:scratch(0.0, 256)
            local across = u32.div(columns, 16)
            local firstRow = u32.div(groupIndex, across) * 16
            local firstColumn = u32.mod(groupIndex, across) * 16
            local tiles = u32.div(inner, 16)
            local tile: uint32 = 0
            while tile < tiles do
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    local i = (firstRow + y) * inner + tile * 16 + x
                    local j = (tile * 16 + y) * columns + firstColumn + x
                    left[localIndex] = i < #a and a[i + 1] or 0.0
                    right[localIndex] = j < #b and b[j + 1] or 0.0
                end)
                phases:run(function(localIndex)
                    sums[localIndex] = multiply_tile(left, right, localIndex, sums[localIndex])
                end)
                tile = tile + 1
            end
            phases:run(function(localIndex)
                local y = u32.div(localIndex, 16)
                local at = (firstRow + y) * columns + firstColumn + u32.mod(localIndex, 16)
                if at < #c then
                    c:scatter(at + 1, sums[localIndex])
                end
            end)
        end)
    end
}

/// Rows and columns of an n by n matrix, as the groups of 16 by 16 write them.
fn by_tiles(matrix: &[u32], n: usize) -> Words {
    let at = |i: usize| {
        let (group, lane) = (i / 256, i % 256);
        let (row, column) = (group / (n / 16) * 16, group % (n / 16) * 16);
        matrix[(row + lane / 16) * n + column + lane % 16]
    };
    (0..n * n).map(at).collect()
}

#[test]
fn case_22_tiled_product() {
    for (n, hash) in [(64, 0xa4de_a7ef_12cf_a26e), (128, 0x6f5a_e7da_37dc_3349)] {
        let (spans, expected) = matrices(n);
        assert_eq!(fnv1a(&expected), hash, "the reference itself, at {n}");
        let uniforms = [n as u32, n as u32];
        Case::new(kernel!(tiled_product: w f32, r f32, r f32, u u32, u u32))
            .spans(spans.clone())
            .uniforms(uniforms)
            .large()
            .gives(0, by_tiles(&expected, n));
        Case::new(kernel!(scattered_product: w f32, r f32, r f32, u u32, u u32))
            .spans(spans)
            .uniforms(uniforms)
            .large()
            .gives(0, expected);
    }
}

#[test]
fn small_tiled_products() {
    let (spans, expected) = matrices(16);
    Case::new(kernel!(scattered_product: w f32, r f32, r f32, u u32, u u32))
        .spans(spans)
        .uniforms([16, 16])
        .gives(0, expected);
}

nupp! {
    @aot(target = "gpu")
    local function mandelbrot_groups(
        exclusive iterations: span.WriteSpan<uint32>,
        borrows xs: span.Span<float>,
        borrows ys: span.Span<float>
    ): nil
        assert(#iterations == #xs and #xs == #ys)
        gpu.workgroups(u32.div(u32.wrap(#iterations), 64), 64, function(groupIndex, phases)
            local counts = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                local cx = xs[groupIndex * 64 + localIndex + 1]
                local cy = ys[groupIndex * 64 + localIndex + 1]
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
                counts[localIndex] = count
            end)
            phases:run(function(localIndex)
                iterations[groupIndex * 64 + localIndex + 1] = counts[localIndex]
            end)
        end)
    end
}

#[test]
fn case_23_mandelbrot() {
    let (xs, ys) = plane();
    let points = xs.iter().zip(&ys);
    let expected: Vec<u32> = points.map(|(&x, &y)| iterations(x, y, false)).collect();
    let sum: u64 = expected.iter().map(|&n| u64::from(n)).sum();
    assert_eq!(sum, 46_372_998);
    Case::new(kernel!(mandelbrot_groups: w u32, r f32, r f32))
        .spans([vec![0; xs.len()], xs, ys])
        .large()
        .gives(0, expected);
}

pub fn samples() -> Vec<Case> {
    let product = matrices(16).0;
    vec![
        Case::new(kernel!(tiled_product: w f32, r f32, r f32, u u32, u u32))
            .spans(product.clone())
            .uniforms([16, 16]),
        Case::new(kernel!(scattered_product: w f32, r f32, r f32, u u32, u u32))
            .spans(product)
            .uniforms([16, 16]),
        Case::new(kernel!(mandelbrot_groups: w u32, r f32, r f32)).spans([
            vec![0; 64],
            floats(&[0.1; 64]),
            floats(&[-0.7; 64]),
        ]),
    ]
}
