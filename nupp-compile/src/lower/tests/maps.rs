//! Maps against Rust references, by bits.

use super::{bits, map, ramp, refused, runs};

fn output(body: &str, input: &[f32], uniforms: [u32; 4]) -> Vec<u32> {
    let spans = [vec![0x1234; input.len()], bits(input)];
    runs(&map(body), &spans, &uniforms).remove(0)
}

const NONE: [u32; 4] = [0; 4];

fn expect(body: &str, uniforms: [u32; 4], reference: impl Fn(f32) -> f32) {
    let input = ramp(257);
    let expected: Vec<u32> = input.iter().map(|x| reference(*x).to_bits()).collect();
    assert_eq!(output(body, &input, uniforms), expected, "{body}");
}

#[test]
fn copy_and_scale() {
    expect("output[index] = input[index]", NONE, |x| x);
    let factor = 0.1_f32;
    expect(
        "output[index] = input[index] * factor",
        [factor.to_bits(), 0, 0, 0],
        |x| x * factor,
    );
}

#[test]
fn a_store_under_a_uniform_condition() {
    let body = "if limit == 73 then output[index] = input[index] end";
    expect(body, [0, 73, 0, 0], |x| x);
    let kept = output(body, &ramp(5), [0, 72, 0, 0]);
    assert_eq!(kept, vec![0x1234; 5]);
}

#[test]
fn while_counts_a_cursor() {
    let body = "local cursor: uint32 = 0 local sum: float = 0.0 while cursor < limit do \
                sum = sum + 1.0 cursor = cursor + 1 end output[index] = sum";
    for k in [0_u32, 1, 7, 100] {
        expect(body, [0, k, 0, 0], |_| k as f32);
    }
}

#[test]
fn repeat_sees_its_locals_and_continue_reaches_the_test() {
    let body = "local v = input[index] - 40.5 repeat local done = v <= 1.0 if done then continue \
                end v = v - 1.0 until done output[index] = v";
    expect(body, NONE, |x| {
        let mut v = x - 40.5;
        while v > 1.0 {
            v -= 1.0;
        }
        v
    });
}

#[test]
fn repeat_with_break_and_continue() {
    let body = "local v = input[index] local turns = 0.0 repeat turns = turns + 1.0 if turns > 5.0 \
                then break end local half = v * 0.5 if half < 4.0 then turns = turns + 100.0 \
                continue end v = half until half < 9.0 output[index] = turns * 1000.0 + v";
    expect(body, NONE, |x| {
        let (mut v, mut turns) = (x, 0.0_f32);
        loop {
            turns += 1.0;
            if turns > 5.0 {
                break;
            }
            let half = v * 0.5;
            if half < 4.0 {
                turns += 100.0;
            } else {
                v = half;
            }
            if half < 9.0 {
                break;
            }
        }
        turns * 1000.0 + v
    });
}

#[test]
fn bounds_with_effects_are_evaluated_once() {
    let body = "local low2 = low local high2 = high local counter = 0.0 \
        do counter = counter + 1.0 end local first = low2 \
        do low2 = 1000 counter = counter + 10.0 end local last = high2 \
        local sum = input[index] for i = first, last do sum = sum + 1.0 high2 = 0 end \
        if counter == 11.0 and low2 == 1000 then sum = sum + 1000.0 end output[index] = sum";
    expect(body, [0, 0, 1, 4], |x| x + 1004.0);
    expect(body, [0, 0, 3, 2], |x| x + 1000.0);
}

