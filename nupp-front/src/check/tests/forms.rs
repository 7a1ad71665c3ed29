//! Refusals about the forms of kernels, parameters, guards, loops and helpers.

use super::{lane, refused, with};

/// Refuses a lane's statements.
#[track_caller]
fn bad(body: &str, expected: &[(&str, &str)]) {
    refused(&lane(body), expected);
}

/// Refuses a GPU kernel with these parameters that writes zeros to `out`.
#[track_caller]
fn bad_params(params: &str, expected: &[(&str, &str)]) {
    refused(&params_of(params), expected);
}

fn params_of(params: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\npub local function k0({params}): nil\n\
         for index = 1, #out do out[index] = 0 end end"
    )
}

const OUT: &str = "exclusive out: span.WriteSpan<float>";

/// Refuses a GPU kernel over `out` and `a` with this body.
#[track_caller]
fn bad_body(body: &str, expected: &[(&str, &str)]) {
    refused(
        &format!(
            "@aot(target = \"gpu\")\nlocal function k0({OUT}, borrows a: span.Span<float>, x: float): nil\n{body}\nend"
        ),
        expected,
    );
}

const LOOP: &str = "for index = 1, #out do out[index] = 0 end";

#[test]
fn widths_that_memory_does_not_have() {
    bad_params(
        &format!("{OUT}, borrows s: span.Span<uint8>"),
        &[("N0214", "uint8")],
    );
    bad_params(
        &format!("{OUT}, borrows s: span.Span<f16>"),
        &[("N0214", "f16")],
    );
    bad_params(
        &format!("{OUT}, borrows s: span.Span<bfloat16>"),
        &[("N0214", "bfloat16")],
    );
    bad_params(
        &format!("{OUT}, borrows s: span.Span<double>"),
        &[("N0214", "double")],
    );
    bad_params(
        &format!("{OUT}, borrows s: span.Span<boolean>"),
        &[("N0214", "boolean")],
    );
    bad_params(&format!("{OUT}, s: uint64"), &[("N0214", "uint64")]);
    refused(
        &with("local struct P p: uint16 q: boolean end", "out[index] = x"),
        &[("N0214", "uint16"), ("N0214", "boolean")],
    );
}

#[test]
fn uniforms_are_numbers_of_32_bits() {
    bad_params(&format!("{OUT}, c: boolean"), &[("N0215", "boolean")]);
    bad_params(&format!("{OUT}, c: number"), &[("N0215", "number")]);
    bad_params(&format!("{OUT}, c: gpu.Phases"), &[("N0215", "gpu.Phases")]);
    refused(
        &format!(
            "local struct P p: float end\n{}",
            params_of(&format!("{OUT}, c: P"))
        ),
        &[("N0215", "P")],
    );
}

#[test]
fn spans_say_who_owns_them() {
    bad_params(
        &format!("{OUT}, s: span.Span<float>"),
        &[("N0216", "s: span.Span<float>")],
    );
    bad_params(
        &format!("{OUT}, exclusive s: span.Span<float>"),
        &[("N0216", "exclusive s: span.Span<float>")],
    );
    bad_params(
        &format!("{OUT}, borrows s: span.WriteSpan<float>"),
        &[("N0216", "borrows s: span.WriteSpan<float>")],
    );
    bad_params(
        &format!("{OUT}, borrows s: float"),
        &[("N0216", "borrows s: float")],
    );
    refused(
        &with(
            "local function h(s: span.Span<float>) end",
            "out[index] = x",
        ),
        &[("N0216", "s: span.Span<float>")],
    );
}

#[test]
fn a_struct_is_as_visible_as_its_kernel() {
    refused(
        &format!(
            "local struct P p: float end\n{}",
            params_of(&format!("{OUT}, borrows s: span.Span<P>"))
        ),
        &[("N0217", "span.Span<P>")],
    );
}

#[test]
fn targets() {
    refused(
        &lane("out[index] = x").replace("\"gpu\"", "\"tpu\""),
        &[("N0225", "\"tpu\"")],
    );
}

