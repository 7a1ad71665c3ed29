//! The token table of one block.
//!
//! A [`Source`] is made from a macro's tokens or from text, and is the only thing that knows where
//! a [`SrcSpan`] stands: as proc-macro spans, as lines and columns, and as text where that can be
//! had. Comments are already out of the parser's sight (their tokens stay in the table, so that a
//! message can point at them), doc comments are tokens of their own, and delimiters are balanced.
//! Lines of a macro's tokens are asked for only when somebody needs them: each is a call into rustc.

use std::cell::OnceCell;

use proc_macro2::{Span, TokenStream};

use super::atom::{self, Atom};
use super::{blocks, comment, lex};
use crate::diag::Diagnostic;
use crate::span::SrcSpan;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// As written; of a doc comment, its text.
    pub text: String,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name,
    /// A number, suffix included.
    Number,
    /// A string: `"..."`, `r"..."`, and `'...'` in a `.nupp` file.
    Str,
    /// A character, byte or C string literal of Rust.
    RustLiteral,
    /// Punctuation, characters that belong together joined: `==`, `~=`, `..`.
    Op,
    /// `(`, `[`, `{`.
    Open,
    /// `)`, `]`, `}`.
    Close,
    /// A doc comment.
    Doc,
    /// What the parser passes over: a token of a `--` comment, or one already complained about.
    Skipped,
}

/// Where tokens stand. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the last character.
    pub end_line: usize,
    /// The column after the last character.
    pub end_column: usize,
}

/// How to ask for the place of a span.
pub type Locate = fn(Span) -> Option<Place>;

/// The text a block stands in.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    /// Byte offset at which each line starts.
    lines: Vec<usize>,
    /// Line and column of the first character.
    origin: (usize, usize),
}

/// The token table of one block.
#[derive(Debug)]
pub struct Source {
    tokens: Vec<Token>,
    /// First and last span of each token; empty when the block came from text.
    spans: Vec<(Span, Span)>,
    places: OnceCell<Vec<Option<Place>>>,
    locate: Locate,
    whole: Span,
    text: Option<Text>,
    problems: Vec<Diagnostic>,
    lines_unreliable: bool,
}

impl Source {
    /// The tokens a `nupp!` invocation was given, while rustc runs it.
    pub fn from_tokens(stream: TokenStream) -> Source {
        Source::made_of(stream, locate_rustc, text_of_file)
    }

    /// Tokens whose places `locate` knows, with the text around them where there is one.
    pub fn from_tokens_at(stream: TokenStream, locate: Locate, text: Option<Text>) -> Source {
        Source::made_of(stream, locate, |_, _| text)
    }

    /// `text_of` is given the spans of the first and the last atom.
    fn made_of(
        stream: TokenStream,
        locate: Locate,
        text_of: impl FnOnce(Span, Span) -> Option<Text>,
    ) -> Source {
        let mut atoms = atom::flatten(stream);
        let span = |atom: Option<&Atom>| atom.and_then(|atom| atom.span);
        let text = span(atoms.first())
            .zip(span(atoms.last()))
            .and_then(|(first, last)| text_of(first, last));
        let mut problems = Vec::new();
        let mut lines_unreliable = false;
        if atom::has_two_minus_signs(&atoms) {
            for atom in &mut atoms {
                atom.place = atom.span.and_then(locate);
            }
            atom::join_minus_signs(&mut atoms);
        }
        if atom::has_dash_comment(&atoms) {
            lines_unreliable = !comment::lines_reliable(&atoms);
            if !lines_unreliable {
                problems = comment::skip_dash_comments(&mut atoms);
            }
        }
        let mut source = Source::assemble(atoms, locate, text, problems);
        source.lines_unreliable = lines_unreliable;
        if !lines_unreliable {
            source.refuse_slash_division();
        }
        source
    }

    /// A `.nupp` file.
    pub fn from_nupp(text: &str) -> Source {
        Source::from_text(text, 0..text.len(), lex::Dialect::Nupp)
    }

