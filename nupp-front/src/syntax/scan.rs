//! How long the token is that a text starts with. `lex` asks; nothing here has any state.

use super::lex::Dialect;

/// A character of punctuation, as Rust's tokens have them.
pub fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '=' | '<'
            | '>'
            | '!'
            | '~'
            | '+'
            | '-'
            | '*'
            | '/'
            | '%'
            | '^'
            | '&'
            | '|'
            | '@'
            | '.'
            | ','
            | ';'
            | ':'
            | '#'
            | '$'
            | '?'
            | '\''
    )
}

/// What a name may start with.
pub fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Bytes up to the end of the line.
pub fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of the name that the text starts with.
pub fn name_length(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let raw = if text.starts_with("r#") && text[2..].starts_with(is_name_start) {
        2
    } else {
        0
    };
    let end = text[raw..]
        .find(|c| !is_name(c))
        .unwrap_or(text.len() - raw);
    raw + end
}

/// A number as Rust's lexer takes one: `1..2` and `1.x` end at the point.
pub fn number_length(text: &str) -> usize {
    let word = |from: usize| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        text[from..]
            .find(|c| !is_word(c))
            .map_or(text.len(), |n| from + n)
    };
    let prefixed = text.len() > 2 && ["0x", "0b", "0o"].contains(&text.get(..2).unwrap_or(""));
    let mut end = word(0);
    if prefixed {
        return end;
    }
    if text[end..].starts_with('.') {
        let after = text[end + 1..].chars().next();
        if !after.is_some_and(|c| c == '.' || is_name_start(c)) && !text[..end].contains(['e', 'E'])
        {
            end = word(end + 1);
        }
    }
    if text[..end].ends_with(['e', 'E']) && text[end..].starts_with(['+', '-']) {
        let exponent = word(end + 1);
        if text[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            end = exponent;
        }
    }
    end
}

/// How long a string is, and whether its end was found.
#[derive(Clone, Copy)]
pub struct StringLength {
    pub bytes: usize,
    pub closed: bool,
}

/// The length of the string or character literal that the text starts with.
pub fn string_length(text: &str, dialect: Dialect) -> Option<StringLength> {
    if !text.starts_with(['"', '\'', 'b', 'c', 'r']) {
        return None;
    }
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|p| {
        text.strip_prefix(p)
            .is_some_and(|t| t.starts_with(['"', '\'', '#']))
    })?;
    let body = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        if !body[hashes..].starts_with('"') {
            return None;
        }
        let close = format!("\"{}", "#".repeat(hashes));
        let start = prefix.len() + hashes + 1;
        let end = text[start..]
            .find(&close)
            .map(|at| start + at + close.len());
        return Some(StringLength {
            bytes: end.unwrap_or(text.len()),
            closed: end.is_some(),
        });
    }
    let quote = body.chars().next().filter(|c| *c != '#')?;
    if quote == '\'' && (dialect == Dialect::Rust || !prefix.is_empty()) && !is_char_literal(body) {
        return None;
    }
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return Some(StringLength {
                bytes: prefix.len() + at + 1,
                closed: true,
            });
        } else if c == '\n' && quote == '\'' {
            break;
        }
    }
    let bytes = if quote == '\'' {
        line_length(text)
    } else {
        text.len()
    };
    Some(StringLength {
        bytes,
        closed: false,
    })
}

/// `'a'`, `'\n'`; everything else that starts with an apostrophe is a lifetime.
fn is_char_literal(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}
