//! The tests that refusals of accesses offer: typed as they stand, they are accepted.

use super::{lowered, refused};

/// A map over `output` and a `table` of any length around these statements.
fn table(guard: &str, body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
         borrows table: span.Span<float>, at: uint32, n: int32): nil\n{guard}\n\
         for index = 1, #output do\n{body}\nend\nend\n"
    )
}

/// The one mistake's help.
#[track_caller]
fn help(text: &str, code: &str, at: &str) -> String {
    let mut found = refused(text, &[(code, at)]);
    found.remove(0).help.unwrap_or_default()
}

/// What stands between these two parts of a text.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    let rest = &text[text.find(from)? + from.len()..];
    rest.find(to).map(|end| &rest[..end])
}

/// An element that is refused; the test, and the element where the help names another; and that
/// the kernel with both is accepted.
#[track_caller]
fn advised(element: &str, test: &str) {
    let loops = |statement: &str| {
        let body = format!("output[index] = 0.0 for i = 0, n do {statement} end");
        table("", &body)
    };
    let text = loops(&format!("output[index] = {element}"));
    let help = help(&text, "N0404", element);
    let given = between(&help, "`if ", " then");
    assert_eq!(given, Some(test), "{help}");
    let better = between(&help, "write `", "`").or_else(|| between(&help, "read `", "`"));
    let element = better.unwrap_or(element);
    lowered(&loops(&format!(
        "if {test} then output[index] = {element} end"
    )));
}

#[test]
fn tests_that_are_typed_as_they_stand() {
    advised("table[at + 1]", "at < #table");
    advised("table[at + 3]", "2 <= #table and at < #table - 2");
    advised("table[at]", "at >= 1 and at <= #table");
    advised("table[at - 1]", "at >= 2 and at <= #table");
    advised("table[3]", "#table >= 3");
    advised("table[0]", "#table >= 1");
    advised("table[#table]", "#table >= 1");
    advised("table[i]", "i >= 1 and i <= #table");
    advised("table[i + 1]", "i < #table");
    advised("table[i - 1]", "i >= 2 and i <= #table");
}

#[test]
fn an_int32_needs_two_tests() {
    advised("table[u32.wrap(n) + 1]", "n >= 0 and n < #table");
    advised("table[u32.wrap(n + 1)]", "n >= 0 and n < #table");
    advised("table[u32.wrap(n)]", "n >= 1 and n <= #table");
    advised("table[u32.wrap(n - 1)]", "n >= 2 and n <= #table");
    let far = "n >= 0 and 2 <= #table and n < #table - 2";
    advised("table[u32.wrap(n) + 3]", far);
    advised("table[u32.wrap(n + 3)]", far);
}

#[test]
fn comparisons_are_shown_as_written() {
    let body = "output[index] = 0.0 if n < #table then output[index] = table[u32.wrap(n) + 1] end";
    let found = refused(&table("", body), &[("N0404", "table[u32.wrap(n) + 1]")]);
    assert_eq!(found[0].notes[0].1, "`n < #table` holds here");
    let body = "output[index] = 0.0 if i32.wrap(at) < i32.wrap(#table) then \
                output[index] = table[at + 1] end";
    let found = refused(&table("", body), &[("N0404", "table[at + 1]")]);
    assert_eq!(
        found[0].notes[0].1,
        "`i32.wrap(at) < i32.wrap(#table)` holds here"
    );
    let body = "output[index] = 0.0 if n + 1 ~= #table then \
                output[index] = table[u32.wrap(n + 1)] end";
    let found = refused(&table("", body), &[("N0404", "table[u32.wrap(n + 1)]")]);
    assert_eq!(found[0].notes[0].1, "`n + 1 ~= #table` holds here");
    let own = "output[index] = 0.0 if n < 0 or n < #table then output[index] = table[at + 1] end";
    let found = refused(&table("", own), &[("N0404", "table[at + 1]")]);
    assert_eq!(found[0].notes[0].1, "`n < 0 or n < #table` holds here");
}

#[test]
fn a_guard_that_relates_two_spans_otherwise_is_not_contradicted() {
    let guard = "assert(#table == #output + 1)";
    for (element, test) in [
        ("table[index]", "index <= #table"),
        ("table[index + 1]", "index < #table"),
        ("table[index + 2]", "2 <= #table and index <= #table - 2"),
        ("table[index - 1]", "index > 1 and index <= #table"),
    ] {
        let text = table(guard, &format!("output[index] = {element}"));
        let help = help(&text, "N0401", element);
        assert_eq!(help, format!("read it under `if {test} then ... end`"));
        let body = format!("output[index] = 0.0 if {test} then output[index] = {element} end");
        lowered(&table(guard, &body));
    }
}

#[test]
fn a_local_that_hides_the_compared_one() {
    let body = "output[index] = 0.0 local c = at if c < #table then local c = c + 1 \
                output[index] = table[c + 1] end";
    let found = refused(&table("", body), &[("N0406", "table[c + 1]")]);
    let notes = &found[0].notes;
    assert_eq!(
        notes[1].1,
        "the element's `c` is this one, not the one that is compared"
    );
}

#[test]
fn a_slot_of_a_block_names_its_test() {
    let kernel = |statement: &str| {
        format!(
            "@aot(target = \"gpu\")\nlocal function k(exclusive first: span.WriteSpan<uint32>, \
             exclusive output: span.WriteSpan<uint32>, j: uint32): nil\n\
             assert(4 * #first <= #output)\nfor index = 1, #first do\nfirst[index] = 1\n\
             {statement}\nend\nend\n"
        )
    };
    let write = "output[(index - 1) * 4 + j + 1] = 3";
    assert_eq!(
        help(&kernel(write), "N0412", write),
        "write it under `if j < 4 then ... end`"
    );
    lowered(&kernel(&format!("if j < 4 then {write} end")));
}
