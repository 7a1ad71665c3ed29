//! Workgroup kernels against Rust references.

use super::{bits, refused, runs};

/// A kernel of `size` lanes over `output` and `input` with this controller.
pub(super) fn group(size: u32, body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
         borrows input: span.Span<float>, inner: uint32): nil\n\
         local groups = u32.div(u32.wrap(#input), {size})\n\
         gpu.workgroups(groups, {size}, function(groupIndex, phases)\n{body}\nend)\nend\n"
    )
}

const SUM: &str = "local shared = phases:scratch(0.0, 4)\n\
    phases:run(function(localIndex) local c = groupIndex * 4 + localIndex \
    if c < #input then shared[localIndex] = input[c + 1] end end)\n\
    phases:reduceSum(shared)\n\
    phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
    output[groupIndex + 1] = shared[0] end end)";

#[test]
fn sums_by_groups() {
    let input = [1e8_f32, 1.0, -1e8, 1.0, 1.0, 2.0, 3.0, 4.0, 9.0, 9.0];
    let out = runs(&group(4, SUM), &[vec![0; 3], bits(&input)], &[0]).remove(0);
    assert_eq!(out, bits(&[2.0, 10.0, 0.0]));
}

#[test]
fn inclusive_scans() {
    let body = "local values = phases:scratch(0.0, 4) local other = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) values[localIndex] = f32.fromU32(localIndex) + 1.0 end)\n\
        phases:inclusiveScan(values, other)\n\
        phases:run(function(localIndex) local c = groupIndex * 4 + localIndex if c < #output then \
        output[groupIndex * 4 + localIndex + 1] = values[localIndex] end end)";
    let out = runs(&group(4, body), &[vec![0; 8], vec![0; 8]], &[0]).remove(0);
    assert_eq!(out, bits(&[1.0, 3.0, 6.0, 10.0, 1.0, 3.0, 6.0, 10.0]));
}

