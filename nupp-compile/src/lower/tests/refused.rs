//! Refusals of map kernels: a code, a place, and a help to type.

use super::{map, refused};

/// A map over `output` and a `table` of any length, with this guard.
fn table(guard: &str, body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
         borrows table: span.Span<float>, limit: uint32): nil\n{guard}\n\
         for index = 1, #output do\n{body}\nend\nend\n"
    )
}

#[test]
fn an_unguarded_loop_index() {
    let found = refused(
        &table("", "output[index] = table[index]"),
        &[("N0401", "table[index]")],
    );
    assert_eq!(
        found[0].help.as_deref(),
        Some("write `assert(#table == #output)` before the loop")
    );
    refused(
        &table("", "output[index] = table[index + 1]"),
        &[("N0401", "table[index + 1]")],
    );
}

#[test]
fn a_guard_that_says_it_one_way() {
    let text = table("assert(#output <= #table)", "output[index] = table[index]");
    let found = refused(&text, &[("N0402", "table[index]")]);
    assert!(
        found[0].message.contains("`#output <= #table`"),
        "{}",
        found[0].message
    );
}

#[test]
fn an_offset_without_its_comparison() {
    refused(
        &map("output[index] = input[index - 1] + input[index + 1]"),
        &[("N0403", "input[index - 1]"), ("N0403", "input[index + 1]")],
    );
    refused(
        &map("output[index] = 0.0 if index > 1 then output[index] = input[index - 2] end"),
        &[("N0403", "input[index - 2]")],
    );
    let wrapping = "output[index] = 0.0 if index + 2 <= #input then output[index] = \
                    input[index + 2] end";
    refused(&map(wrapping), &[("N0403", "input[index + 2]")]);
}

#[test]
fn a_cursor_without_a_comparison() {
    let found = refused(
        &table("", "output[index] = table[limit + 1]"),
        &[("N0404", "table[limit + 1]")],
    );
    let help = found[0].help.as_deref().unwrap_or("");
    assert!(help.contains("`if limit < #table then"), "{help}");
    refused(
        &table("", "output[index] = table[3]"),
        &[("N0404", "table[3]")],
    );
}

#[test]
fn a_cursor_one_past_the_proof() {
    let body = "output[index] = 0.0 if limit < #table then output[index] = table[limit + 2] end";
    let found = refused(&table("", body), &[("N0406", "table[limit + 2]")]);
    assert!(
        found[0].message.contains("one element past"),
        "{}",
        found[0].message
    );
    assert!(
        found[0].notes[0].1.contains("`limit < #table`"),
        "{:?}",
        found[0].notes
    );
    let body = "output[index] = 0.0 if limit <= #table then output[index] = table[limit + 1] end";
    refused(&table("", body), &[("N0406", "table[limit + 1]")]);
}

#[test]
fn a_cursor_after_its_increment() {
    let body = "output[index] = 0.0 local c = limit if c < #table then c = c + 1 \
                output[index] = table[c + 1] end";
    let found = refused(&table("", body), &[("N0407", "table[c + 1]")]);
    assert!(
        found[0].message.contains("`c < #table`"),
        "{}",
        found[0].message
    );
    let body = "output[index] = 0.0 local c = limit if c < #table then for i = 1, 3 do \
                output[index] = table[c + 1] c = c + 1 end end";
    refused(&table("", body), &[("N0407", "table[c + 1]")]);
}

#[test]
fn a_sum_that_may_have_wrapped() {
    let body =
        "output[index] = 0.0 if limit + 1 < #table then output[index] = table[limit + 1] end";
    let found = refused(&table("", body), &[("N0405", "table[limit + 1]")]);
    let help = found[0].help.as_deref().unwrap_or("");
    assert!(
        help.contains("`1 <= #table and limit < #table - 1`"),
        "{help}"
    );
}

#[test]
fn writes_elsewhere_and_cross_reads() {
    refused(
        &map("output[index + 1] = 1.0"),
        &[("N0408", "output[index + 1] = 1.0")],
    );
    refused(
        &map("if limit < #output then output[limit + 1] = 1.0 end"),
        &[("N0408", "output[limit + 1] = 1.0")],
    );
    let body = "if index > 1 then output[index] = output[index - 1] end";
    let found = refused(&map(body), &[("N0410", "output[index - 1]")]);
    assert!(
        found[0]
            .help
            .as_deref()
            .unwrap_or("")
            .contains("double-buffer")
    );
}