#[test]
fn kernels_of_neither_shape() {
    bad_body("out[1] = x", &[("N0301", "k0")]);
    bad_body("", &[("N0301", "k0")]);
    bad_body(
        "while x < 1 do end local v = zz",
        &[("N0301", "k0"), ("N0201", "zz")],
    );
}

#[test]
fn a_map_is_one_loop() {
    bad_body(&format!("local v = x {LOOP}"), &[("N0302", "local v = x")]);
    bad_body(&format!("{LOOP} out[1] = x"), &[("N0302", "out[1] = x")]);
    bad_body(&format!("{LOOP} {LOOP}"), &[("N0302", LOOP)]);
    bad_body(&format!("local v = zz {LOOP}"), &[("N0201", "zz")]);
}

#[test]
fn a_map_loops_over_its_primary_output() {
    bad_body("for index = 1, #a do end", &[("N0303", "#a")]);
    bad_body("for index = 0, #out do end", &[("N0303", "0")]);
    bad_body("for index = 1, 100 do end", &[("N0303", "100")]);
    bad_body("for index = 1, #out - 1 do end", &[("N0303", "#out - 1")]);
    bad_body("for index = 1, #ouT do end", &[("N0201", "ouT")]);
}

#[test]
fn a_kernel_writes() {
    refused(
        "@aot\nlocal function k0(borrows a: span.Span<float>): nil for index = 1, #a do end end",
        &[("N0304", "k0")],
    );
}

#[test]
fn a_kernel_returns_nothing() {
    refused(
        &lane("out[index] = x").replace("): nil", "): float"),
        &[("N0305", "float")],
    );
    bad("return", &[("N0306", "return")]);
    bad("if x < 1 then return end", &[("N0306", "return")]);
}

#[test]
fn helpers_return_what_they_say() {
    let helper = |body: &str| {
        with(
            &format!("local function h(p: float): float {body} end"),
            "out[index] = h(x)",
        )
    };
    refused(&helper("return"), &[("N0306", "return")]);
    refused(&helper("local q = p"), &[("N0307", "h")]);
    refused(&helper("if p < 1 then return p end"), &[("N0307", "h")]);
    refused(&helper("while true do return p end"), &[("N0307", "h")]);
    refused(
        &with("local function h(p: float) return p end", "h(x)"),
        &[("N0306", "p")],
    );
}

#[test]
fn helpers_do_not_recur() {
    refused(
        &with(
            "local function h(p: float): float return h(p) end",
            "out[index] = h(x)",
        ),
        &[("N0308", "h")],
    );
    refused(
        &with(
            "local function f(p: float): float return g(p) end\n\
             local function g(p: float): float return h(p) end\n\
             local function h(p: float): float return f(p) end",
            "out[index] = f(x)",
        ),
        &[("N0308", "g"), ("N0308", "h"), ("N0308", "f")],
    );
}

#[test]
fn helpers_of_other_forms() {
    let items = |head: &str| with(&format!("{head} end"), "out[index] = x");
    refused(
        &items("pub local function h(p: float)"),
        &[("N0315", "pub")],
    );
    refused(
        &items("local function h(p: float): span.Span<float>"),
        &[("N0315", "span.Span<float>")],
    );
    refused(
        &items("local function h(p: gpu.Phases)"),
        &[("N0338", "p: gpu.Phases")],
    );
}

#[test]
fn structs_of_other_forms() {
    let items = |text: &str| with(text, "out[index] = x");
    refused(&items("local struct P end"), &[("N0316", "P")]);
    refused(
        &items("local struct P p: float end\nlocal struct Q q: P end"),
        &[("N0316", "P")],
    );
}

#[test]
fn break_and_continue_stand_in_loops() {
    bad("break", &[("N0309", "break")]);
    refused(
        &with(
            "local function h(p: float) if p < 1 then continue end end",
            "h(x)",
        ),
        &[("N0309", "continue")],
    );
}

