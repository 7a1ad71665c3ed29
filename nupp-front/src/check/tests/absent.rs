//! Functions that other languages have: each help, typed in the place of the call, is accepted.

use super::foreign::{helps, replaced};
use super::{controller, good, lane, refused};

#[test]
fn functions_of_floats_elsewhere() {
    let float = "out[index] = $";
    for (wrong, right) in [
        ("f32.mod(x, 2.0)", "x - 2.0 * f32.trunc(x / 2.0)"),
        (
            "math.fmod(x, a[index])",
            "x - a[index] * f32.trunc(x / a[index])",
        ),
        (
            "f32.rem(x + 1.0, 2.0)",
            "(x + 1.0) - 2.0 * f32.trunc((x + 1.0) / 2.0)",
        ),
        ("f32.clamp(x, 0.0, 1.0)", "f32.min(f32.max(x, 0.0), 1.0)"),
        ("clamp(x, -x, 1.0)", "f32.min(f32.max(x, -x), 1.0)"),
        ("f32.saturate(x)", "f32.min(f32.max(x, 0.0), 1.0)"),
        ("f32.fract(x)", "x - f32.floor(x)"),
        (
            "f32.lerp(x, a[index], 0.5)",
            "f32.fma(0.5, a[index] - x, x)",
        ),
        (
            "mix(x - 1.0, 2.0, x)",
            "f32.fma(x, 2.0 - (x - 1.0), x - 1.0)",
        ),
        (
            "f32.sign(x)",
            "gpu.select(x > 0.0, 1.0, gpu.select(x < 0.0, -1.0, 0.0))",
        ),
        ("f32.inversesqrt(x)", "f32.rsqrt(x)"),
        ("f32.step(0.5, x)", "gpu.select(x < 0.5, 0.0, 1.0)"),
        ("f32.degrees(x)", "x * 57.29577951308232"),
        ("f32.radians(x + 1.0)", "(x + 1.0) * 0.017453292519943295"),
        ("f32.mad(x, 2.0, 1.0)", "f32.fma(x, 2.0, 1.0)"),
        ("f32.ldexp(x, k)", "x * f32.exp2(f32.fromI32(k))"),
        ("f32.ldexp(x, 3)", "x * f32.exp2(3)"),
    ] {
        replaced(float, wrong, right, "");
    }
    for (wrong, right) in [
        ("x.fract()", "x - f32.floor(x)"),
        ("x.rem_euclid(2.0)", "x - 2.0 * f32.floor(x / 2.0)"),
        ("x.signum()", "f32.copySign(1.0, x)"),
        ("a[index].to_degrees()", "a[index] * 57.29577951308232"),
    ] {
        replaced(float, wrong, right, "");
    }
    // Beside an operator the text keeps together.
    replaced(
        "out[index] = 1.0 - $ * 2.0",
        "f32.fract(x)",
        "(x - f32.floor(x))",
        "",
    );
    replaced(
        "local i = $",
        "i32.clamp(k, 0, 3)",
        "i32.min(i32.max(k, 0), 3)",
        "",
    );
    replaced(
        "local i = $",
        "clamp(n, 0, 3)",
        "u32.min(u32.max(n, 0), 3)",
        "",
    );
    replaced("local i = $", "u32.rem(n, 3)", "u32.mod(n, 3)", "");
    replaced("local i = $", "i32.abs(k)", "i32.max(k, 0 - k)", "");
}

