//! The parser: recursive descent over the tokens of a [`Source`], with recovery at statements,
//! parameters and items, so that one run reports every mistake of the stage.
//!
//! This file holds the cursor, the reports and the depth limit; the other files
//! hold one layer of the grammar each, `foreign` what Lua or Rust would have written. A function
//! that returns [`Reported`] has said what is wrong; its caller only finds where to go on. Every
//! loop consumes a token a turn, and every recursion passes `deeper`, so parsing always ends.

mod attribute;
mod block;
mod control;
mod expr;
mod foreign;
mod function;
mod item;
mod operators;
mod stmt;
mod ty;

use super::ast::{File, Name};
use super::source::{Source, Token, TokenKind};
use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;
use nupp_ir::limits::MAX_DEPTH;

/// A mistake that the diagnostics already hold.
struct Reported;

type Res<T> = Result<T, Reported>;

/// The words that no name may be.
const KEYWORDS: [&str; 23] = [
    "and", "break", "continue", "do", "else", "elseif", "end", "false", "for", "function", "goto",
    "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Whether a word is a keyword of the language.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// The items of a block, and what is wrong with it. With a diagnostic the file holds what could be
/// understood. Where lines are unreliable there are no diagnostics at all.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(source);
    let file = parser.file();
    if source.lines_unreliable() {
        return (file, Vec::new());
    }
    let mut found = source.problems().to_vec();
    let tokens_lie = |d: &Diagnostic| matches!(d.code, Code::DashComment | Code::Unclosed);
    if !found.iter().any(tokens_lie) {
        // Where an `end` is missing, statements after a `return` are what it should have closed.
        if !parser.diagnostics.iter().any(|d| d.code == Code::Unclosed) {
            found.extend(parser.after_return);
        }
        found.extend(parser.diagnostics);
    }
    found.sort_by_key(|d| (d.at.first, d.at.last));
    found.dedup();
    (file, found)
}

