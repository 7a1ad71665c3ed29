//! Values as Rust and Lua write them: each help is text to type, and typing it is accepted.

use super::{checked, good, lane, show};

/// What a lane says about these statements: the helps, in order.
#[track_caller]
pub(super) fn helps(body: &str) -> Vec<String> {
    block_helps(&lane(body))
}

#[track_caller]
pub(super) fn block_helps(text: &str) -> Vec<String> {
    let (source, result) = checked(text);
    let found = match result {
        Ok(_) => panic!("{text}\nis accepted"),
        Err(found) => found,
    };
    eprintln!("{}", show(&source, &found));
    found.into_iter().filter_map(|d| d.help).collect()
}

/// A refused expression, what the help says to write instead, and the rest of the help; with the
/// replacement in its place the lane is accepted.
#[track_caller]
pub(super) fn replaced(statement: &str, wrong: &str, right: &str, rest: &str) {
    let body = statement.replace("$", wrong);
    assert_eq!(helps(&body), [format!("write `{right}`{rest}")]);
    good(&lane(&statement.replace("$", right)));
}

#[test]
fn a_called_type_names_the_conversion() {
    let float = "out[index] = $";
    replaced(float, "float(index)", "f32.fromU32(index)", "");
    replaced(float, "f32(index)", "f32.fromU32(index)", "");
    replaced(float, "float(k)", "f32.fromI32(k)", "");
    replaced(float, "number(n)", "f32.fromU32(n)", "");
    replaced(float, "f32(1)", "1.0", "");
    replaced(
        "local i = $",
        "int32(n)",
        "i32.wrap(n)",
        ", which keeps the bits",
    );
    replaced(
        "local i = $",
        "u32(k)",
        "u32.wrap(k)",
        ", which keeps the bits",
    );
    replaced("local i = $", "int(1)", "i32.wrap(1)", "");
    let truncates = ", which truncates and clamps, or `u32.wrap(x)`";
    replaced("local i = $", "uint32(x)", "u32.saturate(x)", truncates);
    assert_eq!(
        helps("out[index] = float(x)"),
        ["`x` is `float` already: write it alone"]
    );
}

#[test]
fn nan_and_infinity_are_asked_for_by_function() {
    let asked = "if $ then out[index] = 1.0 end";
    replaced(asked, "a[index] == NaN", "f32.isNaN(a[index])", "");
    replaced(asked, "x ~= f32.NAN", "not f32.isNaN(x)", "");
    replaced(asked, "INFINITY == x", "f32.isInf(x) and x > 0.0", "");
    replaced(asked, "x == math.huge", "f32.isInf(x) and x > 0.0", "");
    let value = "test it with `f32.isNaN(x)`; the value is `f32.fromBits(0x7fc00000)`";
    assert_eq!(helps("out[index] = f32.NAN"), [value]);
    assert_eq!(helps("out[index] = nan"), [value]);
    good(&lane("out[index] = f32.fromBits(0x7fc00000)"));
    let value = "test it with `f32.isInf(x)`; the value is `f32.fromBits(0x7f800000)`";
    assert_eq!(helps("out[index] = f32.INFINITY"), [value]);
    replaced("out[index] = $", "f32.MAX", "3.4028235e38", "");
    replaced("local i: uint32 = $", "u32.MAX", "4294967295", "");
    replaced("local i: int32 = $", "i32.MIN", "-2147483648", "");
    replaced("out[index] = $", "f32.PI", "3.14159265358979", "");
}

#[test]
fn a_bare_function_is_meant_by_the_types_of_its_arguments() {
    for (call, module) in [
        ("max(n, index)", "u32"),
        ("max(x, 0.0)", "f32"),
        ("max(k, 3)", "i32"),
    ] {
        let text = format!("did you mean `{module}.max`?");
        assert_eq!(helps(&format!("local m = {call}")), [text]);
        good(&lane(&format!("local m = {module}.{call}")));
    }
}

#[test]
fn functions_of_two_are_meant_by_name_or_method() {
    let meant = "did you mean `f32.atan2`?";
    assert_eq!(helps("out[index] = atan2(x, x)"), [meant]);
    assert_eq!(helps("out[index] = math.atan2(x, x)"), [meant]);
    assert_eq!(
        helps("out[index] = f32.hypott(x, x)"),
        ["did you mean `f32.hypot`?"]
    );
    replaced("out[index] = $", "x.atan2(x)", "f32.atan2(x, x)", "");
    replaced("out[index] = $", "x.powf(x)", "f32.pow(x, x)", "");
    replaced("out[index] = $", "x.powi(2)", "x * x", "");
    replaced(
        "out[index] = $",
        "(x + 1.0).powf(0.5)",
        "f32.sqrt((x + 1.0))",
        "",
    );
}

