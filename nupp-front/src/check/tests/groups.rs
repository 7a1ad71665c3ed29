//! Refusals about workgroup kernels: the call, the controller, phases, scratch and trees.

use super::{controller, good, lane, refused};

/// Refuses a controller's statements; a phase follows them.
#[track_caller]
fn bad(body: &str, expected: &[(&str, &str)]) {
    refused(&controller(&format!("{body}\n{PHASE}")), expected);
}

const PHASE: &str =
    "phases:run(function(localIndex) if localIndex == 0 then out[groupIndex + 1] = 1 end end)";

/// A whole call between other statements.
fn around(before: &str, call: &str, after: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, \
         borrows a: span.Span<float>, n: uint32): nil\n{before}\n{call}\n{after}\nend"
    )
}

fn call(groups: &str, size: &str) -> String {
    format!("gpu.workgroups({groups}, {size}, function(groupIndex, phases) {PHASE} end)")
}

const GROUPS: &str = "u32.div(u32.wrap(#a), 64)";

#[test]
fn the_call_has_three_parts() {
    refused(
        &around("", "gpu.workgroups(1, 2)", ""),
        &[("N0330", "gpu.workgroups(1, 2)")],
    );
    let named = format!("gpu.workgroups({GROUPS}, 64, body)");
    refused(&around("", &named, ""), &[("N0330", "body")]);
    let one = format!("gpu.workgroups({GROUPS}, 64, function(groupIndex) end)");
    refused(&around("", &one, ""), &[("N0330", one.as_str())]);
    let typed = call(GROUPS, "64").replace("groupIndex, phases", "groupIndex: int32, phases");
    refused(&around("", &typed, ""), &[("N0206", "int32")]);
    let value = format!("local v = {}", call(GROUPS, "64"));
    refused(&lane(&value), &[("N0330", &value[10..])]);
    refused(
        &lane(&call(GROUPS, "64")),
        &[("N0330", call(GROUPS, "64").as_str())],
    );
}

#[test]
fn it_stands_alone_and_last() {
    let good = call(GROUPS, "64");
    refused(&around("", &good, &good), &[("N0331", good.as_str())]);
    refused(&around("", &good, "out[1] = 1"), &[("N0332", "out[1] = 1")]);
    refused(
        &around("if n == 1 then end", &good, ""),
        &[("N0332", "if n == 1 then end")],
    );
    refused(&around("out[1] = 1", &good, ""), &[("N0346", "out")]);
    bad(&good, &[("N0331", good.as_str())]);
}

#[test]
fn group_sizes() {
    for size in ["0", "257", "-1", "1.5", "n", "u32.add(200, 100)"] {
        refused(&around("", &call(GROUPS, size), ""), &[("N0333", size)]);
    }
    good(&around("", &call(GROUPS, "u32.add(100, 100)"), ""));
    good(&around("", &call(GROUPS, "1"), ""));
    good(&around("", &call(GROUPS, "256"), ""));
}

#[test]
fn group_counts() {
    for groups in [
        "4",
        "n",
        "u32.div(n, 4)",
        "u32.div(u32.wrap(#a), n)",
        "u32.div(#a, 0)",
        "#a",
    ] {
        refused(&around("", &call(groups, "64"), ""), &[("N0334", groups)]);
    }
    refused(
        &around("", &call("u32.div(#b, 4)", "64"), ""),
        &[("N0201", "b")],
    );
    good(&around("", &call("u32.divCeil(#a, 4)", "64"), ""));
}

#[test]
fn controllers_have_phases_and_phases_have_statements() {
    let empty = around(
        "",
        &format!("gpu.workgroups({GROUPS}, 64, function(groupIndex, phases) end)"),
        "",
    );
    let at = format!("gpu.workgroups({GROUPS}, 64, function(groupIndex, phases) end)");
    refused(&empty, &[("N0335", at.as_str())]);
    let phase = "phases:run(function(localIndex) end)";
    bad(phase, &[("N0336", phase)]);
}

#[test]
fn phases_are_immediate_functions() {
    bad("phases:run(body)", &[("N0337", "body")]);
    bad("phases:run()", &[("N0337", "phases:run()")]);
    let two = "phases:run(function(p, q) local v = n end)";
    bad(two, &[("N0337", two)]);
    bad(
        "phases:rum(function(p) local v = n end)",
        &[("N0204", "rum")],
    );
    bad("phases:barrier()", &[("N0347", "barrier")]);
}

#[test]
fn phases_do_not_escape() {
    bad("local p = phases", &[("N0338", "phases")]);
    bad("phases = 1", &[("N0338", "phases")]);
    bad("local p = phases[1]", &[("N0338", "phases")]);
}

#[test]
fn control_stays_in_its_phase() {
    let phase =
        |body: &str| format!("while n > 1 do phases:run(function(localIndex) {body} end) end");
    bad(&phase("break"), &[("N0339", "break")]);
    bad(
        &phase("if localIndex == 1 then continue end"),
        &[("N0339", "continue")],
    );
    bad(&phase("return"), &[("N0339", "return")]);
    bad(&phase("assert(n == 1)"), &[("N0314", "assert")]);
    bad("if n == 1 then return end", &[("N0306", "return")]);
}

#[test]
fn phases_do_not_assign_the_controller() {
    bad(
        "local sum = 0.0 phases:run(function(localIndex) sum = 1 end)",
        &[("N0340", "sum")],
    );
    bad(
        "phases:run(function(localIndex) localIndex = 1 end)",
        &[("N0220", "localIndex")],
    );
    bad(
        "phases:run(function(localIndex) n = 1 end)",
        &[("N0220", "n")],
    );
}

