//! Refusals of the proofs of workgroup kernels: lanes and groups that may meet, slots and elements
//! that may lie outside.

use super::groups::group;
use super::{bits, refused, runs};

/// Elements of a group past the divisor: with 2^30 elements of input the product would wrap, and
/// two groups meet.
#[test]
fn groups_that_may_meet_in_one_element() {
    let body = "phases:run(function(localIndex) local c = groupIndex * 16 + localIndex \
        if c < #output then output[c + 1] = 7.0 end end)";
    let found = refused(&group(4, body), &[("N0405", "output[c + 1] = 7.0")]);
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("u32.divCeil(u32.wrap(#input), 16)"), "{help}");
    // A guard that keeps the product small will do as well.
    let text = group(4, body).replace(
        "local groups",
        "assert(4 * #input <= #output)\nlocal groups",
    );
    let out = runs(&text, &[vec![0; 34], vec![0; 8]], &[0]).remove(0);
    let written = |i: usize| if i < 32 && i % 16 < 4 { 7.0 } else { 0.0 };
    assert_eq!(out, bits(&(0..34).map(written).collect::<Vec<f32>>()));
    let few = body.replace("if c < #output", "if groupIndex < 1000 and c < #output");
    runs(&group(4, &few), &[vec![0; 34], vec![0; 8]], &[0]);
    let up = group(4, body).replace("u32.div", "u32.divCeil");
    refused(&up, &[("N0405", "output[c + 1] = 7.0")]);
}

/// The number of groups bounds the cursor to three elements past the input, which is not what is missing.
#[test]
fn a_sum_of_a_groups_cursor_that_may_have_wrapped() {
    let body = "phases:run(function(localIndex) local c = groupIndex * 4 + localIndex \
        local x: float = 0.0 if c + 1 < #input then x = input[c + 1] end \
        if localIndex == 0 and groupIndex < #output then output[groupIndex + 1] = x end end)";
    let up = group(4, body).replace("u32.div", "u32.divCeil");
    let found = refused(&up, &[("N0405", "input[c + 1]")]);
    let help = found[0].help.as_deref().unwrap_or_default();
    assert_eq!(help, "test `1 <= #input and c < #input - 1`");
}

/// Sums that are families only modulo 2^32: the lane turned round, and the lane before in groups
/// whose size divides 2^32 - 1.
#[test]
fn reads_that_wrap_are_of_no_family() {
    let turned = "local s = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) s[localIndex] = f32.fromU32(localIndex) end)\n\
        phases:run(function(localIndex) local c = groupIndex * 4 + localIndex if c < #output then \
        output[groupIndex * 4 + localIndex + 1] = s[3 - localIndex] end end)";
    let out = runs(&group(4, turned), &[vec![0; 4], vec![0; 4]], &[0]).remove(0);
    assert_eq!(out, bits(&[3.0, 2.0, 1.0, 0.0]));
    let before = "local s = phases:scratch(0.0, 15)\n\
        phases:run(function(localIndex) s[localIndex] = f32.fromU32(localIndex) end)\n\
        phases:run(function(localIndex) local c = groupIndex * 15 + localIndex if c < #output then \
        if localIndex > 0 then output[groupIndex * 15 + localIndex + 1] = s[localIndex - 1] end \
        end end)";
    let out = runs(&group(15, before), &[vec![0; 15], vec![0; 15]], &[0]).remove(0);
    let expected: Vec<f32> = (0..15_u8).map(|i| f32::from(i.saturating_sub(1))).collect();
    assert_eq!(out, bits(&expected));
    let body = "local s = phases:scratch(0.0, 15)\n\
        phases:run(function(localIndex) if localIndex > 0 then s[localIndex - 1] = 1.0 end end)";
    let found = refused(&group(15, body), &[("N0417", "s[localIndex - 1] = 1.0")]);
    assert!(
        found[0].message.contains("lane 1 writes `s[0]`"),
        "{}",
        found[0].message
    );
    let body = "local s = phases:scratch(0.0, 8)\n\
        phases:run(function(localIndex) s[7 - localIndex] = 1.0 end)";
    refused(&group(8, body), &[("N0417", "s[7 - localIndex] = 1.0")]);
    let body = "local s = phases:scratch(0.0, 16)\n\
        phases:run(function(localIndex) for k = -1, 1 do s[localIndex + u32.wrap(k) * 8] = 1.0 end \
        end)";
    let found = super::lower(&super::program(&group(8, body)).1).expect_err("slots below zero");
    let codes: Vec<&str> = found.iter().map(|fault| fault.code.text()).collect();
    assert_eq!(codes, ["N0416", "N0417"], "{found:?}");
}

