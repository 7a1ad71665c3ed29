//! Text to atoms, without a macro around it.
//!
//! Reads `.nupp` files and the `nupp!` blocks of Rust files for the command line, and the text
//! around a macro's tokens for its comments. In a `.nupp` file `--` comments and single-quoted
//! strings are Lua's; in Rust text `--` stays two atoms, as rustc would hand them over. The atoms
//! it makes are balanced whatever the text: a stray bracket is skipped, a missing one is added.

use std::ops::Range;

use super::atom::Atom;
use super::literal;
use super::scan::{
    StringLength, is_name_start, is_punctuation, line_length, name_length, number_length,
    string_length,
};
use super::source::{Place, Text, TokenKind};
use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;

/// Whose comments and strings the text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A `.nupp` file.
    Nupp,
    /// Rust source.
    Rust,
}

/// A `//` comment with a token before it on its line.
#[derive(Debug)]
pub struct SlashComment {
    /// Line and column where the token before it ends.
    pub after: (usize, usize),
    /// What stands after the slashes, trimmed.
    pub text: String,
}

/// What a text is made of.
#[derive(Debug, Default)]
pub struct Lexed {
    pub atoms: Vec<Atom>,
    /// With the numbers of atoms as places.
    pub problems: Vec<Diagnostic>,
    pub slash_comments: Vec<SlashComment>,
}

struct Lexer<'a> {
    /// All of the text up to the end of the range.
    rest: &'a str,
    at: usize,
    /// A byte offset whose line and column are known: where the last token ended.
    mark: (usize, usize, usize),
    dialect: Dialect,
    open: Vec<usize>,
    out: Lexed,
}

/// The atoms of a range of a text.
pub fn lex(text: &Text, range: Range<usize>, dialect: Dialect) -> Lexed {
    let start = text.place(range.start, range.start);
    let mut lexer = Lexer {
        mark: (range.start, start.line, start.column),
        rest: &text.as_str()[..range.end],
        at: range.start,
        dialect,
        open: Vec::new(),
        out: Lexed::default(),
    };
    while lexer.at < lexer.rest.len() {
        lexer.step();
    }
    lexer.close_all();
    lexer.out
}

