//! Refusals about types and numbers.

use super::{lane, refused, with};

/// Refuses a lane's statements.
#[track_caller]
fn bad(body: &str, expected: &[(&str, &str)]) {
    refused(&lane(body), expected);
}

#[test]
fn values_of_another_type() {
    bad("out[index] = n", &[("N0206", "n")]);
    bad("out[n] = k", &[("N0206", "k")]);
    bad("out[k] = x", &[("N0206", "k")]);
    bad("local v: int32 = x", &[("N0206", "x")]);
    bad("local v: uint32 = k + 1", &[("N0206", "k + 1")]);
    bad("local v: float = x < 1", &[("N0206", "x < 1")]);
    bad("if n then end", &[("N0206", "n")]);
    bad("while x do end", &[("N0206", "x")]);
    bad("if 1 then end", &[("N0206", "1")]);
    bad("local v = not x", &[("N0206", "x")]);
    bad("local v: boolean = 1", &[("N0206", "1")]);
    bad("local v: uint32 = 1.5", &[("N0206", "1.5")]);
    bad("local v: int32 = 2.0", &[("N0206", "2.0")]);
    bad("local v = u32.add(n, x)", &[("N0206", "x")]);
    bad("local v = u32.wrap(x < 1)", &[("N0206", "x < 1")]);
    bad("local v = x < 1 and x", &[("N0206", "x")]);
    bad("local v = n << x", &[("N0206", "x")]);
    refused(
        &with(
            "local struct P p: float end",
            "local v: P = x local u: float = P(1) local t: P = 1",
        ),
        &[("N0206", "x"), ("N0206", "P(1)"), ("N0206", "1")],
    );
    refused(
        &with(
            "local struct P p: float end",
            "local v = P(1) local u = x < 1 and v or v",
        ),
        &[("N0206", "x < 1 and v or v")],
    );
}

#[test]
fn numbers_without_a_type() {
    bad("local v = 1", &[("N0207", "1")]);
    bad("local v = 1 + 2", &[("N0207", "1 + 2")]);
    bad(
        "local v = gpu.select(x < 1, 1, 2)",
        &[("N0207", "gpu.select(x < 1, 1, 2)")],
    );
    bad(
        "local v = x < 1 and 1 or 2",
        &[("N0207", "x < 1 and 1 or 2")],
    );
    bad("local v = 1 << n", &[("N0207", "1 << n")]);
    bad("local v = ~1", &[("N0207", "~1")]);
    refused(&with("const C = 3", "local v = C"), &[("N0207", "C")]);
}

#[test]
fn numbers_out_of_range() {
    bad("local v: int32 = 2147483648", &[("N0208", "2147483648")]);
    bad("local v: int32 = -2147483649", &[("N0208", "-2147483649")]);
    bad("local v: uint32 = -1", &[("N0208", "-1")]);
    bad("local v = n + 4294967296", &[("N0208", "4294967296")]);
    bad("local v = x * 1e39", &[("N0208", "1e39")]);
    bad(
        "local v = f32.narrow(3.4028236e38)",
        &[("N0208", "f32.narrow(3.4028236e38)")],
    );
    refused(
        &with("const C: uint32 = 3 - 4", "out[index] = x"),
        &[("N0208", "3 - 4")],
    );
}

#[test]
fn numbers_that_are_too_long() {
    refused(
        &with("const A = 1e2000\nconst B = A * A", "out[index] = x"),
        &[("N0504", "A * A")],
    );
    bad("local v = 1e99999", &[("N0504", "1e99999")]);
}

#[test]
fn operands_of_different_types() {
    bad("local v = x + n", &[("N0209", "x + n")]);
    bad("local v = k * n", &[("N0209", "k * n")]);
    bad("local v = n & k", &[("N0209", "n & k")]);
    bad("local v = k < x", &[("N0209", "k < x")]);
    bad("local v = k + 1.5", &[("N0209", "k + 1.5")]);
    bad("local v = (x < 1) == n", &[("N0209", "(x < 1) == n")]);
}

#[test]
fn operators_on_types_they_do_not_have() {
    bad("local v = (x < 1) + (x < 2)", &[("N0210", "+")]);
    bad("local v = (x < 1) & (x < 2)", &[("N0210", "&")]);
    bad("local v = x & x", &[("N0210", "&")]);
    bad("local v = x << 1", &[("N0210", "<<")]);
    bad("local v = -n", &[("N0210", "-")]);
    bad("local v = ~x", &[("N0210", "~")]);
    bad("local v = (x < 1) < (x < 2)", &[("N0210", "<")]);
    bad("local v = #x", &[("N0210", "#x")]);
    bad("local v = #index", &[("N0210", "#index")]);
    refused(
        &with(
            "local struct P p: float end",
            "local v = P(1) local u = v + v local t = v == v local s = -v",
        ),
        &[("N0210", "+"), ("N0210", "=="), ("N0210", "-")],
    );
}

#[test]
fn integers_do_not_divide() {
    bad("local v = n / 2", &[("N0211", "/")]);
    bad("local v: int32 = k / k", &[("N0211", "/")]);
    bad("local v: uint32 = 6 / 2", &[("N0211", "/")]);
}

#[test]
fn every_mistake_of_a_block_is_reported_once_and_in_order() {
    bad(
        "local v = n + x\nout[index] = v * zz\nif n then local u = 1 end\na[index] = -n",
        &[
            ("N0209", "n + x"),
            ("N0201", "zz"),
            ("N0206", "n"),
            ("N0207", "1"),
            ("N0221", "a"),
            ("N0210", "-"),
        ],
    );
}
