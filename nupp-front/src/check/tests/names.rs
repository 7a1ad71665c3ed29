//! Refusals about names: unknown, taken, declared twice, not values.

use super::{good, lane, refused, with};

/// Refuses a lane's statements.
#[track_caller]
fn bad(body: &str, expected: &[(&str, &str)]) {
    refused(&lane(body), expected);
}

/// Refuses items before a good kernel.
#[track_caller]
fn bad_items(items: &str, expected: &[(&str, &str)]) {
    refused(&with(items, "out[index] = x"), expected);
}

#[test]
fn unknown_names() {
    bad("out[indx] = x", &[("N0201", "indx")]);
    bad("out[index] = a[index] * scale", &[("N0201", "scale")]);
    bad("qq = x", &[("N0201", "qq")]);
    bad("frobnicate(x)", &[("N0201", "frobnicate")]);
    bad("out[index] = sqrt(x)", &[("N0201", "sqrt")]);
    bad("local v = b[index]", &[("N0201", "b")]);
    bad("b:scatter(index, x)", &[("N0201", "b")]);
    bad("local v = #b", &[("N0201", "b")]);
    // A local ends with its block, and one that was refused is not complained about again.
    bad("do local v = x end out[index] = v", &[("N0201", "v")]);
    bad(
        "local v = zz out[index] = v * 2 v = v + 1 local w2 = v[1]",
        &[("N0201", "zz")],
    );
}

#[test]
fn names_declared_twice() {
    bad_items("local struct P a: float a: int32 end", &[("N0202", "a")]);
    bad_items("const A = 1\nconst A = 2", &[("N0202", "A")]);
    bad_items(
        "local function k0(): float return 1 end",
        &[("N0202", "k0")],
    );
    bad_items(
        "local function h(p: float, p: float) end",
        &[("N0202", "p")],
    );
}

#[test]
fn names_that_are_taken() {
    bad_items("const float = 1", &[("N0203", "float")]);
    bad_items(
        "local function f32(): float return 1 end",
        &[("N0203", "f32")],
    );
    bad("local assert = x", &[("N0203", "assert")]);
    bad("for nupp = 1, 3 do end", &[("N0203", "nupp")]);
}

#[test]
fn library_functions_that_do_not_exist() {
    bad("out[index] = f32.srqt(x)", &[("N0204", "srqt")]);
    bad("out[index] = f32.popcount(x)", &[("N0204", "popcount")]);
    bad("local v = u32.divceil(n, 2)", &[("N0204", "divceil")]);
    bad("local v = nupp.math.u32.plus(n, 2)", &[("N0204", "plus")]);
    bad("local v = u32.add.x(n, 2)", &[("N0204", "x")]);
    bad("local v = gpu.lanes", &[("N0204", "lanes")]);
    bad("gpu.wait(x)", &[("N0204", "wait")]);
}

#[test]
fn functions_of_the_fast_grade() {
    good(&lane("out[index] = f32.fast.exp(x) + f32.fast.pow(x, 2.0)"));
    good(&lane("out[index] = nupp.math.f32.fast.tan(x)"));
    bad("out[index] = f32.fast.sqrt(x)", &[("N0204", "sqrt")]);
    bad("out[index] = f32.fast.logg(x)", &[("N0204", "logg")]);
    bad(
        "out[index] = f32.fast.hypot(x)",
        &[("N0212", "f32.fast.hypot(x)")],
    );
    bad("out[index] = f32.fast", &[("N0219", "f32.fast")]);
}

#[test]
fn calls_with_other_arguments() {
    bad("out[index] = f32.fma(x, x)", &[("N0212", "f32.fma(x, x)")]);
    bad("local v = u32.wrap()", &[("N0212", "u32.wrap()")]);
    bad(
        "local v = gpu.select(x < 1, x)",
        &[("N0212", "gpu.select(x < 1, x)")],
    );
    refused(
        &with(
            "local function h(p: float): float return p end",
            "out[index] = h(x, x)",
        ),
        &[("N0212", "h(x, x)")],
    );
    refused(
        &with("local struct P p: float q: float end", "local v = P(x)"),
        &[("N0212", "P(x)")],
    );
}

#[test]
fn types_that_do_not_exist() {
    bad("local v: f32 = x", &[("N0213", "f32")]);
    bad(
        "local v: span.Spam<float> = x",
        &[("N0213", "span.Spam<float>")],
    );
    bad("local v: span.Span = x", &[("N0213", "span.Span")]);
    bad("local v: Span<float> = x", &[("N0213", "Span<float>")]);
    bad(
        "local v: span.Span<span.Span<float> > = x",
        &[("N0213", "span.Span<float>")],
    );
    bad(
        "local v: span.Span<float> = x",
        &[("N0213", "span.Span<float>")],
    );
    bad("local v: Pear = x", &[("N0213", "Pear")]);
    bad_items("local struct Pair p: Pear end", &[("N0213", "Pear")]);
    bad_items("local function h(p: nil) end", &[("N0213", "nil")]);
}

#[test]
fn fields_that_do_not_exist() {
    let items = "local struct Pair left: float right: float end";
    refused(
        &with(items, "local p = Pair(x, x) out[index] = p.lefft"),
        &[("N0218", "lefft")],
    );
    refused(
        &with(items, "local p = Pair(x, x) p.top = x"),
        &[("N0218", "top")],
    );
    bad("out[index] = x.re", &[("N0218", "re")]);
    bad("out[index].re = x", &[("N0218", "re")]);
}

