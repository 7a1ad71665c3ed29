//! Names: which are reserved, what a misspelt one may have meant, and how messages quote code.

use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;
use crate::syntax::ast;
use crate::syntax::source::{Source, TokenKind};

/// Why no item, parameter, field or local may have a name.
fn taken(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "int32" | "uint32" | "boolean" | "number" => "it is a type",
        "nupp" | "require" => "it names the library",
        "assert" | "error" => "it makes a guard",
        _ => return None,
    })
}

/// Refuses a name that the language keeps for itself; Rust's own are refused while parsing.
pub(super) fn refuse_taken(name: &ast::Name) -> Option<Diagnostic> {
    let why = taken(&name.text)?;
    let message = format!("`{}` cannot be a name: {why}", name.text);
    let help = format!("write `{}_` or another name", name.text);
    Some(Diagnostic::new(Code::TakenName, name.at, message).help(help))
}

/// The candidate that `name` is closest to, if one is close enough to be meant.
pub(super) fn closest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(far, candidate)| *far <= limit && *far < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two names, letter case
/// counting for nothing.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().take(64).collect();
    let b: Vec<char> = b.to_lowercase().chars().take(64).collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The author's tokens as text for a message; long ones are cut.
pub(super) fn quote(source: &Source, at: SrcSpan) -> String {
    const MOST: usize = 60;
    let tokens = source.tokens();
    let last = (at.last as usize + 1).min(tokens.len());
    let shown = tokens
        .get((at.first as usize).min(last)..last)
        .unwrap_or_default();
    let mut text = String::new();
    let mut spacing = Spacing::default();
    for token in shown {
        if matches!(token.kind, TokenKind::Skipped | TokenKind::Doc) {
            continue;
        }
        if spacing.before(&token.text) {
            text.push(' ');
        }
        text.push_str(&token.text);
        if text.chars().count() > MOST {
            let cut: String = text.chars().take(MOST).collect();
            return format!("{} …", cut.trim_end());
        }
    }
    text
}

/// Where spaces stand between tokens.
#[derive(Default)]
struct Spacing<'t> {
    /// The token before; nothing at the start.
    last: &'t str,
    /// The token before is an operator with one operand.
    unary: bool,
    /// Element types that are open.
    angles: usize,
}

impl<'t> Spacing<'t> {
    /// Whether a space stands before this token, which is the last one from here on.
    fn before(&mut self, token: &'t str) -> bool {
        let last = std::mem::replace(&mut self.last, token);
        let word = |s: &str| s.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let value =
            matches!(last, ")" | "]") || word(last) && !crate::syntax::parse::is_keyword(last);
        let was_unary = std::mem::replace(
            &mut self.unary,
            token == "#" || matches!(token, "-" | "~") && !value,
        );
        let opens = token == "<" && matches!(last, "Span" | "WriteSpan" | "Scratch");
        let closes = self.angles > 0 && token.starts_with('>');
        let inside = self.angles > 0 && last == "<";
        if opens {
            self.angles += 1;
        } else if closes {
            self.angles -= token.len().min(self.angles);
        }
        let tight = matches!(token, "." | "," | ")" | "]" | ":" | "}")
            || matches!(last, "" | "." | "(" | "[" | ":" | "{")
            || matches!(token, "(" | "[") && (value || last == "function");
        !(tight || was_unary || opens || closes || inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_theirs() {
        let names = ["divCeil", "mul", "min", "saturate"];
        assert_eq!(closest("divceil", names), Some("divCeil"));
        assert_eq!(closest("muk", names), Some("mul"));
        assert_eq!(closest("satruate", names), Some("saturate"));
        assert_eq!(closest("output", names), None);
        assert_eq!(closest("x", ["y"]), None);
    }

    #[test]
    fn quotes_look_written() {
        for text in [
            "x - -y * (a[index + 1] < 2 and not b or #c == ~d)",
            "nupp.math.u32.add(n, -1)",
            "function(a, b) return -a end",
            "phases:run(f)",
        ] {
            let source = Source::from_nupp(text);
            let last = source.tokens().len() as u32 - 1;
            assert_eq!(quote(&source, SrcSpan { first: 0, last }), text);
        }
        let source = Source::from_nupp("span . Span < span.Span<float>>");
        let last = source.tokens().len() as u32 - 1;
        let all = SrcSpan { first: 0, last };
        assert_eq!(quote(&source, all), "span.Span<span.Span<float>>");
    }
}
