//! Inequalities: `~=` beside `<` and `<=` bounds elements, on either side of an `if`, behind `or`,
//! `not` and locals; and whatever the prover accepts, the verifier accepts too.
//!
//! The generated kernels read one element under random conditions. What is accepted is run for
//! every small length and value, where an access out of bounds is an error of the interpreter.

use super::{lowered, program};
use crate::lower::lower;
use nupp_core::eval::source::{LaneOrder, run};
use nupp_core::ir::kernel::Kernel;
use nupp_core::ir::print::print;
use nupp_core::verify::source::verify;

/// A map over `output` and `t`, which are as long as each other.
fn over(body: &str) -> String {
    format!(
        "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
         borrows t: span.Span<float>, at: uint32, n: int32): nil\n\
         assert(#t == #output)\nfor index = 1, #output do\n{body}\nend\nend\n"
    )
}

/// Runs a kernel for all small lengths and values: every access is in bounds.
fn stays_inside(text: &str, kernel: Kernel) -> Result<(), String> {
    let shown = print(&kernel);
    let kernel =
        verify(kernel).map_err(|e| format!("{text}is proved, not verified: {e}\n{shown}"))?;
    for length in 0..6 {
        for at in [0, 1, 2, 3, 4, 5, 6, u32::MAX - 2, u32::MAX - 1, u32::MAX] {
            let mut spans = vec![vec![0; length], (0..length as u32).collect()];
            run(&kernel, &mut spans, &[at, at], LaneOrder::Ascending)
                .map_err(|e| format!("{text}with {length} elements, at = {at}: {e}"))?;
        }
    }
    Ok(())
}

#[track_caller]
fn accepts(body: &str) {
    let text = over(body);
    assert_eq!(stays_inside(&text, lowered(&text)), Ok(()));
}

#[test]
fn what_is_at_most_and_unequal_is_below() {
    for body in [
        "if index ~= #t then output[index] = t[index + 1] end",
        "if index ~= 1 and index ~= #t then output[index] = t[index - 1] + t[index + 1] end",
        "if index == 1 or index == #output then output[index] = t[index] else \
         output[index] = t[index - 1] + t[index + 1] end",
        "if index == #output then continue end output[index] = t[index + 1]",
        "if not (index == 1 or index == #t) then output[index] = t[index - 1] + t[index + 1] end",
        "if index == #t then output[index] = 0.0 else output[index] = t[index + 1] end",
        "local last = index == #t if not last then output[index] = t[index + 1] end",
        "local c = index - 1 if c ~= #t - 1 then output[index] = t[c + 2] end",
        "if index ~= #t then if index ~= #t - 1 then output[index] = t[index + 2] end end",
        "if index ~= #t - 1 then if index ~= #t then output[index] = t[index + 2] end end",
        "local c = at if c ~= #t and c <= #t then output[index] = t[c + 1] end",
        "local c = at if c <= #t then if #t == c then continue end output[index] = t[c + 1] end",
        "if at < #t and at + 1 ~= #t then output[index] = t[at + 2] end",
        "if #t ~= 0 and at < #t and at ~= #t - 1 then output[index] = t[at + 2] end",
        "local x = u32.mod(index - 1, 16) local s = 0.0 if x ~= 0 then s = s + t[index - 1] end \
         output[index] = s",
        "local x = u32.mod(index - 1, 16) local s = 0.0 if x > 0 then s = s + t[index - 1] end \
         if x ~= 15 and index < #t then s = s + t[index + 1] end output[index] = s",
    ] {
        accepts(body);
    }
}

#[test]
fn inequalities_bound_elements_of_a_phase() {
    let text = "@aot(target = \"gpu\")\nlocal function k(exclusive output: span.WriteSpan<float>, \
        borrows t: span.Span<float>, at: uint32, n: int32): nil\n\
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)\n\
        phases:run(function(localIndex) local c = groupIndex * 64 + localIndex local s = 0.0 \
        if c ~= #t and c <= #t then s = t[c + 1] end \
        output[groupIndex * 64 + localIndex + 1] = s end)\nend)\nend\n";
    assert_eq!(stays_inside(text, lowered(text)), Ok(()));
}

