//! Texts of the refusals of accesses: what is missing, and what to write.
//!
//! Each takes names and texts as the author wrote them and knows nothing of the search.

use super::forms::SpanUse;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::span::SrcSpan;

/// What the author calls the numbers that say which lane this is.
pub(crate) enum Numbers {
    /// The index of a map's loop.
    Map { index: String },
    /// The group's and the lane's, and how many lanes a group has.
    Groups {
        group: String,
        lane: String,
        size: u32,
    },
}

/// A read at the loop index, or an offset of it, of a span that the guards relate to the primary in
/// another way.
pub(crate) fn related(
    at: SrcSpan,
    element: &str,
    span: &str,
    primary: &str,
    guard: &str,
    test: &str,
) -> Diagnostic {
    let text = format!(
        "`{element}` may lie outside `{span}`: the guard `{guard}` does not make it as long as \
         `{primary}`"
    );
    Diagnostic::new(Code::LoopIndexUnguarded, at, text)
        .help(format!("read it under `if {test} then ... end`"))
}

/// A read or write at the loop index of a span that may be shorter than the primary.
pub(crate) fn unequal(at: SrcSpan, element: &str, span: &str, primary: &str) -> Diagnostic {
    let text =
        format!("`{element}` needs `#{span} == #{primary}`, which no guard of the kernel says");
    Diagnostic::new(Code::LoopIndexUnguarded, at, text).help(format!(
        "write `assert(#{span} == #{primary})` before the loop"
    ))
}

/// The same where a guard says it one way only.
pub(crate) fn one_sided(
    at: SrcSpan,
    element: &str,
    span: &str,
    (primary, index): (&str, &str),
    guard: &str,
) -> Diagnostic {
    let text = format!(
        "`{element}` needs `#{span} == #{primary}`; the guard `{guard}` says it one way only"
    );
    Diagnostic::new(Code::LoopIndexOneSided, at, text).help(format!(
        "write `assert(#{span} == #{primary})`, or read at a cursor: `local cursor = {index} - 1` \
         and `if cursor < #{span} then ... {span}[cursor + 1]`"
    ))
}

/// An offset of the index that may leave the span.
pub(crate) fn offset(
    at: SrcSpan,
    element: &str,
    span: &str,
    index: &str,
    offset: i64,
) -> Diagnostic {
    let (text, test) = if offset < 0 {
        (
            format!("`{element}` may lie before the first element of `{span}`"),
            format!("{index} > {}", -offset),
        )
    } else {
        let test = if offset == 1 {
            format!("{index} < #{span}")
        } else {
            format!("{offset} <= #{span} and {index} <= #{span} - {offset}")
        };
        (
            format!("`{element}` may lie past the last element of `{span}`"),
            test,
        )
    };
    Diagnostic::new(Code::IndexOffset, at, text)
        .help(format!("read it under `if {test} then ... end`"))
}

/// A cursor that nothing bounds.
pub(crate) fn unproved(
    at: SrcSpan,
    element: &str,
    span: &str,
    test: &str,
    write: bool,
) -> Diagnostic {
    let text = format!("`{element}` is not shown to be inside `{span}`");
    let verb = if write { "write" } else { "read" };
    Diagnostic::new(Code::CursorUnproved, at, text)
        .help(format!("{verb} it under `if {test} then ... end`"))
}

/// The element before the first.
pub(crate) fn element_zero(at: SrcSpan, element: &str, span: &str, write: bool) -> Diagnostic {
    let text = format!("there is no `{element}`: spans count from one");
    let verb = if write { "write" } else { "read" };
    Diagnostic::new(Code::CursorUnproved, at, text).help(format!(
        "{verb} `{span}[1]` under `if #{span} >= 1 then ... end`"
    ))
}

/// A cursor beyond what a comparison proves.
pub(crate) fn past(at: SrcSpan, element: &str, span: &str, test: &str, by: i64) -> Diagnostic {
    let elements = if by == 1 {
        "one element".to_string()
    } else {
        format!("{by} elements")
    };
    let text = format!("`{element}` is {elements} past what is proved of `{span}`");
    Diagnostic::new(Code::CursorPast, at, text).help(format!(
        "an element is one past its cursor: `{span}[c + 1]` needs `c < #{span}`, so test \
         `{test}`"
    ))
}

