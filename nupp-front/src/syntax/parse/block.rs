//! Blocks: where they end, where parsing goes on after a broken statement, and whose `end` is
//! missing.

use super::{Parser, Reported, Res, is_keyword};
use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;
use crate::syntax::ast::{Block, Expr, ExprKind, Stmt, StmtKind};
use crate::syntax::source::TokenKind;

/// Words that start a statement: a broken one ends before them.
const STARTERS: [&str; 10] = [
    "local", "if", "while", "for", "repeat", "do", "return", "break", "continue", "goto",
];

impl Parser<'_> {
    /// Statements up to a word that ends the block, which is left to the caller. `opener` is the
    /// position of the keyword that opened it.
    pub(super) fn block(&mut self, opener: usize) -> Block {
        let mut stmts: Vec<Stmt> = Vec::new();
        let mut after_return = None;
        self.deepest = self.deepest.max(self.depth);
        while !self.at_block_end() {
            if self.eat_op(";").is_some() {
                continue;
            }
            let start = self.pos;
            if let Some(at) = after_return.take() {
                self.refuse_after_return(at);
            }
            match self.deeper(Self::statement) {
                Ok(stmt) => {
                    if matches!(stmt.kind, StmtKind::Return(_)) {
                        after_return = Some(stmt.at);
                    }
                    stmts.push(stmt);
                }
                Err(Reported) => self.recover(start),
            }
        }
        Block {
            stmts,
            at: self.span_of(opener).to(self.here()),
        }
    }

    pub(super) fn at_block_end(&self) -> bool {
        let Some(token) = self.peek() else {
            return true;
        };
        match token.kind {
            TokenKind::Close => true,
            TokenKind::Name => {
                matches!(token.text.as_str(), "end" | "else" | "elseif" | "until")
                    || self.at_foreign_else()
                    || self.at_foreign_end()
                    || self.at_item_inside()
            }
            TokenKind::Op => self.at_item_inside(),
            TokenKind::Number
            | TokenKind::Str
            | TokenKind::RustLiteral
            | TokenKind::Open
            | TokenKind::Doc
            | TokenKind::Skipped => false,
        }
    }

    /// Whether another language's `elseif` stands here.
    pub(super) fn at_foreign_else(&self) -> bool {
        (self.at_word("elif") || self.at_word("elsif")) && !self.is_used_as_name()
    }

    /// Whether another language's `end` stands here.
    fn at_foreign_end(&self) -> bool {
        let words = ["endif", "endfor", "endwhile", "endfunction", "endloop"];
        words.iter().any(|word| self.at_word(word)) && !self.is_used_as_name()
    }

    /// Whether what follows the word says that it is a name: `elif = 1`.
    fn is_used_as_name(&self) -> bool {
        let names = ["=", ".", "[", ":", ","];
        self.nth(1)
            .is_some_and(|t| names.contains(&t.text.as_str()))
    }

    /// Whether an item starts here although a function is open: its `end` is missing.
    pub(super) fn at_item_inside(&self) -> bool {
        if self.at_op("@") {
            return self.nth_is(1, TokenKind::Name, "aot");
        }
        if self.at_word("pub") {
            return self.nth_is(1, TokenKind::Name, "local");
        }
        let item = self.at_word("local")
            && (self.nth_is(1, TokenKind::Name, "function")
                || (self.nth_is(1, TokenKind::Name, "struct") && self.nth_is_name(2)));
        item && self.starts_line() && self.indent_of(self.pos) <= self.indent_of(self.item)
    }

    /// Goes to where the next statement starts, past the first token of the broken one.
    pub(super) fn recover(&mut self, start: usize) {
        if self.pos == start && !self.at_block_end() {
            self.skip_tree();
        }
        while !self.at_block_end() {
            let Some(token) = self.peek() else { return };
            if self.at_op(";") {
                return;
            }
            if token.kind == TokenKind::Name {
                let starter = STARTERS.contains(&token.text.as_str());
                if starter || (!is_keyword(&token.text) && self.starts_line()) {
                    return;
                }
            }
            self.skip_tree();
        }
    }

    /// The `end` of a block that the token at `opener` opened.
    pub(super) fn end(&mut self, opener: usize) {
        if self.at_foreign_end() {
            let at = self.here();
            let word = self.peek().map_or("", |t| t.text.as_str());
            let message = format!("`{word}` closes nothing here");
            self.error(Code::ForeignConstruct, at, message, "write `end`");
        }
        if self.at_word("end") || self.at_foreign_end() {
            self.closed.push((opener, self.pos));
            self.bump();
            return;
        }
        if self.unclosed == Some(self.pos) {
            return;
        }
        self.unclosed = Some(self.pos);
        let word = self.word(opener);
        if let Some(&(_, at)) = self.guilty_else_if() {
            let at = self.span_of(at).to(self.span_of(at + 1));
            let message = "`else if` opens an `if` of its own, and this one has no `end`";
            self.error(Code::Unclosed, at, message, "write `elseif`");
            return;
        }
        let mut found = match self.suspect() {
            Some(suspect) => {
                let at = self.span_of(suspect);
                let message = format!(
                    "this `{}` seems to have no `end`: the next one is indented differently",
                    self.word(suspect)
                );
                let note = format!("that `end` leaves this `{word}` without one");
                Diagnostic::new(Code::Unclosed, at, message).note(Some(self.span_of(opener)), note)
            }
            None => {
                let (at, message) = (self.span_of(opener), format!("this `{word}` has no `end`"));
                let note = match self.peek() {
                    Some(token) => format!("one is missing before {}", super::describe(token)),
                    None => "one is missing here, where the text ends".to_owned(),
                };
                Diagnostic::new(Code::Unclosed, at, message).note(Some(self.here()), note)
            }
        }
        .help("write `end` where it ends");
        if let Some(&(_, at)) = self.else_ifs.last() {
            let at = self.span_of(at);
            let note = "`else if` opens a block with an `end` of its own; `elseif` does not";
            found = found.note(Some(at), note);
        }
        self.report(found);
    }

    /// The word that opens a block.
    fn word(&self, opener: usize) -> String {
        let at = self.span_of(opener).first as usize;
        self.source.tokens()[at].text.clone()
    }

    /// The `else if` of the block whose `end` seems to be another one's.
    fn guilty_else_if(&self) -> Option<&(usize, usize)> {
        let suspect = self.suspect()?;
        self.else_ifs.iter().find(|(opener, _)| *opener == suspect)
    }

    /// The first block of the item whose `end` is not indented as its opener is.
    pub(super) fn suspect(&self) -> Option<usize> {
        let differs = |&&(open, close): &&(usize, usize)| {
            let (open, close) = (self.indent_of(open), self.indent_of(close));
            open.zip(close).is_some_and(|(open, close)| open != close)
        };
        self.closed.iter().find(differs).map(|&(open, _)| open)
    }

    pub(super) fn refuse_after_return(&mut self, at: SrcSpan) {
        let here = self.here();
        let found = Diagnostic::new(
            Code::Syntax,
            here,
            "nothing runs after `return` in its block",
        )
        .note(Some(at), "the block returns here")
        .help("move the `return` to the end, or put it into an `if`");
        if !self.stopped {
            self.after_return.push(found);
        }
    }

    pub(super) fn body_to_end(&mut self, from: usize, opener: usize) -> Block {
        let mut body = self.block(from);
        self.end(opener);
        body.at = self.span_of(from).to(self.before());
        body
    }

    /// A condition and the word after it.
    pub(super) fn header(&mut self, word: &str, what: &str) -> Res<Expr> {
        let cond = self.expr();
        if cond.is_ok() && self.at_op("=") {
            let at = self.here();
            self.error(
                Code::ForeignOperator,
                at,
                "`=` assigns and does not compare",
                "write `==`",
            );
            self.bump();
            let _ = self.expr();
        }
        let at = self.before();
        let stand_in = Expr {
            kind: ExprKind::Bool(true),
            at,
        };
        if self.eat_word(word).is_some() {
            return Ok(cond.unwrap_or(stand_in));
        }
        if cond.is_ok() && self.at_open("{") {
            let at = self.here();
            let message = format!("a block opens with `{word}`, not with a brace");
            let help = format!("write `{word}` here and `end` where it closes");
            self.error(Code::ForeignConstruct, at, message, &help);
            self.skip_tree();
            self.skip_braced_else();
            return Err(Reported);
        }
        if cond.is_ok() {
            self.expected(what, &format!("write `{word}`"));
        }
        self.skip_to_word(word);
        // The body is parsed all the same, so that its `end` finds its opener.
        Ok(cond.unwrap_or(stand_in))
    }

    /// Goes past a word, if it comes before the statement ends.
    pub(super) fn skip_to_word(&mut self, word: &str) {
        let from = self.pos;
        while !self.at_block_end() {
            if self.eat_word(word).is_some() {
                return;
            }
            let Some(token) = self.peek() else { break };
            let starter = token.kind == TokenKind::Name
                && (STARTERS.contains(&token.text.as_str()) || self.starts_line());
            if starter {
                break;
            }
            self.skip_tree();
        }
        self.pos = from.max(self.pos.min(self.seen.len()));
    }

    /// After `if x { ... }`: Rust's `else` parts, already refused with it.
    pub(super) fn skip_braced_else(&mut self) {
        while self.at_word("else") || self.at_word("elseif") {
            let from = self.pos;
            self.bump();
            while self.peek().is_some() && !self.at_block_end() && !self.at_open("{") {
                self.skip_tree();
            }
            if !self.at_open("{") {
                self.pos = from;
                return;
            }
            self.skip_tree();
        }
    }
}