#[test]
fn a_write_at_a_neighbours_slot() {
    let body = "local s = phases:scratch(0.0, 8)\n\
        phases:run(function(localIndex) s[localIndex + 1] = 1.0 end)";
    let found = refused(&group(4, body), &[("N0417", "s[localIndex + 1] = 1.0")]);
    assert!(
        found[0].message.contains("lane 0 writes `s[1]`"),
        "{}",
        found[0].message
    );
    let body = "local s = phases:scratch(0.0, 8)\n\
        phases:run(function(localIndex) s[u32.div(localIndex, 2)] = 1.0 end)";
    let found = refused(
        &group(4, body),
        &[("N0417", "s[u32.div(localIndex, 2)] = 1.0")],
    );
    assert!(
        found[0].message.contains("lanes 0 and 1 both write `s[0]`"),
        "{}",
        found[0].message
    );
}

#[test]
fn a_neighbours_slot_read_in_the_writing_phase() {
    let body = "local s = phases:scratch(0.0, 4) local t = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) s[localIndex] = 1.0 \
        t[localIndex] = s[u32.mod(localIndex + 1, 4)] end)";
    let found = refused(
        &group(4, body),
        &[("N0419", "s[u32.mod(localIndex + 1, 4)]")],
    );
    assert!(
        found[0]
            .message
            .contains("lane 0 reads `s[1]`, which lane 1 writes"),
        "{}",
        found[0].message
    );
    let body = "local s = phases:scratch(0.0, 4) local t = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) s[localIndex] = 1.0 end)\n\
        phases:run(function(localIndex) t[localIndex] = s[u32.mod(localIndex + 1, 4)] end)";
    runs(&group(4, body), &[vec![0; 1], vec![0; 4]], &[0]);
}

/// Turns past the lane's own part: the array is long enough, but lanes meet.
#[test]
fn a_block_that_reaches_into_the_next() {
    let body = "local s = phases:scratch(0.0, 16)\n\
        phases:run(function(localIndex) for j = 0, 2 do s[localIndex * 2 + j] = 1.0 end end)";
    let found = refused(&group(4, body), &[("N0417", "s[localIndex * 2 + j] = 1.0")]);
    let text = &found[0].message;
    assert!(text.contains("lanes 0 and 1 both write `s[2]`"), "{text}");
    let body = "local s = phases:scratch(0.0, 16)\n\
        phases:run(function(localIndex) s[localIndex * 2] = 1.0 local x = 0.0 \
        for j = 0, 2 do x = x + s[localIndex * 2 + j] end end)";
    refused(&group(4, body), &[("N0419", "s[localIndex * 2 + j]")]);
}

#[test]
fn two_families_in_one_phase() {
    let body = "local s = phases:scratch(0.0, 8)\n\
        phases:run(function(localIndex) s[localIndex] = 1.0 s[localIndex * 2 + 1] = 2.0 end)";
    let found = refused(&group(4, body), &[("N0418", "s[localIndex * 2 + 1] = 2.0")]);
    assert!(found[0].message.contains("lanes"), "{}", found[0].message);
}