#[test]
fn counted_loops_have_a_fresh_variable_and_do_not_wrap() {
    let body = "local sum = input[index] for i = low, high do sum = sum + 1.0 \
        if i < 0 then sum = sum + 100.0 end if i == 2147483647 then sum = sum + 1000.0 end \
        i = 99 end output[index] = sum";
    let cases = [(1, 4, 4.0), (0, 0, 1.0), (3, 2, 0.0), (-2, 1, 204.0)];
    for (low, high, more) in cases {
        expect(body, [0, 0, low as u32, high as u32], |x| x + more);
    }
    let ends = [0, 0, (i32::MAX - 2) as u32, i32::MAX as u32];
    expect(body, ends, |x| x + 1003.0);
    let least = [0, 0, i32::MIN as u32, (i32::MIN + 1) as u32];
    expect(body, least, |x| x + 202.0);
}

#[test]
fn breaks_continues_and_elses_keep_their_paths() {
    let body = "local sum = 0.0 for i = 1, 20 do if i == 3 then continue elseif i == 9 then if \
        input[index] > 1000.0 then break end sum = sum + 0.5 else sum = sum + 1.0 end \
        sum = sum + 0.25 if i > 12 and sum > 14.0 then break end end output[index] = sum";
    expect(body, NONE, |x| {
        let mut sum = 0.0_f32;
        for i in 1..=20 {
            if i == 3 {
                continue;
            } else if i == 9 {
                if x > 1000.0 {
                    break;
                }
                sum += 0.5;
            } else {
                sum += 1.0;
            }
            sum += 0.25;
            if i > 12 && sum > 14.0 {
                break;
            }
        }
        sum
    });
}

#[test]
fn continue_ends_a_lane() {
    let body = "output[index] = 1.0 if input[index] < 100.0 then if input[index] > 50.0 then \
        output[index] = 2.0 continue end output[index] = 3.0 else if input[index] > 500.0 then \
        continue end end output[index] = input[index]";
    expect(body, NONE, |x| {
        if x > 50.0 && x < 100.0 {
            2.0
        } else if x > 500.0 {
            1.0
        } else {
            x
        }
    });
}

#[test]
fn helpers_return_from_inside_loops() {
    let text = "local function find(x: float, most: int32): float\n\
        for i = 1, most do\n local j: uint32 = 0\n while j < 4 do\n\
        if f32.fromI32(i) * 10.0 + f32.fromU32(j) > x then return f32.fromI32(i) + 0.5 end\n\
        j = j + 1\n end\n x = x - 1.0\n end\n return -1.0\n end\n"
        .to_string();
    let body = "output[index] = find(input[index], high) + find(5.0, 3)";
    let text = text + &map(body);
    let input = ramp(60);
    let find = |mut x: f32, most: i32| {
        for i in 1..=most {
            for j in 0..4 {
                if i as f32 * 10.0 + j as f32 > x {
                    return i as f32 + 0.5;
                }
            }
            x -= 1.0;
        }
        -1.0
    };
    let expected: Vec<f32> = input.iter().map(|x| find(*x, 30) + find(5.0, 3)).collect();
    let spans = [vec![0; 60], bits(&input)];
    assert_eq!(runs(&text, &spans, &[0, 0, 0, 30])[0], bits(&expected));
}

#[test]
fn swaps_take_all_right_sides_first() {
    let body = "local a = input[index] local b = 1.0 a, b = b, a output[index] = a - b";
    expect(body, NONE, |x| 1.0 - x);
}

#[test]
fn structs_are_their_fields() {
    let text = "local struct Pair\n a: float\n b: float\nend\n\
        local function flip(p: Pair): Pair\n return Pair(p.b, p.a)\n end\n\
        @aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<Pair>, borrows \
        input: span.Span<Pair>): nil\nassert(#output == #input)\nfor index = 1, #output do\n\
        local p = flip(input[index])\n if p.a > 5.0 then p.b = p.a + p.b end\n\
        output[index] = p\n output[index].a = input[index].a\nend\nend\n";
    let input = [1.0_f32, 2.0, 3.0, 9.0];
    let spans = [vec![0; 4], bits(&input)];
    let expected = bits(&[1.0, 1.0, 3.0, 12.0]);
    assert_eq!(runs(text, &spans, &[])[0], expected);
}

