//! Scatters in loops: which turns may repeat one, and which certainly do not.

use super::{refused, runs};

/// A map that scatters into `moved`, with these statements in its loop.
fn scattering(body: &str) -> String {
    format!(
        "local function put(exclusive moved: span.WriteSpan<uint32>, to: uint32): nil\n\
         if to < #moved then moved:scatter(to + 1, 7) end\nend\n\
         @aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, \
         exclusive moved: span.WriteSpan<uint32>, borrows input: span.Span<uint32>, n: int32): nil\n\
         assert(#output == #input)\nfor index = 1, #output do\noutput[index] = 0\n{body}\nend\nend\n"
    )
}

/// A workgroup kernel of 4 lanes with this controller.
fn grouped(controller: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<uint32>, n: uint32): nil\n\
         gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)\n\
         local s = phases:scratch(u32.wrap(0), 4)\n{controller}\nend)\nend\n"
    )
}

const SAME: &str = "if input[index] < #moved then moved:scatter(input[index] + 1, index) end";

#[test]
fn a_scatter_at_one_element_in_each_turn() {
    let at = "moved:scatter(input[index] + 1, index)";
    for body in [
        format!("for i = 0, 3 do {SAME} end"),
        format!("local i: int32 = 0 while i < n do i = i + 1 {SAME} end"),
        format!("local i: int32 = 0 repeat i = i + 1 {SAME} until i > n"),
        // The inner loop goes through the same elements in each turn of the outer one.
        format!("for i = 0, 3 do for j = 0, 3 do {SAME} break end end"),
        // The turn that scatters may be followed by another.
        format!("for i = 0, 3 do {SAME} if i == n then break end end"),
        format!("for i = 0, 3 do if n > 1 then {SAME} continue end break end"),
        // A local that is assigned anew is the same again.
        "local c: uint32 = 0 for i = 0, 3 do c = input[index] if c < #moved then \
         moved:scatter(c + 1, index) end end"
            .to_owned(),
        // An inner loop that starts anew comes to the same result.
        "for i = 0, 3 do local c = input[index] while c < 9 do c = c + 2 end if c < #moved then \
         moved:scatter(c + 1, index) end end"
            .to_owned(),
    ] {
        let here = if body.contains(at) {
            at
        } else {
            "moved:scatter(c + 1, index)"
        };
        let found = refused(&scattering(&body), &[("N0414", here)]);
        assert!(found[0].message.contains("in every turn"), "{:?}", found[0]);
    }
    let inner = "for i = 0, 3 do for j = 0, 3 do if u32.wrap(j) < #moved then moved:scatter(u32.wrap(j) + 1, \
                 index) end end end";
    refused(
        &scattering(inner),
        &[("N0414", "moved:scatter(u32.wrap(j) + 1, index)")],
    );
    let found = refused(
        &scattering("for i = 0, 3 do put(moved, index) end"),
        &[("N0414", "moved:scatter(to + 1, 7)")],
    );
    assert!(
        found[0].message.contains("`moved[to + 1]`"),
        "{:?}",
        found[0]
    );
}

#[test]
fn a_scatter_at_one_element_in_each_phase() {
    let phase = "phases:run(function(localIndex) local c = groupIndex * 4 + localIndex if c < #output then \
                 output:scatter(c + 1, t) end end)";
    let found = refused(
        &grouped(&format!("for t = 0, 2 do {phase} end")),
        &[("N0414", "output:scatter(c + 1, t)")],
    );
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("a phase after the loop"), "{help}");
    // Scratch that the loop does not write is the same in each turn.
    let read = "phases:run(function(localIndex) local c = s[localIndex] if c < #output then \
                output:scatter(c + 1, t) end end)";
    refused(
        &grouped(&format!("for t = 0, 2 do {read} end")),
        &[("N0414", "output:scatter(c + 1, t)")],
    );
}

#[test]
fn a_scatter_of_one_turn() {
    for (body, expected) in [
        (format!("for i = 0, 3 do {SAME} break end"), [1, 2, 3]),
        (
            "for i = 0, 3 do if input[index] < #moved then moved:scatter(input[index] + 1, index) \
             break end end"
                .to_owned(),
            [1, 2, 3],
        ),
        (
            format!("for i = 0, 3 do if i == n then {SAME} end end"),
            [1, 2, 3],
        ),
        (
            "for i = 0, 3 do if n > 0 then put(moved, input[index]) else continue end break end"
                .to_owned(),
            [7, 7, 7],
        ),
        (
            "for i = 0, 3 do local c = input[index] + u32.wrap(i) * 3 if c < #moved then \
             moved:scatter(c + 1, index) end end"
                .to_owned(),
            [1, 2, 3],
        ),
        (
            "local c = input[index] while c < #moved do moved:scatter(c + 1, index) c = c + 3 end"
                .to_owned(),
            [1, 2, 3],
        ),
    ] {
        let text = scattering(&body);
        let out = runs(&text, &[vec![0; 3], vec![0; 3], vec![0, 1, 2]], &[1]);
        assert_eq!(out[1], expected, "{body}");
    }
}

#[test]
fn a_scatter_of_one_phase() {
    let moving = "for t = 0, 1 do phases:run(function(localIndex) s[localIndex] = (1 - u32.wrap(t)) * 4 + localIndex \
                  end)\nphases:run(function(localIndex) local c = s[localIndex] if c < #output then \
                  output:scatter(c + 1, 5) end end) end";
    let once = "for t = 0, 3 do phases:run(function(localIndex) local c = groupIndex * 4 + localIndex if c < #output \
                then output:scatter(c + 1, 5) end end) break end";
    for (controller, groups) in [(moving, 1), (once, 2)] {
        let out = runs(&grouped(controller), &[vec![0; 4 * groups]], &[0]);
        assert_eq!(out[0], vec![5; 4 * groups], "{controller}");
    }
}