struct Parser<'a> {
    source: &'a Source,
    /// The tokens the grammar sees, as numbers in the source's table.
    seen: Vec<u32>,
    /// Doc comments: the position of the token each stands before, and its text.
    docs: Vec<(usize, &'a str)>,
    pos: usize,
    depth: usize,
    /// The deepest level reached so far, trees of expressions included.
    deepest: usize,
    /// The depth limit was met: nothing more is parsed or reported.
    stopped: bool,
    /// The left half of a `>>` that closes two lists of type arguments was consumed.
    half_shift: bool,
    /// Where the item being parsed starts.
    item: usize,
    /// Blocks of this item: the positions of the keyword that opened and the one that closed each.
    closed: Vec<(usize, usize)>,
    /// The `else if`s of this item, which may explain a missing `end`: the positions of the first
    /// `if` and of the `else`.
    else_ifs: Vec<(usize, usize)>,
    /// Where a missing `end` was last reported, so that outer blocks do not report it again.
    unclosed: Option<usize>,
    diagnostics: Vec<Diagnostic>,
    /// Statements after a `return`, which a missing `end` would explain.
    after_return: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a Source) -> Self {
        let (mut seen, mut docs) = (Vec::new(), Vec::new());
        for (number, token) in source.tokens().iter().enumerate() {
            match token.kind {
                TokenKind::Skipped => {}
                TokenKind::Doc => docs.push((seen.len(), token.text.as_str())),
                TokenKind::Name
                | TokenKind::Number
                | TokenKind::Str
                | TokenKind::RustLiteral
                | TokenKind::Op
                | TokenKind::Open
                | TokenKind::Close => seen.push(number as u32),
            }
        }
        Parser {
            source,
            seen,
            docs,
            pos: 0,
            depth: 0,
            deepest: 0,
            stopped: false,
            half_shift: false,
            item: 0,
            closed: Vec::new(),
            else_ifs: Vec::new(),
            unclosed: None,
            diagnostics: Vec::new(),
            after_return: Vec::new(),
        }
    }

    // The cursor.

    fn nth(&self, ahead: usize) -> Option<&'a Token> {
        let number = *self.seen.get(self.pos + ahead)?;
        self.source.tokens().get(number as usize)
    }

    /// The token at a position.
    fn token_at(&self, pos: usize) -> Option<&'a Token> {
        let number = *self.seen.get(pos)?;
        self.source.tokens().get(number as usize)
    }

    fn peek(&self) -> Option<&'a Token> {
        self.nth(0)
    }

    fn nth_is(&self, ahead: usize, kind: TokenKind, text: &str) -> bool {
        self.nth(ahead)
            .is_some_and(|t| t.kind == kind && t.text == text)
    }

    fn at_word(&self, word: &str) -> bool {
        self.nth_is(0, TokenKind::Name, word)
    }

    fn at_op(&self, op: &str) -> bool {
        self.nth_is(0, TokenKind::Op, op)
    }

    fn at_open(&self, delimiter: &str) -> bool {
        self.nth_is(0, TokenKind::Open, delimiter)
    }

    fn at_close(&self) -> bool {
        self.peek().is_some_and(|t| t.kind == TokenKind::Close)
    }

    /// Whether the token `ahead` is a name that is no keyword.
    fn nth_is_name(&self, ahead: usize) -> bool {
        self.nth(ahead)
            .is_some_and(|t| t.kind == TokenKind::Name && !is_keyword(&t.text))
    }

    /// The place of the token at a position; the last token's for one past the end.
    fn span_of(&self, pos: usize) -> SrcSpan {
        let last = self.seen.len().saturating_sub(1);
        let number = self.seen.get(pos.min(last)).copied().unwrap_or(0);
        SrcSpan {
            first: number,
            last: number,
        }
    }

    fn here(&self) -> SrcSpan {
        self.span_of(self.pos)
    }

    /// The place of the token just consumed.
    fn before(&self) -> SrcSpan {
        self.span_of(self.pos.saturating_sub(1))
    }

    /// Consumes a token and says where it stands.
    fn bump(&mut self) -> SrcSpan {
        let at = self.here();
        if self.pos < self.seen.len() {
            self.pos += 1;
        }
        at
    }

    fn eat_word(&mut self, word: &str) -> Option<SrcSpan> {
        self.at_word(word).then(|| self.bump())
    }

    fn eat_op(&mut self, op: &str) -> Option<SrcSpan> {
        self.at_op(op).then(|| self.bump())
    }

    /// Whether the token starts a line, as far as lines are known.
    fn starts_line(&self) -> bool {
        if self.pos == 0 {
            return true;
        }
        let place = |at| self.source.place(at);
        match (place(self.before()), place(self.here())) {
            (Some(before), Some(here)) => before.end_line < here.line,
            _ => false,
        }
    }

    /// The column of the first token on the line of the token at a position.
    fn indent_of(&self, pos: usize) -> Option<usize> {
        let line = self.source.place(self.span_of(pos))?.line;
        let mut indent = None;
        for pos in (0..=pos).rev() {
            match self.source.place(self.span_of(pos)) {
                Some(place) if place.line == line => indent = Some(place.column),
                _ => break,
            }
        }
        indent
    }

    // Reports.

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn error(
        &mut self,
        code: Code,
        at: SrcSpan,
        message: impl Into<String>,
        help: &str,
    ) -> Reported {
        self.report(Diagnostic::new(code, at, message).help(help))
    }

    /// "expected this, found that", at the token.
    fn expected(&mut self, what: &str, help: &str) -> Reported {
        let at = self.here();
        let message = match self.peek() {
            Some(token) => format!("expected {what}, found {}", describe(token)),
            None => format!("expected {what}, but the block ends here"),
        };
        self.error(Code::Syntax, at, message, help)
    }

    fn expect_op(&mut self, op: &str, what: &str, help: &str) -> Res<SrcSpan> {
        match self.eat_op(op) {
            Some(at) => Ok(at),
            None => Err(self.expected(what, help)),
        }
    }

    /// A name, refused where it could not be one in the Rust that is printed.
    fn name(&mut self, what: &str) -> Res<Name> {
        let Some(token) = self.peek().filter(|t| t.kind == TokenKind::Name) else {
            return Err(self.expected(
                what,
                "a name is a letter or `_`, then letters, digits and `_`",
            ));
        };
        let text = token.text.clone();
        if is_keyword(&text) {
            let help = format!("`{text}` is a keyword; choose another name");
            let meant = self
                .nth(1)
                .is_some_and(|t| matches!(t.text.as_str(), "=" | ":" | ","));
            if !meant {
                return Err(self.expected(what, &help));
            }
            let at = self.bump();
            let message = format!("`{text}` is a keyword and cannot be a name");
            self.error(Code::ReservedName, at, message, "choose another name");
            return Ok(Name { text, at });
        }
        let at = self.bump();
        self.refuse_reserved(&text, at);
        Ok(Name { text, at })
    }

    fn refuse_reserved(&mut self, text: &str, at: SrcSpan) {
        if matches!(text, "self" | "super" | "crate" | "Self") {
            let message = format!("`{text}` cannot be a name, because Rust reserves it");
            let help = format!(
                "choose another name, for example `{}_`",
                text.to_lowercase()
            );
            self.error(Code::ReservedName, at, message, &help);
        } else if let Some(plain) = text.strip_prefix("r#") {
            let message = format!("`{text}` is Rust's spelling of a name");
            let help = format!("write `{plain}`: a keyword of Rust may be a name here");
            self.error(Code::ReservedName, at, message, &help);
        }
    }

    /// A name that the expansion uses in Rust, where `_` is none.
    fn named(&mut self, what: &str) -> Res<Name> {
        let name = self.name(what)?;
        if name.text == "_" {
            let message = "`_` cannot name an item, a field or a parameter";
            self.error(Code::ReservedName, name.at, message, "choose a name");
        }
        Ok(name)
    }

    // Depth.

    /// Runs one level deeper; past the limit the parse stops with one diagnostic.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        let at = self.here();
        let message = format!("this nests deeper than {MAX_DEPTH} levels");
        let help = "give a part of it a name with `local`, or move it into a function";
        self.error(Code::Nesting, at, message, help);
        self.stopped = true;
        self.pos = self.seen.len();
        Reported
    }

    // Recovery.

    /// Consumes a token, or a whole group where one starts.
    fn skip_tree(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek().map(|t| t.kind) {
                Some(TokenKind::Open) => depth += 1,
                Some(TokenKind::Close) => depth = depth.saturating_sub(1),
                Some(_) => {}
                None => return,
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Inside a group: goes to its end, or to the next comma at this level.
    fn skip_to_comma(&mut self) {
        while self.peek().is_some() && !self.at_close() && !self.at_op(",") {
            self.skip_tree();
        }
    }

    /// Inside a group: goes past its end.
    fn skip_past_close(&mut self) -> SrcSpan {
        while self.peek().is_some() && !self.at_close() {
            self.skip_tree();
        }
        self.bump()
    }

    /// The end of a group; whatever else stands before it is refused and passed over.
    fn close(&mut self, what: &str, help: &str) -> SrcSpan {
        if !self.at_close() {
            self.expected(what, help);
        }
        self.skip_past_close()
    }
}

/// A token in a message.
fn describe(token: &Token) -> String {
    match token.kind {
        TokenKind::Name if is_keyword(&token.text) => format!("the keyword `{}`", token.text),
        TokenKind::Str if token.text.len() > 24 || token.text.contains('\n') => {
            "a string".to_owned()
        }
        TokenKind::Name
        | TokenKind::Number
        | TokenKind::Str
        | TokenKind::RustLiteral
        | TokenKind::Op
        | TokenKind::Open
        | TokenKind::Close
        | TokenKind::Doc
        | TokenKind::Skipped => format!("`{}`", token.text),
    }
}