#[test]
fn lanes_exist_in_phases_only() {
    bad("local v = localIndex", &[("N0201", "localIndex")]);
    bad("if localIndex == 0 then end", &[("N0201", "localIndex")]);
    let shared = "local s = phases:scratch(0.0, 64)";
    bad(&format!("{shared} if s[0] > 1 then end"), &[("N0341", "s")]);
    bad(&format!("{shared} s[0] = 1"), &[("N0341", "s")]);
    bad("out[groupIndex + 1] = 1", &[("N0346", "out")]);
    bad(
        "out:scatter(groupIndex + 1, 1)",
        &[("N0346", "out:scatter(groupIndex + 1, 1)")],
    );
    let helper =
        "local function put(exclusive o: span.WriteSpan<float>, p: gpu.Scratch<float>) end\n";
    refused(
        &format!(
            "{helper}{}",
            controller(&format!("{shared} put(out, s) {PHASE}"))
        ),
        &[("N0346", "out"), ("N0341", "s")],
    );
}

#[test]
fn scratch_declarations() {
    let at = "phases:scratch(0.0, 64)";
    bad(&format!("{PHASE} local s = {at}"), &[("N0342", at)]);
    bad(
        &format!("if n == 1 then local s = {at} end"),
        &[("N0342", at)],
    );
    bad(
        &format!("phases:run(function(localIndex) local s = {at} end)"),
        &[("N0342", at)],
    );
    bad(at, &[("N0342", at)]);
    bad(
        "local s = phases:scratch(0.0)",
        &[("N0342", "phases:scratch(0.0)")],
    );
    bad("local s = phases:scratch(0.0, 0)", &[("N0342", "0")]);
    bad("local s = phases:scratch(n, 64)", &[("N0342", "n")]);
    bad("local s = phases:scratch(true, 64)", &[("N0342", "true")]);
    bad("local s = phases:scratch(0, 64)", &[("N0207", "0")]);
    bad("local s = phases:scratch(0.0, n)", &[("N0343", "n")]);
    bad(
        "local s: float = phases:scratch(0.0, 64)",
        &[("N0206", "float")],
    );
    let large = "phases:scratch(0.0, 65537)";
    bad(&format!("local s = {large}"), &[("N0505", large)]);
}

#[test]
fn trees_need_numbers_and_powers_of_two() {
    let odd = "local s = phases:scratch(0.0, 48)";
    bad(&format!("{odd} phases:reduceSum(s)"), &[("N0344", "s")]);
    bad("phases:reduceSum(n)", &[("N0344", "n")]);
    bad("phases:reduceSum(zz)", &[("N0201", "zz")]);
    bad("phases:reduceSum()", &[("N0212", "phases:reduceSum()")]);
    let two = "local s = phases:scratch(0.0, 64) local t = phases:scratch(0.0, 32)";
    bad(
        &format!("{two} phases:inclusiveScan(s, t)"),
        &[("N0344", "t")],
    );
    bad(
        &format!("{two} phases:inclusiveScan(s, s)"),
        &[("N0345", "s")],
    );
    let pairs = "local struct P p: float end\n";
    let body = format!("local s = phases:scratch(P(0), 64) phases:reduceMax(s) {PHASE}");
    refused(&format!("{pairs}{}", controller(&body)), &[("N0344", "s")]);
}

#[test]
fn combining_functions() {
    let reduce = |f: &str| format!("local s = phases:scratch(0.0, 64) phases:reduce(s, {f})");
    bad(&reduce("f32.max"), &[("N0353", "f32.max")]);
    let one = "function(p) return p end";
    bad(&reduce(one), &[("N0353", one)]);
    let none = "function(p, q) end";
    bad(&reduce(none), &[("N0353", none)]);
    bad(
        &reduce("function(p, q) local v = p end"),
        &[("N0353", "local v = p")],
    );
    bad(
        &reduce("function(p, q) return p + s[0] end"),
        &[("N0353", "s")],
    );
    bad(
        &reduce("function(p, q) return p + a[1] end"),
        &[("N0353", "a")],
    );
    bad(&reduce("function(p, q) return n end"), &[("N0206", "n")]);
}

#[test]
fn phases_do_not_nest() {
    let inner = "phases:run(function(other) local v = n end)";
    bad(
        &format!("phases:run(function(localIndex) {inner} end)"),
        &[("N0351", inner)],
    );
}

#[test]
fn controller_bounds_do_not_wrap() {
    bad("for t = 0, n + n do end", &[("N0311", "n + n")]);
    bad("for t = n + 1, n do end", &[("N0311", "n + 1")]);
    bad("local i: int32 = 0 for t = i, n do end", &[("N0311", "i")]);
    bad("for t = -1, n do end", &[("N0311", "-1")]);
    good(&controller(&format!(
        "for t = 0, n + 4294967295 do {PHASE} end"
    )));
}

/// Its value would go from one group to the next, and groups run in no order.
#[test]
fn a_controller_assigns_no_local_of_before_it() {
    let call = |body: &str| {
        format!("gpu.workgroups({GROUPS}, 64, function(groupIndex, phases) {body} {PHASE} end)")
    };
    let before = "local total = 1.5";
    refused(
        &around(before, &call("total = total + 1.0"), ""),
        &[("N0340", "total")],
    );
    good(&around(
        before,
        &call("local mine = total mine = mine + 1.0"),
        "",
    ));
}
