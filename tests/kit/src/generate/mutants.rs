//! Breaks generated workgroup kernels in their text: an index moved, a boundary removed, a condition
//! dropped, a stride or a count changed.
//!
//! Most of what comes out must be refused. What is accepted is another kernel that has to mean the
//! same on every executor, like any other.

use crate::random::Random;

/// Ways to break a kernel.
const KINDS: [&str; 7] = [
    "an index is moved",
    "a boundary is removed",
    "a condition is dropped",
    "a lane is no longer asked for",
    "a number of an index is changed",
    "a count is changed",
    "a loop is longer",
];

/// One mutant of the kernel, and how it was made; nothing where the kernel has no such place.
pub fn mutant(text: &str, random: &mut Random) -> Option<(&'static str, String)> {
    let kind = random.below(KINDS.len() as u32) as usize;
    let start = text.find("gpu.workgroups")?;
    let (head, body) = text.split_at(start);
    let changed = match kind {
        0 => {
            let place = pick(random, &indices(body))?;
            let by = random.pick(&[" + 1", " - 1", " + localIndex"]);
            replace(body, place.1..place.1, by)
        }
        1 => boundary(body, random)?,
        2 => {
            let place = pick(random, &between(body, "if ", " then"))?;
            replace(body, place.0..place.1, "true")
        }
        3 => only_lane(body, random)?,
        4 => number(body, &pick(random, &arithmetic(body))?, random)?,
        5 => number(
            body,
            &pick(random, &between(body, "phases:scratch(", ")\n"))?,
            random,
        )?,
        _ => {
            let bounds = between(body, "= 0, ", " do");
            number(body, &pick(random, &bounds)?, random)?
        }
    };
    Some((KINDS[kind], format!("{head}{changed}")))
}

type Place = (usize, usize);

fn pick(random: &mut Random, places: &[Place]) -> Option<Place> {
    let count = places.len() as u32;
    (count > 0).then(|| places[random.below(count) as usize])
}

fn replace(text: &str, place: std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..place.start], &text[place.end..])
}

/// What stands between two texts on one line.
fn between(text: &str, open: &str, close: &str) -> Vec<Place> {
    let starts = text.match_indices(open).map(|(at, _)| at + open.len());
    starts
        .filter_map(|start| {
            let end = start + text[start..].find(close)?;
            let close_at_end = close.ends_with('\n');
            (close_at_end || !text[start..end].contains('\n')).then_some((start, end))
        })
        .collect()
}

/// The insides of brackets.
fn indices(text: &str) -> Vec<Place> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '[' => open.push(at + 1),
            ']' => found.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    found
}

/// Indices, and the right sides of cursors.
fn arithmetic(text: &str) -> Vec<Place> {
    let mut found = indices(text);
    found.extend(between(text, " = groupIndex", "\n"));
    found
}

/// Changes one number in a place.
fn number(text: &str, place: &Place, random: &mut Random) -> Option<String> {
    let inside = &text[place.0..place.1];
    let digit = |at: usize| inside.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    // Not a part of a name or of a float.
    let starts = |at: &usize| {
        let before = at.checked_sub(1).map(|b| inside.as_bytes()[b]);
        digit(*at) && before.is_none_or(|b| !b.is_ascii_alphanumeric() && b != b'.' && b != b'_')
    };
    let numbers: Vec<Place> = (0..inside.len())
        .filter(starts)
        .map(|start| {
            let end = (start..inside.len()).find(|&at| !digit(at));
            (start, end.unwrap_or(inside.len()))
        })
        .collect();
    let (start, end) = pick(random, &numbers)?;
    let old: u32 = inside[start..end].parse().ok()?;
    let new = match random.below(5) {
        0 => old.saturating_sub(1),
        1 => old.wrapping_mul(2),
        2 => old / 2,
        3 => 0,
        _ => old.wrapping_add(1),
    };
    let place = place.0 + start..place.0 + end;
    Some(replace(text, place, &new.to_string()))
}

/// Two phases that follow each other become one.
fn boundary(text: &str, random: &mut Random) -> Option<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("end)\n") {
        let after = &text[at + 5..];
        let next = after.trim_start();
        if !next.starts_with("phases:run(function(") {
            continue;
        }
        let line = after.find('\n').map_or(after.len(), |end| end + 1);
        found.push((at, at + 5 + line));
    }
    let (start, end) = pick(random, &found)?;
    // One name for the lane in both.
    let joined = replace(text, start..end, "");
    Some(
        joined
            .replace("(lane)", "(localIndex)")
            .replace("lane", "localIndex"),
    )
}

/// `localIndex == 3 and`, or `and localIndex == 3`, goes.
fn only_lane(text: &str, random: &mut Random) -> Option<String> {
    let mut found = Vec::new();
    for name in ["lane", "localIndex"] {
        for (at, test) in text.match_indices(&format!("if {name} == ")) {
            let end = at + text[at..].find(" and ")? + 5;
            found.push((at + test.len() - name.len() - 4, end));
        }
        for (at, _) in text.match_indices(&format!(" and {name} == ")) {
            found.push((at, at + text[at..].find(" then")?));
        }
    }
    let (start, end) = pick(random, &found)?;
    Some(replace(text, start..end, ""))
}