#[test]
fn slots_outside_their_array() {
    let body = "local s = phases:scratch(0.0, 4)\n\
        phases:run(function(localIndex) for k = 0, 1 do s[localIndex + k * 4] = 1.0 end end)";
    let found = refused(&group(4, body), &[("N0416", "s[localIndex + k * 4] = 1.0")]);
    assert!(found[0].message.contains("slot 7"), "{}", found[0].message);
    let body = "local s = phases:scratch(0.0, 2)\n\
        phases:run(function(localIndex) s[localIndex] = 1.0 end)";
    refused(&group(4, body), &[("N0416", "s[localIndex] = 1.0")]);
}

#[test]
fn two_forms_in_two_phases() {
    let body = "phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output[groupIndex + 1] = 1.0 end end)\n\
        phases:run(function(localIndex) local c = groupIndex * 4 + localIndex if c < #output then \
        output[groupIndex * 4 + localIndex + 1] = 1.0 end end)";
    refused(
        &group(4, body),
        &[("N0409", "output[groupIndex * 4 + localIndex + 1] = 1.0")],
    );
}

#[test]
fn seventeen_shared_arrays() {
    let mut body = String::new();
    for i in 0..17 {
        body += &format!("local s{i} = phases:scratch(0.0, 256)\n");
    }
    body += "phases:run(function(localIndex)";
    for i in 0..17 {
        body += &format!(" s{i}[localIndex] = 1.0");
    }
    body += " end)\nphases:run(function(localIndex) local x = 0.0";
    for i in 0..17 {
        body += &format!(" x = x + s{i}[255 - localIndex]");
    }
    body += " end)";
    let (_, program) = super::program(&group(256, &body));
    let found = super::lower(&program).expect_err("too large");
    assert_eq!((found.len(), found[0].code.text()), (1, "N0593"));
    assert!(found[0].message.contains("17408"), "{}", found[0].message);
}

/// `output` written by groups of 64 lanes that are counted by this divisor.
fn counted(groups: &str, body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
         borrows t: span.Span<uint32>): nil\n\
         gpu.workgroups({groups}, 64, function(groupIndex, phases)\n\
         phases:run(function(localIndex) {body} end)\nend)\nend\n"
    )
}

const OWN: &str = "if groupIndex * 64 + localIndex < #output then \
    output[groupIndex * 64 + localIndex + 1] = 1 end";

#[test]
fn guarded_blocks_of_groups_are_theirs_where_no_product_wraps() {
    let cursor = "local c = groupIndex * 64 + localIndex if c < #output then output[c + 1] = 1 end";
    let few = "if groupIndex < 67108864 and groupIndex * 64 + localIndex < #output then \
        output[groupIndex * 64 + localIndex + 1] = 1 end";
    let whole = "if groupIndex < u32.div(#output, 64) and groupIndex * 64 + localIndex < #output then \
        output[groupIndex * 64 + localIndex + 1] = 1 end";
    for (groups, body) in [
        ("u32.div(u32.wrap(#t), 64)", OWN),
        ("u32.div(u32.wrap(#t), 64)", cursor),
        ("u32.divCeil(u32.wrap(#output), 64)", OWN),
        ("u32.divCeil(u32.wrap(#t), 64)", cursor),
        ("u32.div(u32.wrap(#t), 256)", OWN),
        ("u32.div(u32.wrap(#output), 32)", few),
        ("u32.divCeil(u32.wrap(#output), 32)", few),
        ("u32.div(u32.wrap(#t), 1)", few),
        ("u32.div(u32.wrap(#output), 1)", whole),
    ] {
        let out = runs(&counted(groups, body), &[vec![0; 150], vec![0; 256]], &[]);
        assert!(out[0].contains(&1), "{groups} {body}");
    }
}