#[test]
fn the_group_rule_bounds_elements() {
    let body = "phases:run(function(localIndex) output[groupIndex * 4 + localIndex + 1] = \
                input[groupIndex * 4 + localIndex + 1] end)";
    let text = group(4, body).replace("local groups", "assert(#output == #input)\nlocal groups");
    let input = bits(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let out = runs(&text, &[vec![0; 5], input.clone()], &[0]).remove(0);
    assert_eq!(out, bits(&[1.0, 2.0, 3.0, 4.0, 0.0]));
}

#[test]
fn guards_over_multiples_bound_an_element_a_group() {
    let body = "phases:run(function(localIndex) if localIndex == 0 then \
                output[groupIndex + 1] = 7.0 end end)";
    let cases = [
        ("assert(#output * 4 >= #input)", "div"),
        ("assert(4 * #output >= #input)", "div"),
        ("assert(#input <= #output * 4)", "divCeil"),
        ("assert(#input <= 3 * #output)", "div"),
        ("assert(#input < 4 * #output + 4)", "div"),
        ("assert(#input - 3 <= 4 * #output)", "div"),
    ];
    for (guard, div) in cases {
        let text = group(4, body).replace("u32.div", &format!("u32.{div}"));
        let text = text.replace("local groups", &format!("{guard}\nlocal groups"));
        let out = runs(&text, &[vec![0; 3], vec![0; 9]], &[0]).remove(0);
        let groups = if div == "div" { 2 } else { 3 };
        let expected: Vec<f32> = (0..3).map(|n| if n < groups { 7.0 } else { 0.0 }).collect();
        assert_eq!(out, bits(&expected), "{guard}");
    }
    let not = [
        ("assert(5 * #output >= #input)", "div"),
        ("assert(#input <= 4 * #output + 4)", "div"),
        ("assert(#input <= 4 * #output + 1)", "divCeil"),
    ];
    for (guard, div) in not {
        let text = group(4, body).replace("u32.div", &format!("u32.{div}"));
        let text = text.replace("local groups", &format!("{guard}\nlocal groups"));
        refused(&text, &[("N0404", "output[groupIndex + 1] = 7.0")]);
    }
}

#[test]
fn guards_over_multiples_bound_blocks_of_a_group() {
    let body = "phases:run(function(localIndex) if localIndex < 2 then \
                output[groupIndex * 2 + localIndex + 1] = 7.0 end end)";
    let text = group(4, body);
    let text = text.replace(
        "local groups",
        "assert(#output * 2 >= #input)\nlocal groups",
    );
    let out = runs(&text, &[vec![0; 5], vec![0; 9]], &[0]).remove(0);
    assert_eq!(out, bits(&[7.0, 7.0, 7.0, 7.0, 0.0]));
}

#[test]
fn a_store_under_a_condition_leaves_the_initial_value() {
    let body = "local s = phases:scratch(-3.0, 4)\n\
        phases:run(function(localIndex) if localIndex > 1 then s[localIndex] = 1.0 end end)\n\
        phases:run(function(localIndex) local c = groupIndex * 4 + localIndex \
        if c < #output then output[groupIndex * 4 + localIndex + 1] = \
        s[u32.mod(localIndex + 1, 4)] end end)";
    let out = runs(&group(4, body), &[vec![0; 4], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[-3.0, 1.0, 1.0, -3.0]));
}

#[test]
fn controllers_loop_over_phases() {
    let body = "local s = phases:scratch(0.0, 4) local turns: uint32 = 0\n\
        for tile = 0, inner - 1 do turns = turns + 1 if turns == 3 then break end\n\
        phases:run(function(localIndex) s[localIndex] = s[localIndex] + f32.fromU32(tile) + 1.0 \
        end) end\n\
        if turns > 1 then phases:run(function(localIndex) s[localIndex] = s[localIndex] * 10.0 \
        end) end\n\
        phases:run(function(localIndex) if localIndex == 2 and groupIndex < #output then \
        output[groupIndex + 1] = s[2] + f32.fromU32(turns) end end)";
    let spans = [vec![0; 1], vec![0; 4]];
    let of = |inner: u32| runs(&group(4, body), &spans, &[inner]).remove(0);
    assert_eq!(of(0), bits(&[0.0]));
    assert_eq!(of(1), bits(&[2.0]));
    assert_eq!(of(2), bits(&[32.0]));
    assert_eq!(of(9), bits(&[33.0]));
}

#[test]
fn families_with_turns() {
    let body = "local s = phases:scratch(0.0, 16) local t = phases:scratch(0.0, 8)\n\
        phases:run(function(localIndex) for k = 0, 3 do s[localIndex + k * 4] = f32.fromI32(k) \
        end for j = 0, 1 do t[localIndex * 2 + j] = f32.fromU32(localIndex) end end)\n\
        phases:run(function(localIndex) local sum = 0.0 for k = 0, 15 do sum = sum + s[k] end \
        for k = 0, 7 do sum = sum + t[k] end \
        if localIndex == 0 and groupIndex < #output then output[groupIndex + 1] = sum end end)";
    let out = runs(&group(4, body), &[vec![0; 1], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[24.0 + 12.0]));
}

#[test]
fn a_shorter_array_under_a_comparison() {
    let body = "local s = phases:scratch(0.0, 2)\n\
        phases:run(function(localIndex) if localIndex < 2 then s[localIndex] = 5.0 end end)\n\
        phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output[groupIndex + 1] = s[0] + s[1] end end)";
    let out = runs(&group(4, body), &[vec![0; 1], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[10.0]));
}

#[test]
fn a_reduce_with_a_function() {
    let body = "local s = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) s[localIndex] = f32.fromU32(localIndex) + 1.0 end)\n\
        phases:reduce(s, function(a, b) return a * b end)\n\
        phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output[groupIndex + 1] = s[0] end end)";
    let out = runs(&group(4, body), &[vec![0; 1], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[24.0]));
}

/// A combination reads nothing itself, so what it names of the dispatch is read before the tree.
#[test]
fn a_combination_of_uniforms_and_lengths() {
    let body = "local s = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) s[localIndex] = f32.fromU32(localIndex) + 1.0 end)\n\
        phases:reduce(s, function(a, b) if inner > 2 then a = a + f32.fromU32(#input) end \
        return a + b end)\n\
        phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output[groupIndex + 1] = s[0] end end)";
    let of = |inner: u32| runs(&group(4, body), &[vec![0; 1], vec![0; 5]], &[inner]).remove(0);
    assert_eq!(of(2), bits(&[10.0]));
    assert_eq!(of(3), bits(&[25.0]));
}

/// Comparisons that no lane passes: what stands under them is left out.
#[test]
fn slots_where_no_lane_comes() {
    let body = "local s = phases:scratch(2.0, 4) local one = phases:scratch(3.0, 4)\n\
        phases:run(function(localIndex) local x = s[localIndex] \
        if localIndex >= 4 then x = s[localIndex - 4] end \
        if localIndex + 4 < 4 then x = one[localIndex + 4] one[localIndex + 4] = 9.0 end \
        one[localIndex] = x end)\n\
        phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output[groupIndex + 1] = one[3] end end)";
    let out = runs(&group(4, body), &[vec![0; 1], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[2.0]));
}

#[test]
fn a_tiled_product() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
        borrows a: span.Span<float>, borrows b: span.Span<float>, inner: uint32, columns: uint32): \
        nil\nlocal groups = u32.div(u32.wrap(#output), 16)\n\
        gpu.workgroups(groups, 16, function(groupIndex, phases)\n\
        local ta = phases:scratch(0.0, 16) local tb = phases:scratch(0.0, 16) \
        local sums = phases:scratch(0.0, 16)\n\
        local across = u32.div(columns, 4) local down = u32.div(groupIndex, across) * 4 \
        local right = u32.mod(groupIndex, across) * 4 local tiles = u32.div(inner, 4)\n\
        for tile = 0, tiles - 1 do\n\
        phases:run(function(localIndex) local y = u32.div(localIndex, 4) \
        local x = u32.mod(localIndex, 4) local ca = (down + y) * inner + tile * 4 + x \
        local cb = (tile * 4 + y) * columns + right + x ta[localIndex] = 0.0 tb[localIndex] = 0.0 \
        if ca < #a then ta[localIndex] = a[ca + 1] end \
        if cb < #b then tb[localIndex] = b[cb + 1] end end)\n\
        phases:run(function(localIndex) local y = u32.div(localIndex, 4) \
        local x = u32.mod(localIndex, 4) local sum = sums[localIndex] for k = 0, 3 do \
        sum = f32.fma(ta[y * 4 + k], tb[k * 4 + x], sum) end sums[localIndex] = sum end)\n\
        end\n\
        phases:run(function(localIndex) output[groupIndex * 16 + localIndex + 1] = \
        sums[localIndex] end)\nend)\nend\n";
    let n = 8_usize;
    let a: Vec<f32> = (0..n * n).map(|i| i as f32 * 0.37 - 3.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| 5.0 - i as f32 * 0.21).collect();
    let mut expected = vec![0.0_f32; n * n];
    for g in 0..4 {
        for l in 0..16 {
            let (row, col) = (g / 2 * 4 + l / 4, g % 2 * 4 + l % 4);
            let sum = &mut expected[g * 16 + l];
            for k in 0..n {
                *sum = a[row * n + k].mul_add(b[k * n + col], *sum);
            }
        }
    }
    let spans = [vec![0; n * n], bits(&a), bits(&b)];
    assert_eq!(runs(text, &spans, &[8, 8])[0], bits(&expected));
}
