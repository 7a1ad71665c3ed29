//! Tests of the syntax stage: what parses, what is refused and how, and that nothing breaks it.

mod accepts;
mod comments;
mod mutate;
mod refusals;
mod roundtrip;

use super::ast::File;
use super::{Source, parse};
use crate::diag::Diagnostic;

/// Parses a `.nupp` text that has nothing wrong with it.
fn good(text: &str) -> File {
    let source = Source::from_nupp(text);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{}", show(&source, &found));
    file
}

/// Diagnostics as `line:column code message (help)`, one a line.
fn show(source: &Source, found: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in found {
        let place = source.place(d.at).expect("text has places");
        let text = source.text(d.at).unwrap_or("?");
        out += &format!(
            "{}:{} {} `{text}`: {} ({})\n",
            place.line,
            place.column,
            d.code.text(),
            d.message,
            d.help.as_deref().unwrap_or("")
        );
    }
    out
}