#[test]
fn a_gather_is_bounded_by_its_own_length() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
        borrows places: span.Span<uint32>, borrows table: span.Span<float>): nil\n\
        assert(#output == #places)\nfor index = 1, #output do\nlocal cursor = places[index]\n\
        output[index] = 0.0\nif cursor < #table then output[index] = table[cursor + 1] end\nend\nend\n";
    let places: Vec<u32> = vec![0, 2, 3, 4, u32::MAX, 1];
    let table = bits(&[10.0, 11.0, 12.0, 13.0]);
    let out = runs(text, &[vec![9; 6], places, table], &[]).remove(0);
    assert_eq!(out, bits(&[10.0, 12.0, 13.0, 0.0, 0.0, 11.0]));
}

#[test]
fn a_stencil_reads_its_neighbours() {
    let body = "output[index] = input[index] if index > 1 and index < #input then \
        output[index] = (input[index - 1] + input[index]) + input[index + 1] end";
    let input = ramp(9);
    let mut expected = input.clone();
    for i in 1..8 {
        expected[i] = (input[i - 1] + input[i]) + input[i + 1];
    }
    assert_eq!(output(body, &input, NONE), bits(&expected));
    for len in 0..3 {
        assert_eq!(output(body, &ramp(len), NONE), bits(&ramp(len)));
    }
}

#[test]
fn wide_offsets_under_a_comparison_that_cannot_wrap() {
    let body = "output[index] = 0.0 if 3 <= #input and index <= #input - 3 then \
        output[index] = input[index + 3] end";
    let input = ramp(9);
    let mut expected = vec![0.0; 9];
    expected[..6].copy_from_slice(&input[3..]);
    assert_eq!(output(body, &input, NONE), bits(&expected));
    let offset = "output[index] = 0.0 if 2 <= #input and (index - 1) < #input - 2 then \
        output[index] = input[(index - 1) + 2 + 1] end";
    let mut expected = vec![0.0; 9];
    expected[..7].copy_from_slice(&input[2..]);
    assert_eq!(output(offset, &input, NONE), bits(&expected));
}

#[test]
fn cursors_in_loops_with_continue_guards() {
    let body = "local sum = 0.0 for i = 0, 6 do local cursor = limit + u32.wrap(i) \
        if cursor >= #input then continue end sum = sum + input[cursor + 1] end output[index] = sum";
    let input = ramp(5);
    let sum: f32 = (2..5).map(|i| input[i]).sum();
    assert_eq!(output(body, &input, [0, 2, 0, 0]), bits(&[sum; 5]));
    let signed = "local sum = 0.0 for i = low, high do if i >= 0 and i < #input then \
        sum = sum + input[u32.fromI32(i) + 1] end end output[index] = sum";
    let sum: f32 = input.iter().sum();
    let ends = [0, 0, -9_i32 as u32, 40];
    assert_eq!(output(signed, &input, ends), bits(&[sum; 5]));
}

#[test]
fn short_circuits_guard_their_loads() {
    let body = "local c = limit output[index] = 0.0 \
        if c < #input and input[c + 1] > 5.0 then output[index] = input[c + 1] end \
        if c >= #input or input[c + 1] < 5.0 then output[index] = -1.0 end \
        output[index] = c < #input and output[index] or 7.0";
    let input = ramp(5);
    assert_eq!(output(body, &input, [0, 2, 0, 0]), bits(&[input[2]; 5]));
    assert_eq!(output(body, &input, [0, 0, 0, 0]), bits(&[-1.0; 5]));
    assert_eq!(output(body, &input, [0, 5, 0, 0]), bits(&[7.0; 5]));
    let chosen = "output[index] = gpu.select(limit < #input, input[gpu.select(limit < #input, \
        limit, 0) + 1], 0.5)";
    let _ = chosen;
}

