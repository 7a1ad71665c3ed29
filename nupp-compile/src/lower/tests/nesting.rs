//! How deeply lowered kernels nest: long rows of early exits stay flat and keep their bits and
//! their proofs, and what nests too deeply by itself is refused at its innermost statement.

use super::{bits, lowered, map, ramp, refused, runs};
use nupp_core::limits::MAX_NESTING;

const LEN: usize = 150;

/// Runs a body and compares what it writes with `expected`, element by element.
#[track_caller]
fn writes(text: &str, expected: impl Fn(usize) -> f32) {
    let nesting = lowered(text).body.nesting();
    assert!(nesting <= MAX_NESTING, "{nesting} levels");
    let spans = [vec![0; LEN], bits(&ramp(LEN))];
    let results = runs(text, &spans, &[2.0f32.to_bits(), 7, 0, 0]);
    for (at, &word) in results[0].iter().enumerate() {
        assert_eq!(word, expected(at).to_bits(), "element {at}");
    }
}

#[test]
fn a_hundred_guards_in_a_map() {
    let guards: String = (0..100)
        .map(|n| format!("if index == {} then continue end\n", n + 1))
        .collect();
    let text = map(&format!(
        "output[index] = 1.0\n{guards}output[index] = input[index]"
    ));
    writes(&text, |at| if at < 100 { 1.0 } else { ramp(LEN)[at] });
}

#[test]
fn a_hundred_guards_with_locals_between_them_in_a_loop() {
    let guards: String = (0..100)
        .map(|n| {
            let last = if n == 0 {
                "1.0".to_owned()
            } else {
                format!("x{}", n - 1)
            };
            format!(
                "local x{n} = {last} + 0.5\nif k == {n} then total = total + x{n} continue end\n"
            )
        })
        .collect();
    let text = map(&format!(
        "local total: float = 0.0\nfor k = 96, 101 do\n{guards}\ntotal = total + x99 * 2.0\n\
         if k == 100 then break end\nend\noutput[index] = total"
    ));
    let x = |n: i32| 1.0 + 0.5 * (n + 1) as f32;
    let total = x(96) + x(97) + x(98) + x(99) + x(99) * 2.0;
    writes(&text, |_| total);
}

#[test]
fn sixty_returns_in_a_helper_and_inside_its_loop() {
    let returns: String = (0..60)
        .map(|n| format!("if x == {n} then return {n}.5 end\n"))
        .collect();
    let helper = format!(
        "local function pick(x: int32): float\nfor k = 0, 1 do\n{}\nend\n{returns}return 99.0\nend\n",
        returns.replace("x ==", "x - 100 =="),
    );
    let text =
        helper + &map("output[index] = pick(i32.wrap(index)) + pick(i32.wrap(index) - 1000)");
    writes(&text, |at| {
        let x = at + 1;
        let part = if x < 60 { x } else { x.wrapping_sub(100) };
        99.0 + if part < 60 { part as f32 + 0.5 } else { 99.0 }
    });
}

#[test]
fn facts_hold_after_a_hundred_guards() {
    let guards: String = (0..100)
        .map(|n| format!("local y{n} = index + {n} if y{n} == 40 then continue end\n"))
        .collect();
    let text = map(&format!(
        "output[index] = 1.0\nlocal c = index + 5\nif c >= #input then continue end\n{guards}\
         if y99 < index then continue end\noutput[index] = input[c + 1]"
    ));
    writes(&text, |at| {
        let left = at < 40 || at + 6 >= LEN;
        if left { 1.0 } else { ramp(LEN)[at + 6] }
    });
}

#[test]
fn blocks_inside_blocks_are_refused_at_the_innermost() {
    let deep = |levels: usize| {
        let open: String = (0..levels)
            .map(|n| format!("if limit > {n} then\n"))
            .collect();
        let close = "end\n".repeat(levels);
        map(&format!(
            "output[index] = 1.0\n{open}output[index] = input[index]\n{close}"
        ))
    };
    assert_eq!(lowered(&deep(MAX_NESTING)).body.nesting(), MAX_NESTING);
    let found = refused(
        &deep(MAX_NESTING + 1),
        &[("N0592", "output[index] = input[index]")],
    );
    assert!(found[0].message.contains("`k`"), "{}", found[0].message);
}
