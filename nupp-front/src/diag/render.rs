//! Prints diagnostics as rustc prints them, for the command line and for kernels in files.
//!
//! A place whose line cannot be had is printed as `path:line:column` alone.

use super::Diagnostic;
use crate::span::SrcSpan;
use crate::syntax::source::{Place, Source};
use std::fmt::Write as _;

/// The diagnostic as text that ends with an empty line; `path` is what the reader calls the file.
pub fn render(diagnostic: &Diagnostic, source: &Source, path: &str) -> String {
    let mut text = format!(
        "error[{}]: {}\n",
        diagnostic.code.text(),
        diagnostic.message
    );
    let width = margin(diagnostic, source);
    snippet(&mut text, source, path, diagnostic.at, '^', width);
    let pad = " ".repeat(width);
    for (_, note) in diagnostic.notes.iter().filter(|(at, _)| at.is_none()) {
        tail(&mut text, &pad, "note", note);
    }
    if let Some(help) = &diagnostic.help {
        tail(&mut text, &pad, "help", help);
    }
    for (at, note) in &diagnostic.notes {
        if let Some(at) = at {
            let _ = writeln!(text, "note: {note}");
            snippet(&mut text, source, path, *at, '-', width);
        }
    }
    text.push('\n');
    text
}

fn tail(text: &mut String, pad: &str, label: &str, lines: &str) {
    let mut lines = lines.lines();
    let _ = writeln!(text, "{pad} = {label}: {}", lines.next().unwrap_or(""));
    for line in lines {
        let _ = writeln!(text, "{pad}   {}  {line}", " ".repeat(label.len()));
    }
}

/// Digits of the greatest line number that is shown.
fn margin(diagnostic: &Diagnostic, source: &Source) -> usize {
    let places = diagnostic
        .notes
        .iter()
        .filter_map(|(at, _)| *at)
        .chain([diagnostic.at]);
    let lines = places
        .filter_map(|at| source.place(at))
        .map(|place| place.end_line);
    lines.max().unwrap_or(1).to_string().len()
}

fn snippet(text: &mut String, source: &Source, path: &str, at: SrcSpan, mark: char, width: usize) {
    let pad = " ".repeat(width);
    let Some(place) = source.place(at) else {
        let _ = writeln!(text, "{pad}--> {path}");
        return;
    };
    let _ = writeln!(text, "{pad}--> {path}:{}:{}", place.line, place.column);
    let Some(line) = source.line_text(place.line) else {
        return;
    };
    let _ = writeln!(text, "{pad} |");
    let _ = writeln!(text, "{:<width$} | {}", place.line, line.replace('\t', " "));
    let (before, marks) = underline(place, line);
    let _ = writeln!(
        text,
        "{pad} | {}{}",
        " ".repeat(before),
        mark.to_string().repeat(marks)
    );
}

/// Columns before the mark and of it; a place that goes on below is marked to its line's end.
fn underline(place: Place, line: &str) -> (usize, usize) {
    let before = place.column.saturating_sub(1);
    let end = if place.end_line == place.line {
        place.end_column.saturating_sub(1)
    } else {
        line.trim_end().chars().count()
    };
    (before, end.saturating_sub(before).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    #[test]
    fn a_diagnostic_with_everything() {
        let source = Source::from_nupp("local x = 1\nlocal y = 2\n");
        let at = SrcSpan { first: 1, last: 3 };
        let diagnostic = Diagnostic::new(Code::ALL[0], at, "this is wrong")
            .note(Some(SrcSpan { first: 5, last: 5 }), "because of `y`")
            .note(None, "and in general")
            .help("write `z`\nor `w`");
        let expected = format!(
            "error[{}]: this is wrong\n --> k.nupp:1:7\n  |\n1 | local x = 1\n  |       ^^^^^\n  = note: and in \
             general\n  = help: write `z`\n          or `w`\nnote: because of `y`\n --> k.nupp:2:7\n  |\n2 | local y \
             = 2\n  |       -\n\n",
            Code::ALL[0].text()
        );
        assert_eq!(render(&diagnostic, &source, "k.nupp"), expected);
    }
}