#[test]
fn blocks_of_elements_a_lane_owns() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive first: span.WriteSpan<uint32>, \
        exclusive output: span.WriteSpan<uint32>): nil\nassert(4 * #first <= #output)\n\
        for index = 1, #first do\nfirst[index] = index\nfor j = 0, 3 do\n\
        output[(index - 1) * 4 + j + 1] = index * 10 + u32.fromI32(j)\nend\n\
        output[4 * (index - 1) + 3] = output[(index - 1) * 4 + 2] + 100\nend\nend\n";
    let out = runs(text, &[vec![0; 2], vec![7; 9]], &[]);
    assert_eq!(out[1], [10, 11, 111, 13, 20, 21, 121, 23, 7]);
}

#[test]
fn a_scatter_is_bounded_by_a_cursor() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
        exclusive moved: span.WriteSpan<uint32>, borrows places: span.Span<uint32>): nil\n\
        assert(#output == #places)\nfor index = 1, #output do\nlocal to = places[index]\n\
        output[index] = to\nif to < #moved then moved:scatter(to + 1, index) end\nend\nend\n";
    let out = runs(text, &[vec![0; 3], vec![0; 4], vec![3, 9, 0]], &[]);
    assert_eq!(out[1], [3, 0, 0, 1]);
}

#[test]
fn a_product_by_cursors() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
        borrows a: span.Span<float>, borrows b: span.Span<float>, inner: uint32, columns: uint32): \
        nil\nfor index = 1, #output do\nlocal off = index - 1\nlocal row = u32.div(off, columns)\n\
        local col = u32.mod(off, columns)\nlocal sum: float = 0.0\nlocal k: uint32 = 0\n\
        while k < inner do\nlocal left = row * inner + k\nlocal right = k * columns + col\n\
        if left < #a and right < #b then sum = f32.fma(a[left + 1], b[right + 1], sum) end\n\
        k = k + 1\nend\noutput[index] = sum\nend\nend\n";
    let (n, mut s) = (16_usize, 42.0_f64);
    let mut next = || {
        s = (s * 1_103_515_245.0 + 12345.0) % 2_147_483_648.0;
        (s / f64::from(1 << 30) - 1.0) as f32
    };
    let a: Vec<f32> = (0..n * n).map(|_| next()).collect();
    let b: Vec<f32> = (0..n * n).map(|_| next()).collect();
    let mut expected = vec![0.0_f32; n * n];
    for row in 0..n {
        for col in 0..n {
            for k in 0..n {
                let at = &mut expected[row * n + col];
                *at = a[row * n + k].mul_add(b[k * n + col], *at);
            }
        }
    }
    let spans = [vec![0; n * n], bits(&a), bits(&b)];
    assert_eq!(
        runs(text, &spans, &[n as u32, n as u32])[0],
        bits(&expected)
    );
}

#[test]
fn helpers_take_spans() {
    let text = "local function at(borrows s: span.Span<float>, c: uint32): float\n\
        if c >= #s then return -1.0 end\n return s[c + 1]\nend\n\
        local function put(exclusive o: span.WriteSpan<float>, i: uint32, v: float)\n\
        if v > 4.0 then return end\n local n = v\n n = n + 1.0\n end\n"
        .to_string();
    let _ = &text;
    let text = "local function at(borrows s: span.Span<float>, c: uint32): float\n\
        if c >= #s then return -1.0 end\n return s[c + 1]\nend\n"
        .to_string()
        + &map("output[index] = at(input, index) + at(input, limit)");
    let input = ramp(4);
    let out = runs(&text, &[vec![0; 4], bits(&input)], &[0, 1, 0, 0]).remove(0);
    let expected: Vec<f32> = (0..4)
        .map(|i| input.get(i + 1).copied().unwrap_or(-1.0) + input[1])
        .collect();
    assert_eq!(out, bits(&expected));
}