#[test]
fn what_is_no_value() {
    bad("out[index] = a", &[("N0219", "a")]);
    bad("out[index] = f32.sqrt", &[("N0219", "f32.sqrt")]);
    bad("out[index] = f32", &[("N0219", "f32")]);
    bad("out[index] = nupp.math.f32", &[("N0219", "nupp.math.f32")]);
    bad("out[index] = k0", &[("N0219", "k0")]);
    bad(
        "local f = function(p) return p end",
        &[("N0219", "function(p) return p end")],
    );
    refused(
        &with("local struct Pair p: float end", "local p = Pair"),
        &[("N0219", "Pair")],
    );
    refused(
        &with(
            "local function h(p: float): float return p end",
            "local p = h",
        ),
        &[("N0219", "h")],
    );
}

#[test]
fn what_cannot_be_assigned() {
    bad("index = 1", &[("N0220", "index")]);
    bad("x = 1", &[("N0220", "x")]);
    bad("a = x", &[("N0220", "a")]);
    refused(&with("const C = 1", "C = 2"), &[("N0220", "C")]);
    bad("local v = x f32.abs(v).y = 1", &[("N0220", "f32.abs(v).y")]);
}

#[test]
fn writes_to_borrowed_spans() {
    bad("a[index] = x", &[("N0221", "a")]);
    bad("w:scatter(index, 1)", &[("N0221", "w")]);
    refused(
        &with(
            "local function put(exclusive o: span.WriteSpan<float>, i: uint32) o[i] = 1 end",
            "put(a, index)",
        ),
        &[("N0231", "a")],
    );
}

#[test]
fn constants_that_are_none() {
    bad_items("const A = f32.narrow(B)", &[("N0201", "B")]);
    bad_items("const A = 0.0 / 0.0", &[("N0228", "/")]);
    bad_items("const A = f32.sqrt(-1.0)", &[("N0222", "f32.sqrt(-1.0)")]);
    bad_items(
        "local struct P p: float end\nconst A: P = P(1)",
        &[("N0222", "P")],
    );
    // What uses a refused constant is not complained about.
    refused(
        &with("const A = 1 / 0", "out[index] = A * 2 local v = A"),
        &[("N0228", "/")],
    );
}

#[test]
fn aliases() {
    bad_items(
        "local span = require(\"nupp.mem.spam\")",
        &[("N0224", "\"nupp.mem.spam\"")],
    );
    bad_items("local g = nupp.math.f64", &[("N0224", "nupp.math.f64")]);
    bad_items("local g = other", &[("N0224", "other")]);
    bad("local g = require(\"nupp.gpu\")", &[("N0223", "require")]);
}

#[test]
fn what_is_no_function() {
    bad("out[index] = x(1)", &[("N0226", "x(1)")]);
    bad("out[index] = a[index](1)", &[("N0226", "a[index]")]);
    bad("out[index] = f32(1)", &[("N0226", "f32")]);
    bad("k0(out, a)", &[("N0226", "k0")]);
    bad("out[index] = a:sum()", &[("N0204", "a:sum()")]);
    bad("x:run()", &[("N0226", "x:run()")]);
}

#[test]
fn what_has_no_elements() {
    bad("out[index] = x[1]", &[("N0227", "x")]);
    bad("out[index] = a[1][2]", &[("N0227", "a[1]")]);
    refused(&with("const T = 3", "out[index] = T[1]"), &[("N0227", "T")]);
}

#[test]
fn strings_are_messages() {
    bad("local v = \"text\"", &[("N0229", "\"text\"")]);
}

#[test]
fn results_used_and_dropped() {
    let items = "local function h(p: float): float return p end\nlocal function g(p: float) end";
    refused(&with(items, "h(x)"), &[("N0230", "h(x)")]);
    refused(&with(items, "out[index] = g(x)"), &[("N0230", "g(x)")]);
    bad("f32.sqrt(x)", &[("N0317", "f32.sqrt(x)")]);
}

#[test]
fn spans_as_arguments() {
    let items = "local function h(borrows s: span.Span<float>, i: uint32): float return s[i] end";
    refused(&with(items, "out[index] = h(w, index)"), &[("N0231", "w")]);
    refused(&with(items, "out[index] = h(x, index)"), &[("N0231", "x")]);
    refused(
        &with(items, "out[index] = h(a[index], index)"),
        &[("N0231", "a[index]")],
    );
    refused(
        &with(items, "out[index] = h(aa, index)"),
        &[("N0201", "aa")],
    );
}

#[test]
fn what_other_languages_have_is_refused_by_name() {
    bad("workgroupBarrier()", &[("N0347", "workgroupBarrier")]);
    bad("gpu.barrier()", &[("N0347", "barrier")]);
    bad("gpu.atomicAdd(out, 1)", &[("N0348", "atomicAdd")]);
    bad("local v = subgroupAdd(x)", &[("N0349", "subgroupAdd")]);
    bad(
        "local v = gpu.cooperativeMatrix(x)",
        &[("N0350", "cooperativeMatrix")],
    );
    bad(
        "local v = gpu.dynamicScratch(n)",
        &[("N0343", "dynamicScratch")],
    );
}