#[test]
fn functions_of_two_results_elsewhere() {
    let smooth = "local t = f32.min(f32.max((x - 0.0) / (1.0 - 0.0), 0.0), 1.0)";
    assert_eq!(
        helps("out[index] = f32.smoothstep(0.0, 1.0, x)"),
        [format!(
            "write `{smooth}` before it and `(t * t * (3.0 - 2.0 * t))` here"
        )]
    );
    good(&lane(&format!(
        "{smooth} out[index] = (t * t * (3.0 - 2.0 * t))"
    )));
    let fraction = "f32.fromBits(f32.toBits(x) & 0x807fffff | 0x3f000000)";
    let exponent = "i32.wrap(f32.toBits(x) >> 23 & 255) - 126";
    let found = helps("out[index] = f32.frexp(x)");
    assert!(
        found[0].contains(fraction) && found[0].contains(exponent),
        "{found:?}"
    );
    good(&lane(&format!(
        "out[index] = {fraction} local e = {exponent}"
    )));
    let found = helps("out[index] = f32.modf(x)");
    assert!(
        found[0].contains("`f32.trunc(x)`, the rest `x - f32.trunc(x)`"),
        "{found:?}"
    );
}

#[test]
fn infinity_has_a_sign() {
    let test = "if $ then out[index] = 1.0 end";
    for (wrong, right) in [
        ("x == inf", "f32.isInf(x) and x > 0.0"),
        ("x == -inf", "f32.isInf(x) and x < 0.0"),
        ("x ~= inf", "not (f32.isInf(x) and x > 0.0)"),
        ("x == f32.NEG_INFINITY", "f32.isInf(x) and x < 0.0"),
        ("x < inf", "x < f32.fromBits(0x7f800000)"),
        ("-inf < x", "f32.fromBits(0xff800000) < x"),
    ] {
        replaced(test, wrong, right, "");
    }
    replaced(
        "if not $ then out[index] = 1.0 end",
        "(x == inf)",
        "(f32.isInf(x) and x > 0.0)",
        "",
    );
}

#[test]
fn a_number_outside_a_type_is_ordered_by_value() {
    for text in ["-1 < n", "n >= -5", "k < 4294967295", "-1 < #a"] {
        good(&lane(&format!("if {text} then out[index] = 1.0 end")));
    }
    // Equality would never hold, and no integer type has this number.
    for (text, at) in [("n == -1", "-1"), ("n < 99999999999", "99999999999")] {
        refused(
            &lane(&format!("if {text} then out[index] = 1.0 end")),
            &[("N0208", at)],
        );
    }
}

#[test]
fn signed_bytes_keep_their_sign() {
    let text = |ty: &str| {
        format!(
            "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, \
             borrows a: span.Span<{ty}>): nil\nfor index = 1, #out do\nout[index] = 0.0\nend\nend"
        )
    };
    for (ty, right) in [
        ("int8", "i32.wrap(word << (24 - 8 * k)) >> 24"),
        ("int16", "i32.wrap(word << (16 - 16 * k)) >> 16"),
        ("uint8", "(word >> 8 * k) & 255"),
        ("uint16", "(word >> 16 * k) & 65535"),
    ] {
        let found = super::foreign::block_helps(&text(ty));
        assert!(found[0].contains(&format!("`{right}`")), "{found:?}");
        good(&lane(&format!(
            "local word = w[index] local k: uint32 = 1 local it = {right}"
        )));
    }
}

#[test]
fn a_local_ends_with_its_phase() {
    let text = |declared: &str, first: &str, then: &str| {
        controller(&format!(
            "{declared}\nphases:run(function(localIndex) {first} end)\n\
             phases:run(function(localIndex) out[groupIndex * 64 + localIndex + 1] = {then} end)"
        ))
    };
    let wrong = text("", "local it = 2.0", "it");
    refused(&wrong, &[("N0201", "it")]);
    let found = super::foreign::block_helps(&wrong);
    assert_eq!(
        found,
        [
            "keep it in a slot of scratch: declare `local it = phases:scratch(0.0, 64)` at the \
          controller's top, and write `it[localIndex]` there and here"
        ]
    );
    good(&text(
        "local it = phases:scratch(0.0, 64)",
        "it[localIndex] = 2.0",
        "it[localIndex]",
    ));
}

#[test]
fn one_mistake_of_a_controller_is_one() {
    let text = controller("local p = phases");
    refused(&text, &[("N0338", "phases")]);
    let twice = controller("g:run(function(localIndex) end)").replace("groupIndex, phases", "g, g");
    refused(&twice, &[("N0202", "g")]);
}