/// An element that is bounded above and may be the one before the first.
pub(crate) fn zero(at: SrcSpan, element: &str, span: &str, index: &str) -> Diagnostic {
    let text = format!("`{element}` may be `{span}[0]`, and spans count from one");
    Diagnostic::new(Code::CursorUnproved, at, text).help(format!(
        "write `{span}[{index} + 1]` under `{index} < #{span}`, or test `{index} >= 1` as well"
    ))
}

/// A comparison of a sum that may have wrapped.
pub(crate) fn wraps(
    at: SrcSpan,
    element: &str,
    span: &str,
    fact: Option<&str>,
    (most, help): (u32, String),
) -> Diagnostic {
    let text = match fact {
        Some(fact) => {
            format!("`{fact}` does not bound `{element}`: a sum in it may wrap past {most}")
        }
        None => format!("`{element}` is not shown to be inside `{span}`: a sum in it may wrap"),
    };
    Diagnostic::new(Code::CursorWraps, at, text).help(help)
}

/// A comparison about an earlier value of a local.
pub(crate) fn stale(
    at: SrcSpan,
    element: &str,
    span: &str,
    cursor: &str,
    local: &str,
    fact: (&str, SrcSpan),
    write: bool,
) -> Diagnostic {
    let text = format!(
        "`{element}` comes after `{local}` was assigned, so `{}` no longer bounds it",
        fact.0
    );
    Diagnostic::new(Code::CursorStale, at, text)
        .note(
            Some(fact.1),
            format!("this was about the earlier value of `{local}`"),
        )
        .help(format!(
            "test `{cursor} < #{span}` again after the assignment, or {} `{element}` before it",
            if write { "write" } else { "read" }
        ))
}

/// A write at an element that is not the lane's own.
///
/// `index` is the element's number as written; `stride` how far apart a map's lanes write by it;
/// `shared` says that it is one number for all lanes.
pub(crate) fn elsewhere(
    at: SrcSpan,
    element: &str,
    (span, index): (&str, &str),
    numbers: &Numbers,
    (stride, shared): (u32, bool),
) -> Diagnostic {
    let text = if shared {
        format!("every lane that comes here writes the one element `{element}`")
    } else {
        format!("`{element}` is not an element that only this lane writes")
    };
    let scatter = format!("`{span}:scatter({index}, value)` where no two lanes write one element");
    let help = match numbers {
        Numbers::Map { index } if (2..1 << 16).contains(&stride) => format!(
            "the loop gives each lane the one element `{span}[{index}]`: for {stride} of them, loop \
             over a span that is declared before `{span}`, with `assert({stride} * #it <= #{span})`"
        ),
        Numbers::Map { index } if shared => format!(
            "write `{span}[{index}]`; one value of all lanes is what `nupp::reduce::sum` gives from Rust, \
             and `phases:reduceSum` in a workgroup kernel"
        ),
        Numbers::Map { index } => format!("write `{span}[{index}]`, or {scatter}"),
        Numbers::Groups { group, lane, .. } if shared => format!(
            "write `{span}[{group} + 1]` under `if {lane} == 0 then ... end`, an element a group; of \
             the groups' elements `nupp::reduce` makes one"
        ),
        Numbers::Groups {
            group,
            lane,
            size: 1,
        } => {
            format!("write `{span}[{group} + 1]` under `if {lane} == 0 then ... end`, or {scatter}")
        }
        Numbers::Groups { group, lane, size } => format!(
            "write `{span}[{group} * {size} + {lane} + 1]`, `{span}[{group} + 1]` under \
             `if {lane} == 0 then ... end`, or {scatter}"
        ),
    };
    Diagnostic::new(Code::WriteElsewhere, at, text).help(help)
}

/// A read of a written span at another lane's element.
pub(crate) fn cross_read(at: SrcSpan, element: &str, span: &str, elem: &str) -> Diagnostic {
    let text = format!(
        "`{element}` reads an element of the written span `{span}` that another lane may write"
    );
    Diagnostic::new(Code::CrossRead, at, text).help(format!(
        "double-buffer: read from a second span, `borrows previous: span.Span<{elem}>` with \
         `assert(#previous == #{span})`, and write `{span}`"
    ))
}

/// A block of elements that no guard makes room for.
pub(crate) fn block(
    at: SrcSpan,
    element: &str,
    span: &str,
    primary: &str,
    stride: u32,
) -> Diagnostic {
    let text = format!(
        "`{element}` needs `{stride} * #{primary} <= #{span}`, which no guard of the kernel says"
    );
    Diagnostic::new(Code::BlockUnguarded, at, text).help(format!(
        "write `assert({stride} * #{primary} <= #{span})` before the loop"
    ))
}