#[test]
fn continue_does_not_skip_what_until_reads() {
    bad(
        "local v = x repeat if v > 4 then continue end local done = v <= 1 v = v - 1 until done",
        &[("N0310", "continue")],
    );
}

#[test]
fn bounds_of_counted_loops() {
    bad("for i = 1, n do end", &[("N0311", "n")]);
    bad("for i = 1, #a do end", &[("N0311", "#a")]);
    bad("for i = 1, 2147483648 do end", &[("N0311", "2147483648")]);
    bad("for i = -2147483649, 1 do end", &[("N0311", "-2147483649")]);
    bad("for i = 0.5, 2 do end", &[("N0311", "0.5")]);
    bad("for i = 0, x do end", &[("N0311", "x")]);
    bad("for i = 0, x < 1 do end", &[("N0311", "x < 1")]);
}

#[test]
fn guards_of_other_forms() {
    bad_body(&format!("assert(#out) {LOOP}"), &[("N0312", "#out")]);
    bad_body(&format!("assert(1 == 1) {LOOP}"), &[("N0312", "1 == 1")]);
    bad_body(
        &format!("assert(#out * #a == 4) {LOOP}"),
        &[("N0312", "#out * #a")],
    );
    bad_body(
        &format!("assert(u32.mul(#a, 2) == 4) {LOOP}"),
        &[("N0312", "u32.mul(#a, 2)")],
    );
    bad_body(&format!("assert(#a == 1.5) {LOOP}"), &[("N0312", "1.5")]);
    bad_body(
        &format!("assert(#a < 99999999999999) {LOOP}"),
        &[("N0312", "99999999999999")],
    );
    bad_body(
        &format!("assert(#a == #out, #a) {LOOP}"),
        &[("N0312", "#a")],
    );
    bad_body(&format!("assert() {LOOP}"), &[("N0312", "assert()")]);
    bad_body(
        &format!("error(\"no\") {LOOP}"),
        &[("N0312", "error(\"no\")")],
    );
    let both = "if #a == 1 then error(\"no\") else out[1] = x end";
    bad_body(&format!("{both} {LOOP}"), &[("N0312", both)]);
    bad_body(&format!("assert(#a == #b) {LOOP}"), &[("N0201", "b")]);
    refused(
        &format!(
            "@aot\nlocal function k0({OUT}, borrows a: span.Span<float>): nil assert(a[1] == 0) {LOOP} end"
        ),
        &[("N0312", "a[1] == 0")],
    );
}

#[test]
fn guards_on_uniforms() {
    bad_body(&format!("assert(x >= 1) {LOOP}"), &[("N0313", "x >= 1")]);
    bad_body(
        &format!("assert(#a == #out and f32.abs(x) < 4) {LOOP}"),
        &[("N0313", "f32.abs(x) < 4")],
    );
}

#[test]
fn guards_stand_first() {
    bad("assert(x >= 1)", &[("N0314", "assert")]);
    bad("if x < 1 then error(\"no\") end", &[("N0314", "error")]);
    bad_body(
        &format!("{LOOP} assert(#a == #out)"),
        &[("N0314", "assert")],
    );
}

#[test]
fn scatter_takes_an_element_and_a_value() {
    bad("out:scatter(index)", &[("N0352", "out:scatter(index)")]);
    bad("out:scatter(x, n)", &[("N0206", "x"), ("N0206", "n")]);
    bad("a:gather(index)", &[("N0204", "a:gather(index)")]);
}

#[test]
fn limits() {
    let spans: Vec<String> = (0..16)
        .map(|i| format!("borrows s{i}: span.Span<float>"))
        .collect();
    bad_params(&format!("{OUT}, {}", spans.join(", ")), &[("N0502", "s15")]);
    super::good(&params_of(&format!("{OUT}, {}", spans[..15].join(", "))));
    let scalars: Vec<String> = (0..33).map(|i| format!("u{i}: uint32")).collect();
    bad_params(
        &format!("{OUT}, {}", scalars.join(", ")),
        &[("N0503", "u32")],
    );
    super::good(&params_of(&format!("{OUT}, {}", scalars[..32].join(", "))));
}