/// With a divisor below the elements a group writes, `groupIndex * 64` may wrap: group 2^26 would
/// begin at the element of group 0.
#[test]
fn blocks_of_groups_that_may_wrap_meet() {
    let cursor = "local c = groupIndex * 64 + localIndex if c < #output then output[c + 1] = 1 end";
    let many = "for j = 0, 3 do if groupIndex * 256 + localIndex + j * 64 < #output then \
        output[groupIndex * 256 + localIndex + j * 64 + 1] = 1 end end";
    for (groups, body, at, help) in [
        (
            "u32.div(u32.wrap(#output), 32)",
            OWN,
            "output[groupIndex * 64 + localIndex + 1] = 1",
            64,
        ),
        ("u32.div(u32.wrap(#t), 32)", cursor, "output[c + 1] = 1", 64),
        (
            "u32.divCeil(u32.wrap(#output), 32)",
            cursor,
            "output[c + 1] = 1",
            64,
        ),
        (
            "u32.div(u32.wrap(#output), 1)",
            cursor,
            "output[c + 1] = 1",
            64,
        ),
        (
            "u32.div(u32.wrap(#output), 64)",
            many,
            "output[groupIndex * 256 + localIndex + j * 64 + 1] = 1",
            256,
        ),
    ] {
        let found = refused(&counted(groups, body), &[("N0405", at)]);
        let span = if groups.contains("#t") { "t" } else { "output" };
        let text = found[0].help.clone().unwrap_or_default();
        let right = format!("u32.divCeil(u32.wrap(#{span}), {help})");
        assert!(text.contains(&right), "{text}");
        // The help is right.
        runs(&counted(&right, body), &[vec![0; 150], vec![0; 256]], &[]);
    }
}

#[test]
fn what_is_missing_of_a_write_says_write() {
    let text = counted(
        "u32.div(u32.wrap(#t), 64)",
        "output[groupIndex * 64 + localIndex + 1] = 1",
    );
    let found = refused(
        &text,
        &[("N0404", "output[groupIndex * 64 + localIndex + 1] = 1")],
    );
    let help = found[0].help.clone().unwrap_or_default();
    assert!(help.starts_with("write it under `if "), "{help}");
}

#[test]
fn a_lane_scatters_in_one_phase() {
    let twice = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
        borrows t: span.Span<uint32>): nil\n\
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)\n\
        phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output then \
        output:scatter(groupIndex + 1, 1) end end)\n\
        phases:run(function(localIndex) if localIndex == 1 and groupIndex < #output then \
        output:scatter(groupIndex + 1, 2) end end)\nend)\nend\n";
    refused(twice, &[("N0414", "output:scatter(groupIndex + 1, 2)")]);
    let once = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
        borrows t: span.Span<uint32>, n: int32): nil\n\
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)\n\
        if n > 0 then phases:run(function(localIndex) if localIndex == 0 and groupIndex < #output \
        then output:scatter(groupIndex + 1, 1) end end)\n\
        else phases:run(function(localIndex) if localIndex == 1 and groupIndex < #output then \
        output:scatter(groupIndex + 1, 2) end end) end\nend)\nend\n";
    for (n, expected) in [(1, [1, 1, 0]), (0, [2, 2, 0])] {
        let out = runs(once, &[vec![0; 8], Vec::new()], &[n]);
        assert_eq!(out[0][..3], expected);
    }
}

#[test]
fn helps_name_the_authors_numbers() {
    let text = group(
        4,
        "phases:run(function(localIndex)\noutput[localIndex + 1] = 1.0\nend)",
    )
    .replace("groupIndex", "team")
    .replace("localIndex", "me");
    let found = refused(&text, &[("N0408", "output[me + 1] = 1.0")]);
    let help = found[0].help.as_deref();
    assert_eq!(
        help,
        Some(
            "write `output[team * 4 + me + 1]`, `output[team + 1]` under \
             `if me == 0 then ... end`, or `output:scatter(me + 1, value)` where no two lanes write \
             one element"
        )
    );
}