impl Lexer<'_> {
    fn ahead(&self) -> &str {
        &self.rest[self.at..]
    }

    fn step(&mut self) {
        let ahead = self.ahead();
        let Some(c) = ahead.chars().next() else {
            return;
        };
        if c.is_whitespace() || (self.at == 0 && c == '\u{feff}') {
            self.at += c.len_utf8();
        } else if ahead.starts_with("//") {
            self.slash_comment();
        } else if ahead.starts_with("/*") {
            self.block_comment();
        } else if self.dialect == Dialect::Nupp && ahead.starts_with("--") {
            self.dash_comment();
        } else if let Some(length) = string_length(ahead, self.dialect) {
            self.string(length);
        } else if c.is_ascii_digit() {
            let length = number_length(ahead);
            self.push(TokenKind::Number, length);
        } else if is_name_start(c) {
            let length = name_length(ahead);
            self.push(TokenKind::Name, length);
            self.refuse_prefix();
        } else {
            self.symbol(c);
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let text = self.ahead()[..length].to_owned();
        self.push_text(kind, text, length);
    }

    fn push_text(&mut self, kind: TokenKind, text: String, length: usize) {
        let (line, column) = self.position(self.at);
        let (end_line, end_column) = self.position(self.at + length);
        let place = Some(Place {
            line,
            column,
            end_line,
            end_column,
        });
        self.out.atoms.push(Atom {
            kind,
            text,
            joint: false,
            span: None,
            place,
        });
        self.at += length;
    }

    /// The line and column of an offset, which comes after all that were asked for before.
    fn position(&mut self, at: usize) -> (usize, usize) {
        let (from, mut line, mut column) = self.mark;
        let mut passed = &self.rest[from..at];
        if let Some(end) = passed.rfind('\n') {
            line += passed.matches('\n').count();
            column = 1;
            passed = &passed[end + 1..];
        }
        column += passed.chars().count();
        self.mark = (at, line, column);
        (line, column)
    }

    /// A problem with the atom pushed last.
    fn problem(&mut self, code: Code, message: String, help: &str) {
        let last = (self.out.atoms.len() as u32).saturating_sub(1);
        let at = SrcSpan { first: last, last };
        let problem = Diagnostic::new(code, at, message).help(help);
        self.out.problems.push(problem);
    }

    fn slash_comment(&mut self) {
        let length = line_length(self.ahead());
        let text = self.ahead()[..length].to_owned();
        let doc = text.starts_with("//!") || (text.starts_with("///") && !text.starts_with("////"));
        if doc {
            self.push_text(TokenKind::Doc, text[3..].to_owned(), length);
            return;
        }
        let (line, _) = self.position(self.at);
        let last = self.out.atoms.last().and_then(|a| a.place);
        if let Some(place) = last.filter(|p| p.end_line == line) {
            self.out.slash_comments.push(SlashComment {
                after: (place.end_line, place.end_column),
                text: text[2..].trim().to_owned(),
            });
        }
        self.at += length;
    }

    fn block_comment(&mut self) {
        let ahead = self.ahead();
        let (mut depth, mut at) = (0usize, 0);
        while at < ahead.len() {
            if ahead[at..].starts_with("/*") {
                depth += 1;
                at += 2;
            } else if ahead[at..].starts_with("*/") {
                depth -= 1;
                at += 2;
            } else {
                at += ahead[at..].chars().next().map_or(1, char::len_utf8);
            }
            if depth == 0 {
                break;
            }
        }
        let text = &ahead[..at];
        let outer = text.starts_with("/**") && !text.starts_with("/***") && at > 4;
        let doc = outer || text.starts_with("/*!");
        if depth > 0 {
            self.push(TokenKind::Skipped, at);
            let message = "this comment does not end".to_owned();
            self.problem(Code::Unclosed, message, "write `*/` where it ends");
        } else if doc {
            let text = text[3..at - 2].to_owned();
            self.push_text(TokenKind::Doc, text, at);
        } else {
            self.at += at;
        }
    }

    /// `--` to the end of the line, `--[[ ... ]]`, `--[==[ ... ]==]`.
    fn dash_comment(&mut self) {
        let after = &self.ahead()[2..];
        let level = after.strip_prefix('[').and_then(|rest| {
            let level = rest.len() - rest.trim_start_matches('=').len();
            rest[level..].starts_with('[').then_some(level)
        });
        let Some(level) = level else {
            self.at += line_length(self.ahead());
            return;
        };
        let close = format!("]{}]", "=".repeat(level));
        match self.ahead().find(&close) {
            Some(end) => self.at += end + close.len(),
            None => {
                self.push(TokenKind::Skipped, self.ahead().len());
                let message = "this comment does not end".to_owned();
                let help = format!("write `{close}` where it ends");
                self.problem(Code::Unclosed, message, &help);
            }
        }
    }

    fn string(&mut self, length: StringLength) {
        let text = &self.ahead()[..length.bytes];
        let single = text.starts_with('\'') && self.dialect == Dialect::Nupp;
        let kind = match literal::kind_of(text) {
            TokenKind::RustLiteral if single => TokenKind::Str,
            kind => kind,
        };
        if length.closed {
            self.push(kind, length.bytes);
            return;
        }
        self.push(TokenKind::Skipped, length.bytes);
        let message = "this string does not end".to_owned();
        self.problem(Code::Unclosed, message, "close it with its quotation mark");
    }

    /// In a Rust file: a word that touches an apostrophe, a quotation mark or `#`, which rustc takes
    /// for the prefix of a literal and refuses.
    fn refuse_prefix(&mut self) {
        let next = self.ahead().chars().next();
        let (Dialect::Rust, Some(next @ ('\'' | '"' | '#'))) = (self.dialect, next) else {
            return;
        };
        let word = self.out.atoms.last().map_or("", |atom| atom.text.as_str());
        let message = format!("rustc reads `{word}{next}` as the start of a literal");
        let code = if self.in_dash_comment() {
            Code::DashComment
        } else {
            Code::Syntax
        };
        let help = match (code, next) {
            (Code::DashComment, '\'') => {
                "write the comment with `//`, or without the apostrophe: `do not`".to_owned()
            }
            (Code::DashComment, _) => "write the comment with `//`".to_owned(),
            _ => format!("write a space before `{next}`"),
        };
        self.problem(code, message, &help);
        // The mark itself is the next atom.
        if let Some(problem) = self.out.problems.last_mut() {
            problem.at.last += 1;
        }
    }

    /// In a Rust file: an apostrophe that starts neither a character nor a lifetime.
    fn refuse_apostrophe(&mut self) {
        let after = &self.ahead()[1..];
        let is_lifetime =
            after.starts_with(is_name_start) && !after[name_length(after)..].starts_with('\'');
        let next = self.out.atoms.len() as u32;
        let known = self.out.problems.last().is_some_and(|p| p.at.last == next);
        if self.dialect == Dialect::Nupp || is_lifetime || known {
            return;
        }
        let quoted = if after.starts_with(is_name_start) {
            name_length(after) + 1
        } else {
            0
        };
        self.push(TokenKind::Skipped, 1 + quoted);
        let message = "rustc reads this apostrophe as the start of a character".to_owned();
        if self.in_dash_comment() {
            let help = "write the comment with `//`, or without the apostrophe";
            self.problem(Code::DashComment, message, help);
        } else {
            let help = "a string stands in double quotes";
            self.problem(Code::LiteralForm, message, help);
        }
    }

    /// Whether a `--` stands before on the line.
    fn in_dash_comment(&self) -> bool {
        let before = &self.rest[..self.at];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        before[line..].contains("--")
    }

    fn symbol(&mut self, c: char) {
        if c == '\'' {
            let at = self.at;
            self.refuse_apostrophe();
            if self.at > at {
                return;
            }
        }
        match c {
            '(' | '[' | '{' => {
                self.open.push(self.out.atoms.len());
                self.push(TokenKind::Open, 1);
            }
            ')' | ']' | '}' => self.close(c),
            _ if is_punctuation(c) => {
                self.push(TokenKind::Op, 1);
                let joint = self.ahead().starts_with(is_punctuation);
                let comment = self.ahead().starts_with("//") || self.ahead().starts_with("/*");
                if let Some(atom) = self.out.atoms.last_mut() {
                    atom.joint = joint && !comment;
                }
            }
            _ => {
                self.push(TokenKind::Skipped, c.len_utf8());
                let message = format!("`{c}` does not belong to the language");
                self.problem(Code::Syntax, message, "take it out");
            }
        }
    }

    fn close(&mut self, c: char) {
        let opened = self
            .open
            .last()
            .map(|&at| (at, closer(&self.out.atoms[at].text)));
        if opened.is_none_or(|(_, wanted)| wanted != c.to_string()) {
            self.push(TokenKind::Skipped, 1);
            match opened {
                Some((at, wanted)) => {
                    let message = format!("`{c}` closes nothing: `{wanted}` is missing before it");
                    self.problem(Code::Unclosed, message, &format!("write `{wanted}` first"));
                    self.note(at);
                }
                None => {
                    let message = format!("`{c}` closes nothing");
                    self.problem(Code::Unclosed, message, "take it out");
                }
            }
            return;
        }
        self.open.pop();
        self.push(TokenKind::Close, 1);
    }

    /// Says where the delimiter of the last problem was opened.
    fn note(&mut self, at: usize) {
        let at = SrcSpan {
            first: at as u32,
            last: at as u32,
        };
        if let Some(problem) = self.out.problems.last_mut() {
            let note = "the bracket that is open here".to_owned();
            problem.notes.push((Some(at), note));
        }
    }

    /// Closes at the end of the text what nobody closed, so that atoms are balanced.
    fn close_all(&mut self) {
        if let Some(&at) = self.open.last() {
            let text = self.out.atoms[at].text.clone();
            let span = SrcSpan {
                first: at as u32,
                last: at as u32,
            };
            let problem = Diagnostic::new(
                Code::Unclosed,
                span,
                format!("this `{text}` is never closed"),
            )
            .help(format!("write `{}` where it ends", closer(&text)));
            self.out.problems.push(problem);
        }
        while let Some(at) = self.open.pop() {
            let text = closer(&self.out.atoms[at].text).to_owned();
            self.push_text(TokenKind::Close, text, 0);
        }
    }
}

fn closer(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}