#[test]
fn mixed_forms_name_both_places() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
        exclusive more: span.WriteSpan<uint32>): nil\nassert(#output == #more)\n\
        assert(2 * #output <= #more)\nfor index = 1, #output do\noutput[index] = 1\n\
        more[index] = 2\nmore[(index - 1) * 2 + 2] = 3\nend\nend\n";
    let found = refused(text, &[("N0409", "more[(index - 1) * 2 + 2] = 3")]);
    assert!(found[0].notes[0].0.is_some());
}

#[test]
fn blocks_need_room_and_their_own_slots() {
    let kernel = |guard: &str, index: &str| {
        format!(
            "@aot(target = \"gpu\")\nlocal function k(exclusive first: span.WriteSpan<uint32>, \
             exclusive output: span.WriteSpan<uint32>, j: uint32): nil\n{guard}\n\
             for index = 1, #first do\nfirst[index] = 1\noutput[{index}] = 3\nend\nend\n"
        )
    };
    let own = "(index - 1) * 4 + 2";
    let found = refused(
        &kernel("", own),
        &[("N0411", "output[(index - 1) * 4 + 2] = 3")],
    );
    assert!(
        found[0]
            .help
            .as_deref()
            .unwrap_or("")
            .contains("assert(4 * #first <= #output)")
    );
    refused(
        &kernel("assert(3 * #first <= #output)", own),
        &[("N0411", "output[(index - 1) * 4 + 2] = 3")],
    );
    let room = "assert(4 * #first <= #output)";
    refused(
        &kernel(room, "(index - 1) * 4 + 5"),
        &[("N0412", "output[(index - 1) * 4 + 5] = 3")],
    );
    refused(
        &kernel(room, "(index - 1) * 4 + j + 1"),
        &[("N0412", "output[(index - 1) * 4 + j + 1] = 3")],
    );
}

#[test]
fn guards_that_contradict_each_other() {
    let text = table(
        "assert(#output == #table)\nassert(#output < #table)",
        "output[index] = 1.0",
    );
    let found = refused(&text, &[("N0413", "assert(#output < #table)")]);
    assert_eq!(found[0].notes.len(), 1);
    refused(
        &table("assert(#output + 1 <= #output)", "output[index] = 1.0"),
        &[("N0413", "assert(#output + 1 <= #output)")],
    );
}

#[test]
fn helpers_name_both_places() {
    let text = "local function at(borrows s: span.Span<float>, c: uint32): float\n\
        return s[c + 1]\nend\n"
        .to_string()
        + &map("output[index] = at(input, limit)");
    let found = refused(&text, &[("N0404", "s[c + 1]")]);
    assert!(
        found[0]
            .notes
            .iter()
            .any(|n| n.0.is_some() && n.1.contains("`at`")),
        "{found:?}"
    );
}

#[test]
fn every_mistake_of_every_kernel_at_once() {
    let one = table("", "output[index] = table[index]");
    let two = one.replace("local function k", "local function l");
    refused(
        &(one + &two),
        &[("N0401", "table[index]"), ("N0401", "table[index]")],
    );
}

#[test]
fn helpers_that_double_are_refused_before_they_explode() {
    let mut text = "local function f0(x: float): float\n return x * 2.0 + x\nend\n".to_string();
    for i in 1..30 {
        let last = i - 1;
        text += &format!(
            "local function f{i}(x: float): float\n return f{last}(x + 1.0) * f{last}(x)\nend\n"
        );
    }
    text += &map("output[index] = f29(input[index])");
    let (_, program) = super::program(&text);
    let found = super::lower(&program).expect_err("too long");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.text(), "N0591");
}

#[test]
fn a_product_that_may_have_wrapped_to_zero() {
    let body = "output[index] = 0.0 local c = index * 3 if c < #table then output[index] = \
                table[c] end";
    let found = refused(&table("", body), &[("N0404", "table[c]")]);
    assert!(
        found[0].message.contains("`table[0]`"),
        "{}",
        found[0].message
    );
}

#[test]
fn an_element_counted_from_zero() {
    let body = "output[index] = 0.0 if limit < #table then output[index] = table[limit] end";
    let found = refused(&table("", body), &[("N0404", "table[limit]")]);
    let help = found[0].help.as_deref().unwrap_or("");
    assert!(
        help.contains("`table[limit + 1]` under `limit < #table`"),
        "{help}"
    );
}

/// A map that scatters into `moved`, with these statements in its loop.
fn scattering(body: &str) -> String {
    format!(
        "local function put(exclusive moved: span.WriteSpan<uint32>, to: uint32): nil\n\
         if to < #moved then moved:scatter(to + 1, 7) end\nend\n\
         @aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
         exclusive moved: span.WriteSpan<uint32>, n: int32, c: uint32): nil\n\
         assert(#output == #moved)\nfor index = 1, #output do\noutput[index] = 0\n{body}\nend\nend\n"
    )
}

#[test]
fn a_lane_scatters_once() {
    let cases = [
        (
            "if c < #moved then moved:scatter(c + 1, 1) moved:scatter(c + 1, 2) end",
            "moved:scatter(c + 1, 2)",
        ),
        (
            "moved:scatter(index, 1) if index > 1 then moved:scatter(index - 1, 2) end",
            "moved:scatter(index - 1, 2)",
        ),
        (
            "if n > 0 then moved:scatter(index, 1) end if n < 0 then moved:scatter(index, 2) end",
            "moved:scatter(index, 2)",
        ),
        (
            "put(moved, c) put(moved, c + 1)",
            "moved:scatter(to + 1, 7)",
        ),
    ];
    for (body, at) in cases {
        let found = refused(&scattering(body), &[("N0414", at)]);
        assert!(found[0].notes[0].1.contains("first"), "{:?}", found[0]);
    }
    // A helper is named at both of its calls.
    let found = refused(&scattering(cases[3].0), &[("N0414", cases[3].1)]);
    assert_eq!(found[0].notes.len(), 3, "{:?}", found[0]);
}

#[test]
fn a_lane_scatters_in_one_of_two_branches() {
    for (body, expected) in [
        (
            "if n > 0 then moved:scatter(index, 1) else moved:scatter(index, 2) end",
            [1, 1, 1],
        ),
        (
            "if index == 1 then moved:scatter(3, 5) elseif index == 2 then moved:scatter(index, 6) \
             else moved:scatter(1, 8) end",
            [8, 6, 5],
        ),
        (
            "if index == 2 then moved:scatter(2, 9) continue end moved:scatter(index, 4)",
            [4, 9, 4],
        ),
        (
            "if n > 0 then put(moved, index - 1) else put(moved, c) end",
            [7, 7, 7],
        ),
    ] {
        let body = format!("if #moved == 3 then {body} end");
        let text = scattering(&body);
        let out = super::runs(&text, &[vec![0; 3], vec![0; 3]], &[1, 0]);
        assert_eq!(out[1], expected, "{body}");
    }
}