#[test]
fn operators_as_methods() {
    for (wrong, right, rest) in [
        ("n.neg()", "0 - n", ": it wraps"),
        ("k.neg()", "-k", ""),
        ("x.add(1.0)", "x + 1.0", ""),
        ("k.pow(2)", "k * k", ""),
        (
            "k.rem_euclid(3)",
            "i32.mod(k, 3)",
            ", which has the sign of `k`",
        ),
        ("bool(x)", "x ~= 0.0", ""),
        ("boolean(n)", "n ~= 0", ""),
    ] {
        replaced("local it = $", wrong, right, rest);
    }
}

#[test]
fn helps_name_the_loops_own_index() {
    let text = lane("out[index] = a").replace("index", "i");
    let help = "write `a[i]` for an element, `#a` for its length";
    assert_eq!(block_helps(&text), [help]);
    let text = lane("out.push(x)").replace("index", "i");
    let help = "a span does not grow: write `out[i] = x`";
    assert_eq!(block_helps(&text), [help]);
}

#[test]
fn methods_of_rust() {
    replaced(
        "if index < $ then out[index] = 1.0 end",
        "a.len()",
        "#a",
        "",
    );
    replaced("out[index] = $", "a.get(index)", "a[index]", "");
    replaced("out[index] = $", "x.sqrt()", "f32.sqrt(x)", "");
    replaced(
        "out[index] = $",
        "x.mul_add(2.0, a[index])",
        "f32.fma(x, 2.0, a[index])",
        "",
    );
    replaced(
        "out[index] = $",
        "x.clamp(0.0, 1.0)",
        "f32.min(f32.max(x, 0.0), 1.0)",
        "",
    );
    replaced("local m = $", "n.wrapping_add(1)", "n + 1", ": it wraps");
    replaced(
        "local m = $",
        "n.wrapping_mul(n + 1)",
        "n * (n + 1)",
        ": it wraps",
    );
    replaced("local m = $", "n.min(3)", "u32.min(n, 3)", "");
    replaced(
        "local m = $",
        "n.leading_zeros()",
        "u32.leadingZeros(n)",
        "",
    );
    replaced("local m = $", "k.abs()", "gpu.select(k < 0, -k, k)", "");
    assert_eq!(
        helps("out.push(x)"),
        ["a span does not grow: write `out[index] = x`"]
    );
    let guard = "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, \
                 borrows a: span.Span<float>): nil\nassert($ == #out)\n\
                 for index = 1, #out do\nout[index] = a[index]\nend\nend";
    assert_eq!(block_helps(&guard.replace('$', "a.len()")), ["write `#a`"]);
    good(&guard.replace('$', "#a"));
}

#[test]
fn comparisons_do_not_chain() {
    let asked = "if $ then out[index] = 1.0 end";
    replaced(asked, "1 < index < #a", "1 < index and index < #a", "");
    replaced(asked, "0.0 <= x <= 1.0", "0.0 <= x and x <= 1.0", "");
    replaced(asked, "n == index == 1", "n == index and index == 1", "");
    good(&lane("if (n < 1) == (x < 1.0) then out[index] = 1.0 end"));
    let guard = "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>): nil\n\
                 assert(1 < #out < 100)\nfor index = 1, #out do\nout[index] = 1.0\nend\nend";
    assert_eq!(block_helps(guard), ["write `1 < #out and #out < 100`"]);
}

#[test]
fn a_kernel_without_its_attribute() {
    for body in [
        "for index = 1, #out do\nout[index] = 1.0\nend",
        "assert(#out == #out)\nfor index = 1, #out do\nout[index] = 1.0\nend",
        "gpu.workgroups(u32.div(u32.wrap(#out), 64), 64, function(groupIndex, phases) end)",
    ] {
        let text =
            format!("local function k0(exclusive out: span.WriteSpan<float>): nil\n{body}\nend");
        assert_eq!(
            block_helps(&text),
            ["write `@aot(target = \"gpu\")` above it"]
        );
    }
}

#[test]
fn numbers_without_a_type_name_the_local() {
    assert_eq!(
        helps("local mask = ~0"),
        ["write a type, `local mask: uint32 = ~0` (or `int32`)"]
    );
    good(&lane("local mask: uint32 = ~0"));
    assert_eq!(
        helps("local count = 0"),
        [
            "write `local count = 0.0` for a float, `local count: int32 = 0` or `local count: uint32 = 0` \
          for an integer"
        ]
    );
    assert_eq!(
        helps("local b = x > 1.0 b = b + 1"),
        ["booleans are combined with `and`, `or` and `not`: `not b`"]
    );
}