/// A generator of bodies; each random number comes from the last.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn pick(&mut self, from: &[&str]) -> String {
        from[self.below(from.len())].to_owned()
    }

    fn sum(&mut self, base: &str) -> String {
        match self.below(5) {
            0 => format!("{base} + 1"),
            1 => format!("{base} - 1"),
            2 => format!("{base} + 2"),
            _ => base.to_owned(),
        }
    }

    fn comparison(&mut self, cursor: &str) -> String {
        let left = match self.below(4) {
            0 => self.pick(&["index", "at", "c", "x", "#t"]),
            _ => cursor.to_owned(),
        };
        let left = self.sum(&left);
        let right = match self.below(6) {
            0 => self.pick(&["0", "1", "2", "3"]),
            1 => self.pick(&["index", "at", "c", "x"]),
            _ => {
                let length = self.pick(&["#t", "#output"]);
                self.sum(&length)
            }
        };
        let op = self.pick(&["==", "~=", "~=", "<", "<=", "<", "<=", ">", ">="]);
        if self.below(4) == 0 {
            format!("{right} {op} {left}")
        } else {
            format!("{left} {op} {right}")
        }
    }

    fn cond(&mut self, cursor: &str, depth: usize) -> String {
        if depth == 0 {
            return self.comparison(cursor);
        }
        match self.below(6) {
            0 | 1 => {
                let (a, b) = (self.cond(cursor, depth - 1), self.cond(cursor, depth - 1));
                format!("({a}) and ({b})")
            }
            2 => {
                let (a, b) = (self.cond(cursor, depth - 1), self.cond(cursor, depth - 1));
                format!("({a}) or ({b})")
            }
            3 => format!("not ({})", self.cond(cursor, depth - 1)),
            _ => self.comparison(cursor),
        }
    }

    fn guarded(&mut self, cursor: &str, read: &str, levels: usize) -> String {
        if levels == 0 {
            return read.to_owned();
        }
        let depth = self.below(3);
        let cond = self.cond(cursor, depth);
        let name = format!("b{levels}");
        match self.below(5) {
            0 => format!(
                "if {cond} then continue end {}",
                self.guarded(cursor, read, levels - 1)
            ),
            1 => format!(
                "if {cond} then output[index] = 0.0 else {} end",
                self.guarded(cursor, read, levels - 1)
            ),
            2 => format!(
                "local {name} = {cond} if {name} then {} end",
                self.guarded(cursor, read, levels - 1)
            ),
            _ => format!(
                "if {cond} then {} end",
                self.guarded(cursor, read, levels - 1)
            ),
        }
    }

    fn body(&mut self) -> String {
        let cursor = self.pick(&["index", "at", "c", "x", "c"]);
        let made = self.pick(&[
            "index - 1",
            "at",
            "at + 1",
            "index + 1",
            "u32.min(at, #t)",
            "u32.mod(at, 4)",
            "u32.div(at, 2)",
            "u32.max(at, index)",
            "u32.wrap(n)",
        ]);
        let element = match self.below(5) {
            0 => format!("{cursor} - 1"),
            1 => cursor.clone(),
            2 => format!("{cursor} + 2"),
            _ => format!("{cursor} + 1"),
        };
        let levels = 1 + self.below(3);
        let inside = self.guarded(&cursor, &format!("output[index] = t[{element}]"), levels);
        format!("local x = u32.mod(index - 1, 4) local c = {made} {inside}")
    }
}

#[test]
fn what_is_proved_is_verified_and_in_bounds() {
    let more = std::env::var("NUPP_KERNELS")
        .ok()
        .and_then(|n| n.parse().ok());
    let kernels: usize = more.unwrap_or(800);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut wrong) = (0, Vec::new());
    for _ in 0..kernels {
        let text = over(&random.body());
        let (_, program) = program(&text);
        if let Ok(mut kernels) = lower(&program) {
            accepted += 1;
            wrong.extend(stays_inside(&text, kernels.remove(0)).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        accepted * 10 > kernels,
        "only {accepted} of {kernels} are accepted"
    );
}

/// A chain of choices stays as long as it was written, and so does the time that it takes.
#[test]
fn long_chains_stay_linear() {
    let lines = |count: usize| {
        let choices: String = (0..count)
            .map(|k| format!("if n > {k} then c = c + 1 else c = c * 3 end\n"))
            .collect();
        let text = over(&format!(
            "local c: uint32 = at {choices} output[index] = f32.fromU32(c)"
        ));
        let kernel = lowered(&text);
        let lines = print(&kernel).lines().count();
        verify(kernel).expect("it verifies");
        lines
    };
    assert!(lines(200) < 2 * lines(100));
}

#[test]
fn many_facts_at_once() {
    // Sixteen nested comparisons, and a read under each.
    let mut body = String::from("local s: float = 0.0 ");
    for k in 0..16 {
        body += &format!(
            "if at + {k} < #t and at + {k} ~= #output then s = s + t[at + {}] ",
            k + 1
        );
    }
    body += &"end ".repeat(16);
    body += "output[index] = s";
    let text = over(&body.replace("if at + 0", "if at < 1000 and at + 0"));
    assert_eq!(stays_inside(&text, lowered(&text)), Ok(()));
}
