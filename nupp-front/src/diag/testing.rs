//! What the tests of every stage share that refuse programs: mistakes as text, and how they are worded.
//!
//! `NUPP_SHOW` prints the mistakes of each refused text.

use super::Diagnostic;
use crate::syntax::Source;

/// Mistakes as text: code and tokens, message, notes, help.
pub fn show(source: &Source, found: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in found {
        let text = source.text(d.at).unwrap_or("?");
        out += &format!("{} `{text}`\n  {}\n", d.code.text(), d.message);
        for (at, note) in &d.notes {
            let text = at.and_then(|at| source.text(at)).unwrap_or("?");
            let text: String = text.chars().take(60).collect();
            out += &format!("  note: {note} [{text}]\n");
        }
        out += &format!("  help: {}\n", d.help.as_deref().unwrap_or("NONE"));
    }
    out
}

/// Asserts that a text has exactly these mistakes, each a code and the tokens it stands at, and that
/// each is worded as a message should be and says what to write.
///
/// # Panics
/// If it is otherwise.
#[track_caller]
pub fn assert_mistakes(source: &Source, found: &[Diagnostic], expected: &[(&str, &str)]) {
    let shown = show(source, found);
    if std::env::var_os("NUPP_SHOW").is_some() {
        eprintln!("{shown}");
    }
    let have: Vec<(&str, &str)> = found
        .iter()
        .map(|d| (d.code.text(), source.text(d.at).unwrap_or("?")))
        .collect();
    assert_eq!(have, expected, "{shown}");
    for d in found {
        let lower_case = d.message.chars().next().is_some_and(|c| !c.is_uppercase());
        assert!(lower_case && !d.message.ends_with('.'), "{}", d.message);
        let helps = d.help.as_ref().is_some_and(|help| !help.is_empty());
        assert!(helps, "no help: {}", d.message);
    }
}