/// A slot of a block that may be another lane's.
///
/// `slot` is the slot in the block, where it can be told from the rest of the index.
pub(crate) fn block_slot(
    at: SrcSpan,
    element: &str,
    span: &str,
    numbers: &Numbers,
    stride: u32,
    slot: Option<&str>,
) -> Diagnostic {
    if let (1, Numbers::Groups { group, lane, size }) = (stride, numbers) {
        let text = format!("`{element}` may not be the one element that belongs to its group");
        return Diagnostic::new(Code::BlockSlot, at, text).help(format!(
            "write `{span}[{group} + 1]` under `if {lane} == 0 then ... end`, or \
             `{span}[{group} * {size} + {lane} + 1]`"
        ));
    }
    let text =
        format!("`{element}` may leave the {stride} elements that belong to its lane or group");
    let help = match slot {
        Some(slot) => format!("write it under `if {slot} < {stride} then ... end`"),
        None => format!(
            "write the element as `... * {stride} + j + 1` with `j` from 0 to {}",
            stride - 1
        ),
    };
    Diagnostic::new(Code::BlockSlot, at, text).help(help)
}

/// A scatter that its lane may come to after another one into the span.
pub(crate) fn scatter_twice(at: SrcSpan, span: &str, first: &SpanUse) -> Diagnostic {
    let text = format!("one lane may scatter into `{span}` twice, here for the second time");
    let mut mistake = Diagnostic::new(Code::ScatterTwice, at, text)
        .note(Some(first.at), "here for the first time".to_owned())
        .help(format!(
            "choose the element and the value first and scatter once, \
             `{span}:scatter(cursor, value)`, or put each scatter into its own branch of one \
             `if ... else ... end`"
        ));
    for call in first.calls.iter().rev() {
        mistake = mistake.note(
            Some(*call),
            "that one is in a helper called here".to_owned(),
        );
    }
    mistake
}

/// A scatter that each turn of a loop repeats at one element.
///
/// `controller` says that the loop stands between phases, so that no `break` in a phase leaves it.
pub(crate) fn scatter_turns(u: &SpanUse, turns: SrcSpan, controller: bool) -> Diagnostic {
    let span = u.text.split('[').next().unwrap_or(&u.text);
    let text = format!(
        "one lane may scatter into `{span}` in every turn of a loop, each time at `{}`",
        u.text
    );
    let help = if controller {
        "scatter in a phase after the loop, and keep the value in a slot of scratch until then"
    } else {
        "scatter after the loop, or end the loop there: write `break` directly after the scatter"
    };
    let mut mistake = Diagnostic::new(Code::ScatterTwice, u.at, text)
        .note(Some(turns), "nothing in the element changes in this loop")
        .help(help);
    for call in u.calls.iter().rev() {
        mistake = mistake.note(Some(*call), "in a helper called here");
    }
    mistake
}

/// A product of the group number that may wrap, so that two groups would write one element.
pub(crate) fn group_wraps(
    at: SrcSpan,
    element: &str,
    (span, divisor): (&str, u32),
    group: &str,
    stride: u32,
) -> Diagnostic {
    let safe = (1u64 << 32) / u64::from(stride);
    let text = format!(
        "`{element}` may belong to two groups: from group {safe} on, `{group} * {stride}` wraps and \
         starts at 0 again"
    );
    let each = match divisor {
        1 => "element".to_owned(),
        n => format!("{n} elements"),
    };
    let count = format!(
        "there is a group for each {each} of `{span}`, so there may be {}",
        u32::MAX / divisor
    );
    Diagnostic::new(Code::CursorWraps, at, text)
        .note(None, count)
        .help(format!(
            "count the groups by what each one writes, `u32.divCeil(u32.wrap(#{span}), {stride})`, \
             or write it under `if {group} < {safe} then ... end`"
        ))
}

/// A slot outside its array.
pub(crate) fn slot(
    at: SrcSpan,
    element: &str,
    array: &str,
    count: u32,
    highest: i64,
    index: &str,
) -> Diagnostic {
    let text = if highest >= i64::from(u32::MAX) {
        format!("`{element}` is not shown to be inside `{array}`, which has {count} slots")
    } else {
        format!("`{element}` may touch slot {highest} of `{array}`, which has {count} slots")
    };
    Diagnostic::new(Code::ScratchRange, at, text).help(format!(
        "touch it under `if {index} < {count} then ... end`, or declare more slots"
    ))
}
