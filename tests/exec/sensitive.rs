//! Computations that any rewriting of float arithmetic shows at once: compensated sums, pairs of floats,
//! long recurrences that decay into subnormals, a symmetry, and a system of bodies over 1,000 steps.

use crate::harness::{Case, Words, floats, kernel};
use nupp::nupp;
use nupp_core::math::Function;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::{FLOATS, Lcg};

nupp! {
    -- The error of a sum, in the form of D. E. Knuth: right for operands of any order.
    local function sum_error(a: float, b: float, sum: float): float
        local part = sum - a
        return (a - (sum - part)) + (b - part)
    end

    @aot(target = "gpu")
    local function two_sum(
        exclusive sums: span.WriteSpan<float>,
        exclusive errors: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#sums == #errors and #sums == #a and #sums == #b)
        for index = 1, #sums do
            local x, y = a[index], b[index]
            local sum = x + y
            sums[index] = sum
            errors[index] = sum_error(x, y, sum)
        end
    end

    -- Adds all values to each start, once plainly and once compensated (W. Kahan).
    @aot(target = "gpu")
    local function kahan(
        exclusive plain: span.WriteSpan<float>,
        exclusive compensated: span.WriteSpan<float>,
        borrows start: span.Span<float>,
        borrows values: span.Span<float>
    ): nil
        assert(#plain == #start and #compensated == #start)
        for index = 1, #plain do
            local naive = start[index]
            local sum = start[index]
            local carry = 0.0
            local cursor: uint32 = 0
            while cursor < #values do
                local value = values[cursor + 1]
                naive = naive + value
                local y = value - carry
                local t = sum + y
                carry = (t - sum) - y
                sum = t
                cursor = cursor + 1
            end
            plain[index] = naive
            compensated[index] = sum
        end
    end

    @aot(target = "gpu")
    local function noise(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>,
        borrows y: span.Span<float>
    ): nil
        assert(#x == #output and #y == #output)
        for index = 1, #output do
            local wave = f32.sin(x[index] * 12.9898 + y[index] * 78.233) * 43758.547
            output[index] = wave - f32.floor(wave)
        end
    end

    -- z = z * a + a in pairs of floats, so many times.
    @aot(target = "gpu")
    local function pairs(
        exclusive high: span.WriteSpan<float>,
        exclusive low: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        turns: uint32
    ): nil
        assert(#high == #low and #high == #a)
        for index = 1, #high do
            local x = a[index]
            local zh, zl = x, 0.0
            local turn: uint32 = 0
            while turn < turns do
                local p = zh * x
                local e = f32.fma(zh, x, -p) + zl * x
                local s = p + x
                local r = sum_error(p, x, s) + e
                zh = s + r
                zl = r - (zh - s)
                turn = turn + 1
            end
            high[index] = zh
            low[index] = zl
        end
    end

    @aot(target = "gpu")
    local function leak(
        exclusive after: span.WriteSpan<float>,
        borrows before: span.Span<float>,
        borrows input: span.Span<float>,
        rate: float,
        steps: uint32
    ): nil
        assert(#after == #before and #after == #input)
        for index = 1, #after do
            local state = before[index]
            local drive = input[index]
            local step: uint32 = 0
            while step < steps do
                state = state + (drive - state) * rate
                step = step + 1
            end
            after[index] = state
        end
    end

    @aot(target = "gpu")
    local function smooth(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            local center = input[index]
            if index > 1 and index < #input then
                output[index] = (input[index - 1] + input[index + 1]) * 0.3 + center * 0.4
            else
                output[index] = center
            end
        end
    end

    -- What a compiler knows to be equal, subtracted: a product and the same product, a value and what
    -- integers make of its bits.
    @aot(target = "gpu")
    local function cancel(
        exclusive products: span.WriteSpan<float>,
        exclusive copies: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>
    ): nil
        assert(#products == #copies and #products == #a and #products == #b)
        for index = 1, #products do
            local x, y = a[index], b[index]
            products[index] = x * y - y * x
            local sum = x + y
            local same = f32.fromBits(u32.wrap(i32.wrap(f32.toBits(sum))))
            copies[index] = f32.fma(same, sum, -sum) - f32.fma(sum, same, -same)
        end
    end

    -- Groups of 16 bodies, all of one mass, that attract each other.
    @aot(target = "gpu")
    local function bodies(
        exclusive px: span.WriteSpan<float>,
        exclusive py: span.WriteSpan<float>,
        borrows sx: span.Span<float>,
        borrows sy: span.Span<float>,
        steps: uint32
    ): nil
        assert(#py == #px and #sx == #px and #sy == #px)
        gpu.workgroups(u32.div(u32.wrap(#px), 16), 16, function(groupIndex, phases)
            local x = phases:scratch(0.0, 16)
            local y = phases:scratch(0.0, 16)
            local vx = phases:scratch(0.0, 16)
            local vy = phases:scratch(0.0, 16)
            phases:run(function(localIndex)
                x[localIndex] = sx[groupIndex * 16 + localIndex + 1]
                y[localIndex] = sy[groupIndex * 16 + localIndex + 1]
            end)
            for step = 0, steps - 1 do
                phases:run(function(localIndex)
                    local ax, ay = 0.0, 0.0
                    for other = 0, 15 do
                        local dx = x[other] - x[localIndex]
                        local dy = y[other] - y[localIndex]
                        local square = dx * dx + dy * dy + 0.01
                        local pull = 0.001 / (square * f32.sqrt(square))
                        ax = ax + dx * pull
                        ay = ay + dy * pull
                    end
                    vx[localIndex] = vx[localIndex] + ax * 0.05
                    vy[localIndex] = vy[localIndex] + ay * 0.05
                end)
                phases:run(function(localIndex)
                    x[localIndex] = x[localIndex] + vx[localIndex] * 0.05
                    y[localIndex] = y[localIndex] + vy[localIndex] * 0.05
                end)
            end
            phases:run(function(localIndex)
                px[groupIndex * 16 + localIndex + 1] = x[localIndex]
                py[groupIndex * 16 + localIndex + 1] = y[localIndex]
            end)
        end)
    end
}

fn error(a: f32, b: f32, sum: f32) -> f32 {
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// Floats that look like measurements, of both signs and many sizes.
fn uneven(count: usize) -> Vec<f32> {
    Lcg::default()
        .take(count)
        .enumerate()
        .map(|(n, s)| (s / 2_147_483_648.0 - 0.5) as f32 * [1.0, 1e-3, 1e5, 1e-20][n % 4])
        .collect()
}

#[test]
fn two_sums_lose_nothing() {
    let edges = FLOATS
        .iter()
        .flat_map(|&a| FLOATS.iter().map(move |&b| (a, b)));
    let (mut a, mut b): (Words, Words) = edges.unzip();
    let many = uneven(1000);
    a.extend(floats(&many));
    b.extend(many.iter().rev().map(|x| (x * 3.0e-4).to_bits()));
    let of = |bits: u32| f32::from_bits(bits);
    let sums: Vec<f32> = a.iter().zip(&b).map(|(&a, &b)| of(a) + of(b)).collect();
    let errors: Vec<f32> = (0..a.len())
        .map(|i| error(of(a[i]), of(b[i]), sums[i]))
        .collect();
    let blank = vec![0; a.len()];
    Case::new(kernel!(two_sum: w f32, w f32, r f32, r f32))
        .spans([blank.clone(), blank, a, b])
        .gives_all([gated(&sums), gated(&errors)]);
}

#[test]
fn equal_values_do_not_cancel_unless_they_are_finite() {
    let edges = FLOATS
        .iter()
        .flat_map(|&a| FLOATS.iter().map(move |&b| (a, b)));
    let (a, b): (Words, Words) = edges.unzip();
    let zero_or_nan = |x: f32| if x.is_finite() { 0.0 } else { f32::NAN };
    let float = |bits: &u32| f32::from_bits(*bits);
    let pairs = || a.iter().map(float).zip(b.iter().map(float));
    let products: Vec<f32> = pairs().map(|(x, y)| zero_or_nan(x * y)).collect();
    let fused = |sum: f32| zero_or_nan(sum.mul_add(sum, -sum));
    let copies: Vec<f32> = pairs().map(|(x, y)| fused(x + y)).collect();
    let blank = vec![7; a.len()];
    Case::new(kernel!(cancel: w f32, w f32, r f32, r f32))
        .spans([blank.clone(), blank, a.clone(), b.clone()])
        .gives_all([gated(&products), gated(&copies)]);
}

#[test]
fn compensated_sums_differ_from_plain_ones() {
    let (start, values) = (uneven(64), uneven(3000));
    let add = |start: f32| {
        let (mut sum, mut carry) = (start, 0.0_f32);
        for value in &values {
            let y = value - carry;
            let t = sum + y;
            carry = (t - sum) - y;
            sum = t;
        }
        sum
    };
    let plain: Vec<f32> = start
        .iter()
        .map(|&x| values.iter().fold(x, |sum, y| sum + y))
        .collect();
    let compensated: Vec<f32> = start.iter().map(|&x| add(x)).collect();
    let differ = plain
        .iter()
        .zip(&compensated)
        .filter(|(a, b)| a != b)
        .count();
    assert!(
        differ > 32,
        "the compensation has to show, in {differ} of 64"
    );
    Case::new(kernel!(kahan: w f32, w f32, r f32, r f32))
        .spans([vec![0; 64], vec![0; 64], floats(&start), floats(&values)])
        .large()
        .gives_all([floats(&plain), floats(&compensated)]);
}

#[test]
fn pairs_of_floats_keep_their_low_parts() {
    let a: Vec<f32> = uneven(257).iter().map(|x| x % 1.0).collect();
    let run = |x: f32| {
        let (mut zh, mut zl) = (x, 0.0_f32);
        for _ in 0..40 {
            let p = zh * x;
            let e = zh.mul_add(x, -p) + zl * x;
            let s = p + x;
            let r = error(p, x, s) + e;
            zh = s + r;
            zl = r - (zh - s);
        }
        (zh, zl)
    };
    let (high, low): (Vec<f32>, Vec<f32>) = a.iter().map(|&x| run(x)).unzip();
    let kept = low.iter().filter(|low| **low != 0.0).count();
    assert!(kept > 100, "low parts have to show, in {kept} of 257");
    Case::new(kernel!(pairs: w f32, w f32, r f32, u u32))
        .spans([vec![0; 257], vec![0; 257], floats(&a)])
        .uniforms([40_u32])
        .gives_all([floats(&high), floats(&low)]);
}

/// 10,000 steps of which every hundredth is looked at; half of the states decay into subnormals.
#[test]
fn a_leaky_integrator_keeps_its_bits() {
    let rate = 0.01_f32;
    let input: Vec<f32> = (0..64).map(|n| [0.0, 1.7][n % 2] * n as f32).collect();
    let mut state: Vec<f32> = (0..64)
        .map(|n| (n as f32 - 20.5) * [1e-10, 3.0][n / 32])
        .collect();
    let mut hashes = Vec::new();
    for _ in 0..100 {
        let before = floats(&state);
        for (state, drive) in state.iter_mut().zip(&input) {
            for _ in 0..100 {
                *state += (drive - *state) * rate;
            }
        }
        Case::new(kernel!(leak: w f32, r f32, r f32, u f32, u u32))
            .spans([vec![0; 64], before, floats(&input)])
            .uniforms([rate.to_bits(), 100])
            .large()
            .gives(0, floats(&state));
        hashes.push(fnv1a(&floats(&state)));
    }
    assert!(
        state.iter().any(|x| x.is_subnormal()),
        "some state has to be subnormal"
    );
    hashes.dedup();
    assert!(hashes.len() > 50, "the states have to move");
}

#[test]
fn a_mirrored_field_stays_mirrored() {
    let half: Vec<f32> = uneven(128);
    let mut field: Vec<f32> = half.iter().chain(half.iter().rev()).copied().collect();
    for _ in 0..20 {
        let before = floats(&field);
        let old = field.clone();
        for i in 1..field.len() - 1 {
            field[i] = (old[i - 1] + old[i + 1]) * 0.3 + old[i] * 0.4;
        }
        Case::new(kernel!(smooth: w f32, r f32))
            .spans([vec![0; 256], before])
            .gives(0, floats(&field));
    }
    let mirrored: Vec<f32> = field.iter().rev().copied().collect();
    assert_eq!(floats(&field), floats(&mirrored));
}

#[test]
fn bodies_move_alike_for_a_thousand_steps() {
    const STEPS: u32 = 1000;
    let (sx, sy) = (uneven(32), uneven(33)[1..].to_vec());
    let place = |x: &f32| (x * 1e3) % 1.0;
    let (sx, sy): (Vec<f32>, Vec<f32>) = (
        sx.iter().map(place).collect(),
        sy.iter().map(place).collect(),
    );
    let (mut x, mut y) = (sx.clone(), sy.clone());
    for group in 0..2 {
        let (x, y) = (&mut x[group * 16..][..16], &mut y[group * 16..][..16]);
        let (mut vx, mut vy) = ([0.0_f32; 16], [0.0_f32; 16]);
        for _ in 0..STEPS {
            for body in 0..16 {
                let (mut ax, mut ay) = (0.0_f32, 0.0_f32);
                for other in 0..16 {
                    let (dx, dy) = (x[other] - x[body], y[other] - y[body]);
                    let square = dx * dx + dy * dy + 0.01;
                    let pull = 0.001 / (square * square.sqrt());
                    ax += dx * pull;
                    ay += dy * pull;
                }
                vx[body] += ax * 0.05;
                vy[body] += ay * 0.05;
            }
            for body in 0..16 {
                x[body] += vx[body] * 0.05;
                y[body] += vy[body] * 0.05;
            }
        }
    }
    let moved = x
        .iter()
        .zip(&sx)
        .filter(|(a, b)| (**a - **b).abs() > 0.01)
        .count();
    assert!(moved > 16, "the bodies have to move, and {moved} did");
    Case::new(kernel!(bodies: w f32, w f32, r f32, r f32, u u32))
        .spans([vec![0; 32], vec![0; 32], floats(&sx), floats(&sy)])
        .uniforms([STEPS])
        .large()
        .gives_all([floats(&x), floats(&y)]);
}

/// The hash that shaders make of a sine; its large factor shows the last bit of each.
#[test]
fn noise_from_a_sine_has_its_bits() {
    let places = uneven(600);
    let sine = |x: f32| f32::from_bits(Function::Sin.apply([x.to_bits(); 2]));
    let expected: Vec<f32> = (0..300)
        .map(|n| {
            let wave = sine(places[n] * 12.9898 + places[n + 300] * 78.233) * 43_758.547;
            wave - wave.floor()
        })
        .collect();
    assert!(expected.iter().all(|x| (0.0..=1.0).contains(x)));
    Case::new(kernel!(noise: w f32, r f32, r f32))
        .spans([vec![0; 300], floats(&places[..300]), floats(&places[300..])])
        .large()
        .gives(0, gated(&expected));
}

/// As a kernel stores them: a NaN has the canonical bits.
fn gated(values: &[f32]) -> Words {
    let canonical = |x: &f32| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
    values.iter().map(canonical).collect()
}