    /// The blocks of a Rust file: what stands inside each `nupp! { ... }`.
    pub fn blocks_of_rust(text: &str) -> Vec<Source> {
        blocks::nupp_blocks(text)
            .into_iter()
            .map(|range| Source::from_text(text, range, lex::Dialect::Rust))
            .collect()
    }

    /// Makes every token of a block from text stand at `span`, as `nupp_file!` wants it.
    #[must_use]
    pub fn standing_at(mut self, span: Span) -> Source {
        self.whole = span;
        self
    }

    fn from_text(whole: &str, range: std::ops::Range<usize>, dialect: lex::Dialect) -> Source {
        let text = Text::new(whole.to_owned(), (1, 1));
        let lexed = lex::lex(&text, range, dialect);
        let mut atoms = lexed.atoms;
        let mut problems = lexed.problems;
        if dialect == lex::Dialect::Rust {
            problems.extend(comment::skip_dash_comments(&mut atoms));
        }
        let mut source = Source::assemble(atoms, |_| None, Some(text), problems);
        source.refuse_slashes(&lexed.slash_comments);
        source
    }

    /// Glues atoms to tokens. `problems` come in with the numbers of atoms as places.
    fn assemble(
        mut atoms: Vec<Atom>,
        locate: Locate,
        text: Option<Text>,
        mut problems: Vec<Diagnostic>,
    ) -> Source {
        let glued = atom::glue(&mut atoms);
        for problem in &mut problems {
            problem.at = glued.renumber(problem.at);
            for (at, _) in &mut problem.notes {
                *at = at.map(|at| glued.renumber(at));
            }
        }
        let mut tokens = Vec::with_capacity(glued.tokens.len());
        let mut spans = Vec::new();
        let mut places = Vec::new();
        for (token, first, last) in glued.tokens {
            let (first, last) = (&atoms[first], &atoms[last]);
            tokens.push(token);
            if let (Some(a), Some(b)) = (first.span, last.span) {
                spans.push((a, b));
            } else {
                places.push(join(first.place, last.place));
            }
        }
        let known = OnceCell::new();
        if spans.is_empty() {
            let _ = known.set(places);
        }
        Source {
            tokens,
            spans,
            places: known,
            locate,
            whole: Span::call_site(),
            text,
            problems,
            lines_unreliable: false,
        }
    }

    /// Looks for `a // b` in the text around a macro's tokens.
    fn refuse_slash_division(&mut self) {
        let Some(text) = &self.text else { return };
        if !text.text.contains("//") {
            return;
        }
        let lexed = lex::lex(text, 0..text.text.len(), lex::Dialect::Rust);
        self.refuse_slashes(&lexed.slash_comments);
    }

    fn refuse_slashes(&mut self, comments: &[lex::SlashComment]) {
        // Places of a macro's tokens cost a call into rustc each, and most comments are words.
        if comments.iter().any(|c| comment::is_expression(&c.text)) {
            let mut found = comment::slash_divisions(&self.tokens, self.places(), comments);
            // A token that a macro brought in from another file may stand there by chance.
            found.retain(|d| {
                let token = self.tokens.get(d.at.first as usize);
                self.text(d.at) == token.map(|token| token.text.as_str())
            });
            self.problems.extend(found);
        }
    }

    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// What was wrong before parsing: comments, strings, delimiters.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// A `--` occurs, and the host reports no usable lines, as some editors do: whoever expands
    /// the block prints stubs and no diagnostics.
    pub fn lines_unreliable(&self) -> bool {
        self.lines_unreliable
    }

    /// The spans of the first and last token; those of the whole invocation for a block from text.
    pub fn spans(&self, at: SrcSpan) -> (Span, Span) {
        let first = self.spans.get(at.first as usize);
        let last = self.spans.get(at.last as usize).or(first);
        let whole = (self.whole, self.whole);
        (first.unwrap_or(&whole).0, last.unwrap_or(&whole).1)
    }