#[test]
fn cpu_guards_state_any_scalar() {
    let text = "@aot\nlocal function k(exclusive output: span.WriteSpan<float>, factor: float, n: \
        uint32): nil\nassert(factor >= 1.0 and n < #output, \"factor\")\n\
        for index = 1, #output do output[index] = factor end\nend\n";
    let out = runs(text, &[vec![0; 2]], &[2.0_f32.to_bits(), 1]);
    assert_eq!(out[0], bits(&[2.0; 2]));
}

/// A counted loop's variable is int32: sums of it wrap as int32, and compare by value.
#[test]
fn arithmetic_on_a_loop_variable_is_int32() {
    let at = 3;
    for (body, expected) in [
        (
            "for i = 2147483647, 2147483647 do if i + 1 <= at then s = 1.0 end end",
            1.0,
        ),
        (
            "for i = 2147483647, 2147483647 do local j: int32 = i + 1 if j <= at then s = 1.0 end end",
            1.0,
        ),
        (
            "for i = 0, n do if i + 2147483647 <= at then s = s + 1.0 end end",
            2.0,
        ),
        (
            "for i = 0, n do if i - 1 < at then s = s + 1.0 end end",
            3.0,
        ),
        (
            "for i = 0, 2 do if i - 1 < at then s = s + 1.0 end end",
            3.0,
        ),
        (
            "for i = 0, 2 do if i * 2 + 1 == at then s = s + 1.0 end end",
            1.0,
        ),
        (
            "for i = 65536, 65536 do if i * 65535 <= at then s = s + 1.0 end end",
            1.0,
        ),
        (
            "for i = 0, n do if at >= (i - 1) >> 1 then s = s + 1.0 end end",
            3.0,
        ),
        (
            "for i = 0, 0 do local j: uint32 = (i - 1) >> 1 if j == 4294967295 then s = 1.0 end end",
            1.0,
        ),
        (
            "for i = 0, n do if i + 1 > 0 and i + 1 <= #input then s = s + input[i + 1] end end",
            12.0,
        ),
        (
            "for i = 0, n do if i >= #input then continue end s = s + input[i + 1] end",
            12.0,
        ),
        (
            "for i = 0, 5 do if i + 1 <= #input then s = s + input[i + 1] end end",
            12.0,
        ),
        (
            "for i = 0, n do if i < #input then s = s + input[i + 1] end end",
            12.0,
        ),
        (
            "for i = 1, n do local c: uint32 = i if c + 1 < #input then s = s + input[c + 2] end end",
            4.0,
        ),
        (
            "for i = 1, n do if 1 <= #input and i < #input - 1 then s = s + input[i + 2] end end",
            4.0,
        ),
        (
            "for i = 1, n do if i <= #input then s = s + input[i] end end",
            8.0,
        ),
    ] {
        let text = format!(
            "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
             borrows input: span.Span<float>, at: uint32, n: int32): nil\n\
             for index = 1, #output do local s = 0.0 {body} output[index] = s end\nend\n"
        );
        let input = bits(&[4.0, 4.0, 4.0]);
        let out = runs(&text, &[vec![0], input], &[at, 2]).remove(0);
        assert_eq!(out, bits(&[expected]), "{body}");
    }
    // At the end of the type `i + 1` is the least int32, which is at most any length.
    for (body, at, help) in [
        (
            "if i + 1 <= #input then s = input[i + 1] end",
            "input[i + 1]",
            "i < #input",
        ),
        (
            "if i + 1 < #input then s = input[i + 2] end",
            "input[i + 2]",
            "1 <= #input and i < #input - 1",
        ),
    ] {
        let text = format!(
            "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
             borrows input: span.Span<float>, n: int32): nil\n\
             for index = 1, #output do local s = 0.0 for i = 0, n do {body} end output[index] = s \
             end\nend\n"
        );
        let found = refused(&text, &[("N0405", at)]);
        let text = found[0].help.clone().unwrap_or_default();
        assert!(text.contains(help), "{text}");
    }
}
