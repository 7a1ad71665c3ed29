//! Every refusal of the stage: `refusals.txt` shows each message at its token, with its help.
//!
//! `body:` lines are statements of a function, `item:` lines stand at the top of a block. To look
//! at a new case, add its line; the failing test prints what it gives.

use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;
use crate::syntax::{Source, parse};

const CASES: &str = include_str!("refusals.txt");

fn source_of(line: &str) -> Source {
    match line.split_once(": ") {
        Some(("body", text)) => {
            Source::from_nupp(&format!("local function f(x: float)\n    {text}\nend"))
        }
        Some((_, text)) => Source::from_nupp(text),
        None => panic!("`{line}` is neither a body nor an item"),
    }
}

fn render(source: &Source, found: &[Diagnostic]) -> String {
    let text = |at: SrcSpan| source.text(at).unwrap_or("?").to_owned();
    let mut out = String::new();
    for d in found {
        let help = d.help.as_deref().unwrap_or("?");
        let line = format!("{} `{}`: {} ({help})", d.code.text(), text(d.at), d.message);
        out += &format!("\t{line}\n");
        for (at, note) in &d.notes {
            out += &format!("\tnote `{}`: {note}\n", at.map_or("?".to_owned(), text));
        }
    }
    out
}

#[test]
fn each_refusal_says_what_to_write() {
    let mut given = String::new();
    for line in CASES.lines().filter(|line| !line.starts_with('\t')) {
        let source = source_of(line);
        given += &format!("{line}\n{}", render(&source, &parse(&source).1));
    }
    for (line, (given, wanted)) in given.lines().zip(CASES.lines()).enumerate() {
        assert_eq!(given, wanted, "refusals.txt:{}", line + 1);
    }
    assert_eq!(given.lines().count(), CASES.lines().count());
}

#[test]
fn messages_follow_the_house_rules() {
    let mut seen = BTreeSet::new();
    for line in CASES.lines().filter(|line| !line.starts_with('\t')) {
        for d in parse(&source_of(line)).1 {
            let first = d.message.chars().next().expect("a message");
            assert!(
                first == '`' || first.is_lowercase() || first.is_ascii_digit(),
                "{}",
                d.message
            );
            assert!(
                !d.message.ends_with('.') && !d.message.contains(". "),
                "{}",
                d.message
            );
            assert!(d.help.is_some_and(|help| !help.is_empty()), "{}", d.message);
            seen.insert(d.code);
        }
    }
    // `--` swallows code only among a macro's tokens: its refusals are in `comments`.
    let of_this_stage = |c: &&Code| c.text().starts_with("N01") && **c != Code::DashComment;
    for code in Code::ALL.iter().filter(of_this_stage) {
        assert!(seen.contains(code), "no case for {}", code.text());
    }
}