    /// From the first character of the first token to the last of the last.
    pub fn place(&self, at: SrcSpan) -> Option<Place> {
        let places = self.places();
        let first = places.get(at.first as usize).copied().flatten();
        let last = places.get(at.last as usize).copied().flatten();
        join(first, last.or(first))
    }

    /// The text of these tokens and all between them, where it can be had.
    pub fn text(&self, at: SrcSpan) -> Option<&str> {
        let place = self.place(at)?;
        let text = self.text.as_ref()?;
        let from = text.offset(place.line, place.column)?;
        let to = text.offset(place.end_line, place.end_column)?;
        text.text.get(from..to)
    }

    /// A line without its end, where the text can be had.
    pub fn line_text(&self, line: usize) -> Option<&str> {
        self.text.as_ref()?.line(line)
    }

    /// The place of each token.
    pub fn places(&self) -> &[Option<Place>] {
        self.places.get_or_init(|| {
            let of =
                |&(first, last): &(Span, Span)| join((self.locate)(first), (self.locate)(last));
            self.spans.iter().map(of).collect()
        })
    }
}

impl Text {
    /// Text whose first character stands at `origin`.
    pub fn new(text: String, origin: (usize, usize)) -> Text {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Text {
            text,
            lines,
            origin,
        }
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The place of the bytes `from..to`.
    pub fn place(&self, from: usize, to: usize) -> Place {
        let (line, column) = self.position(from);
        let (end_line, end_column) = self.position(to);
        Place {
            line,
            column,
            end_line,
            end_column,
        }
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let row = self.lines.partition_point(|&start| start <= offset) - 1;
        let before = self.text.get(self.lines[row]..offset).unwrap_or("");
        let shift = if row == 0 { self.origin.1 } else { 1 };
        (row + self.origin.0, before.chars().count() + shift)
    }

    fn line(&self, line: usize) -> Option<&str> {
        let row = line.checked_sub(self.origin.0)?;
        let start = *self.lines.get(row)?;
        let end = self.lines.get(row + 1).copied();
        let text = self.text.get(start..end.unwrap_or(self.text.len()))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some(text.strip_suffix('\r').unwrap_or(text))
    }

    pub(super) fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let row = line.checked_sub(self.origin.0)?;
        let start = *self.lines.get(row)?;
        let shift = if row == 0 { self.origin.1 } else { 1 };
        let skip = column.checked_sub(shift)?;
        let rest = self.text.get(start..)?;
        let ends = rest.char_indices().map(|(at, _)| at);
        ends.chain([rest.len()]).nth(skip).map(|at| start + at)
    }
}

fn join(first: Option<Place>, last: Option<Place>) -> Option<Place> {
    let (first, last) = (first?, last?);
    Some(Place {
        end_line: last.end_line,
        end_column: last.end_column,
        ..first
    })
}

/// The lines of the file in which a block stands, while rustc expands it. A macro of the facade
/// stands between the author's call and the block, so that the call's own text cannot be had.
fn text_of_file(first: Span, last: Span) -> Option<Text> {
    if !proc_macro::is_available() {
        return None;
    }
    let (first, last) = (first.unwrap(), last.unwrap());
    let path = first.local_file()?;
    let (from, to) = (first.line(), last.end().line());
    if from == 0 || to < from || last.local_file()? != path {
        return None;
    }
    let whole = std::fs::read_to_string(path).ok()?;
    let lines = whole.split_inclusive('\n').skip(from - 1);
    Some(Text::new(lines.take(to - from + 1).collect(), (from, 1)))
}

/// Where rustc says a span stands; nothing outside a macro's expansion.
fn locate_rustc(span: Span) -> Option<Place> {
    if !proc_macro::is_available() {
        return None;
    }
    let span = span.unwrap();
    let (start, end) = (span.start(), span.end());
    Some(Place {
        line: start.line(),
        column: start.column(),
        end_line: end.line(),
        end_column: end.column(),
    })
}
