//! Helps about forms: what they name, typed as it stands, is accepted.

use super::{lowered, refused};

/// A workgroup kernel of 64 lanes over `output` and `input`, with 256 slots of scratch.
fn group(phase: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
         borrows input: span.Span<uint32>): nil\n\
         gpu.workgroups(u32.div(u32.wrap(#input), 64), 64, function(groupIndex, phases)\n\
         local s = phases:scratch(u32.wrap(0), 256)\n\
         phases:run(function(localIndex)\n{phase}\nend)\nend)\nend\n"
    )
}

#[track_caller]
fn helps(text: &str, expected: &[(&str, &str)]) -> Vec<String> {
    let found = refused(text, expected);
    found.into_iter().filter_map(|d| d.help).collect()
}

#[test]
fn a_turn_beyond_its_row() {
    let row = |last: u32, test: &str| {
        group(&format!(
            "for j = 0, {last} do {} end",
            match test {
                "" => "s[localIndex * 4 + j] = localIndex".to_owned(),
                _ => format!("if {test} then s[localIndex * 4 + j] = localIndex end"),
            }
        ))
    };
    let at = "s[localIndex * 4 + j] = localIndex";
    let found = helps(&row(4, ""), &[("N0416", at), ("N0417", at)]);
    let wanted = "a lane's row has 4 slots: write `for j = 0, 3 do`, or touch it under `if j < 4 then ... end`";
    assert_eq!(found, [wanted, wanted]);
    lowered(&row(3, ""));
    lowered(&row(4, "j < 4"));
}

#[test]
fn a_block_that_wraps_and_ends_early() {
    let write = "output[groupIndex * 65 + localIndex + 1] = 1";
    let found = helps(&group(write), &[("N0404", write)]);
    let test = "groupIndex < 66076419 and groupIndex * 65 + localIndex < #output";
    assert_eq!(found, [format!("write it under `if {test} then ... end`")]);
    lowered(&group(&format!("if {test} then {write} end")));
}

#[test]
fn a_local_that_hides_a_number_is_renamed() {
    for (name, what) in [
        ("localIndex", "the lane's number"),
        ("groupIndex", "the group's number"),
    ] {
        let body = |local: &str| {
            format!(
                "local {local}: uint32 = 0 if groupIndex * 64 + localIndex < #output then\n\
                 output[groupIndex * 64 + localIndex + 1] = {local} end"
            )
        };
        let text = group(&body(name)).replace("u32.div(", "u32.divCeil(");
        let found = refused(
            &text,
            &[(
                "N0408",
                &format!("output[groupIndex * 64 + localIndex + 1] = {name}"),
            )],
        );
        assert_eq!(
            found[0].help,
            Some(format!("give this `{name}` another name"))
        );
        assert!(found[0].notes[0].1.ends_with(what), "{:?}", found[0]);
        lowered(&group(&body("mine")).replace("u32.div(", "u32.divCeil("));
    }
}

#[test]
fn a_lane_that_adds_to_a_bin() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive bins: span.WriteSpan<uint32>, \
                borrows input: span.Span<uint32>): nil\nfor index = 1, #bins do\n\
                bins[input[index]] = bins[input[index]] + 1\nend\nend\n";
    let found = helps(
        text,
        &[("N0408", "bins[input[index]] = bins[input[index]] + 1")],
    );
    assert!(found[0].contains("`phases:reduceSum(counts)`"), "{found:?}");
}

#[test]
fn a_slot_that_is_of_no_form() {
    let text = group("for j = 0, 3 do s[localIndex * 4 + j] = s[localIndex * 4 + 3 - j] end");
    let found = refused(&text, &[("N0419", "s[localIndex * 4 + 3 - j]")]);
    assert!(
        found[0].message.contains("not of a form that is proved"),
        "{:?}",
        found[0]
    );
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(
        help.starts_with("read it as `s[localIndex * 4 + j]` with"),
        "{help}"
    );
    lowered(&group(
        "for j = 0, 3 do s[localIndex * 4 + j] = s[localIndex * 4 + j] end",
    ));
}

#[test]
fn scratch_that_does_not_fit() {
    let arrays = |counts: &[u32]| {
        let (mut declared, mut used) = (String::new(), String::new());
        for (name, count) in ["a", "b"].iter().zip(counts) {
            declared += &format!("local {name} = phases:scratch(u32.wrap(0), {count})\n");
            used += &format!("+ {name}[63 - localIndex]");
        }
        group(&format!("local x = localIndex {used}"))
            .replace("local s = phases:scratch(u32.wrap(0), 256)\n", &declared)
    };
    let whole = |counts: &[u32]| {
        let text = arrays(counts);
        let from = text.find("gpu.workgroups").unwrap_or(0);
        let to = text.rfind("\nend\n").unwrap_or(text.len());
        text[from..to].to_owned()
    };
    let found = helps(&arrays(&[8192]), &[("N0593", &whole(&[8192]))]);
    assert_eq!(
        found,
        ["they take, in bytes: `a` 32768; `a` with 4096 slots would fit"]
    );
    lowered(&arrays(&[4096]));
    let found = helps(&arrays(&[4096, 4096]), &[("N0593", &whole(&[4096, 4096]))]);
    assert_eq!(
        found,
        ["they take, in bytes: `a` 16384, `b` 16384; each with 1/2 of its slots would fit"]
    );
    lowered(&arrays(&[2048, 2048]));
}

#[test]
fn an_int32_sum_wraps_at_its_own_end() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
                borrows input: span.Span<uint32>, n: int32): nil\nfor index = 1, #output do\n\
                output[index] = 0\nfor i = 2147483640, n do\n\
                if i + 10 < #input then output[index] = input[u32.wrap(i + 10) + 1] end\nend\nend\nend\n";
    let found = refused(text, &[("N0405", "input[u32.wrap(i + 10) + 1]")]);
    assert!(
        found[0].message.ends_with("2147483647"),
        "{}",
        found[0].message
    );
}

#[test]
fn one_lane_has_no_block() {
    let text = group("output[groupIndex + 1] = 1").replace("64", "1");
    let found = helps(&text, &[("N0408", "output[groupIndex + 1] = 1")]);
    assert!(!found[0].contains("* 1 "), "{found:?}");
    lowered(&text.replace(
        "output[groupIndex + 1] = 1",
        "if localIndex == 0 and groupIndex < #output then output[groupIndex + 1] = 1 end",
    ));
}
