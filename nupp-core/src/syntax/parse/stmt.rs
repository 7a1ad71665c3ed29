//! Blocks and statements, and where parsing goes on after a broken one.

use super::{Parser, Reported, Res, is_keyword};
use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, LocalName, Stmt, StmtKind};
use crate::syntax::print;
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

    fn at_block_end(&self) -> bool {
        let Some(token) = self.peek() else {
            return true;
        };
        match token.kind {
            TokenKind::Close => true,
            TokenKind::Name => {
                matches!(token.text.as_str(), "end" | "else" | "elseif" | "until")
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

    /// Whether an item starts here although a function is open: its `end` is missing.
    fn at_item_inside(&self) -> bool {
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
    fn recover(&mut self, start: usize) {
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
        if self.at_word("end") {
            self.closed.push((opener, self.pos));
            self.bump();
            return;
        }
        if self.unclosed == Some(self.pos) {
            return;
        }
        self.unclosed = Some(self.pos);
        let word = self.source.tokens()[self.span_of(opener).first as usize]
            .text
            .clone();
        let mut found = Diagnostic::new(
            Code::Unclosed,
            self.span_of(opener),
            format!("this `{word}` has no `end`"),
        )
        .help("write `end` where it ends");
        let note = match self.peek() {
            Some(token) => format!(
                "{} stands where the `end` is missed",
                super::describe(token)
            ),
            None => "the block ends where the `end` is missed".to_owned(),
        };
        found = found.note(Some(self.here()), note);
        if let Some(suspect) = self.suspect() {
            let note = "the `end` of what opens here is indented differently";
            found = found.note(Some(self.span_of(suspect)), note);
        }
        if let Some(at) = self.else_if {
            let note = "`else if` opens a block with an `end` of its own; `elseif` does not";
            found = found.note(Some(at), note);
        }
        self.report(found);
    }

    /// The first block of the item whose `end` is not indented as its opener is.
    fn suspect(&self) -> Option<usize> {
        let differs = |&&(open, close): &&(usize, usize)| {
            let (open, close) = (self.indent_of(open), self.indent_of(close));
            open.zip(close).is_some_and(|(open, close)| open != close)
        };
        self.closed.iter().find(differs).map(|&(open, _)| open)
    }

    fn refuse_after_return(&mut self, at: SrcSpan) {
        let here = self.here();
        let found = Diagnostic::new(
            Code::Syntax,
            here,
            "nothing runs after `return` in its block",
        )
        .note(Some(at), "the block returns here")
        .help("move the `return` to the end, or put it into an `if`");
        self.report(found);
    }

    fn statement(&mut self) -> Res<Stmt> {
        let start = self.here();
        let kind = self.statement_kind()?;
        let at = start.to(self.before());
        Ok(Stmt { kind, at })
    }

    fn statement_kind(&mut self) -> Res<StmtKind> {
        let Some(token) = self.peek() else {
            return Err(self.expected("a statement", "write `end`"));
        };
        let opener = self.pos;
        match token.text.as_str() {
            _ if token.kind != TokenKind::Name => self.expression_statement(),
            "local" => self.local(),
            "if" => self.if_statement(),
            "while" => {
                self.bump();
                let cond = self.header("do", "`do` after the condition")?;
                let body = self.body_to_end(self.pos - 1, opener);
                Ok(StmtKind::While(cond, body))
            }
            "repeat" => self.repeat(),
            "for" => self.for_statement(),
            "do" => {
                self.bump();
                Ok(StmtKind::Do(self.body_to_end(opener, opener)))
            }
            "return" => self.return_statement(),
            "break" => {
                self.bump();
                Ok(StmtKind::Break)
            }
            "continue" => {
                self.bump();
                Ok(StmtKind::Continue)
            }
            "function" => Err(self.nested_function()),
            "let" | "var" | "const" if self.nth_is_name(1) => self.rust_let(),
            _ => self.expression_statement(),
        }
    }

    fn body_to_end(&mut self, from: usize, opener: usize) -> Block {
        let mut body = self.block(from);
        self.end(opener);
        body.at = self.span_of(from).to(self.before());
        body
    }

    /// A condition and the word after it.
    fn header(&mut self, word: &str, what: &str) -> Res<Expr> {
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
        if self.eat_word(word).is_some() {
            return cond;
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
        let at = self.before();
        let kind = ExprKind::Bool(true);
        Ok(cond.unwrap_or(Expr { kind, at }))
    }

    /// Goes past a word, if it comes before the statement ends.
    fn skip_to_word(&mut self, word: &str) {
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
    fn skip_braced_else(&mut self) {
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

    fn if_statement(&mut self) -> Res<StmtKind> {
        let opener = self.pos;
        self.bump();
        let mut arms = Vec::new();
        loop {
            let cond = self.header("then", "`then` after the condition")?;
            let then = self.pos - 1;
            let body = self.block(then);
            arms.push((cond, body));
            if self.eat_word("elseif").is_some() {
                continue;
            }
            if self.at_word("else") && self.nth_is(1, TokenKind::Name, "if") {
                self.else_if = Some(self.here());
            }
            break;
        }
        let mut otherwise = None;
        while self.at_word("else") || self.at_word("elseif") {
            let position = self.pos;
            if otherwise.is_some() {
                let at = self.here();
                let help = "keep one `else`, as the last part";
                self.error(
                    Code::Syntax,
                    at,
                    "nothing comes after `else` but `end`",
                    help,
                );
            }
            let conditional = self.at_word("elseif");
            self.bump();
            if conditional {
                let _ = self.header("then", "`then` after the condition");
            }
            otherwise = Some(self.block(position));
        }
        self.end(opener);
        Ok(StmtKind::If(arms, otherwise))
    }

    fn repeat(&mut self) -> Res<StmtKind> {
        let opener = self.pos;
        self.bump();
        let body = self.block(opener);
        if self.eat_word("until").is_none() {
            if self.unclosed != Some(self.pos) {
                self.unclosed = Some(self.pos);
                let at = self.span_of(opener);
                let message = "this `repeat` has no `until`";
                self.error(Code::Unclosed, at, message, "write `until` and a condition");
            }
            // An `end` here was meant for the loop.
            self.eat_word("end");
            return Err(Reported);
        }
        Ok(StmtKind::Repeat(body, self.expr()?))
    }

    fn for_statement(&mut self) -> Res<StmtKind> {
        let opener = self.pos;
        self.bump();
        let head = self.for_head();
        if self.at_open("{") {
            if head.is_ok() {
                let at = self.here();
                let help = "write `do` here and `end` where it closes";
                self.error(
                    Code::ForeignConstruct,
                    at,
                    "a block opens with `do`, not with a brace",
                    help,
                );
            }
            self.skip_tree();
            return Err(Reported);
        }
        if self.eat_word("do").is_none() {
            if head.is_ok() {
                self.expected("`do` after the bounds", "write `for i = a, b do ... end`");
            }
            self.skip_to_word("do");
        }
        let body = self.body_to_end(self.pos - 1, opener);
        let (var, lo, hi) = head?;
        Ok(StmtKind::For { var, lo, hi, body })
    }

    fn for_head(&mut self) -> Res<(crate::syntax::ast::Name, Expr, Expr)> {
        let form = "write `for i = a, b do ... end`";
        let known = self.diagnostics.len();
        let var = self.name("the loop variable")?;
        if self.at_op(":") {
            let at = self.here();
            let message = "the bounds give the loop variable its type";
            self.error(Code::LoopForm, at, message, "take the type out");
            self.bump();
            self.ty()?;
        }
        if self.at_op(",") || self.at_word("in") {
            let at = self.here();
            let message = "there are no iterators, only counted loops";
            return Err(self.error(Code::LoopForm, at, message, form));
        }
        self.expect_op("=", "`=` after the loop variable", form)?;
        let lo = self.expr()?;
        if !self.at_op(",") && self.diagnostics.len() > known {
            return Err(Reported);
        }
        self.expect_op(",", "`,` between the bounds", form)?;
        let hi = self.expr()?;
        if let Some(comma) = self.eat_op(",") {
            let at = self.expr().map_or(comma, |step| step.at);
            let message = "a counted loop has no step: it counts up by one";
            let help = "take the step out, and compute the value you need from the variable";
            self.error(Code::LoopForm, at, message, help);
        }
        Ok((var, lo, hi))
    }

    fn return_statement(&mut self) -> Res<StmtKind> {
        self.bump();
        if self.at_block_end() || self.at_op(";") {
            return Ok(StmtKind::Return(None));
        }
        let value = self.expr()?;
        if self.at_op(",") {
            let at = self.here();
            let help = "return a struct, or write two functions";
            self.error(
                Code::ValueCount,
                at,
                "a function returns one value or nothing",
                help,
            );
            self.bump();
            self.exprs()?;
        }
        Ok(StmtKind::Return(Some(value)))
    }

    fn local(&mut self) -> Res<StmtKind> {
        if self.nth_is(1, TokenKind::Name, "function") {
            return Err(self.nested_function());
        }
        self.bump();
        if self.at_word("struct") && self.nth_is_name(1) {
            let at = self.here();
            let message = "structs stand at the top of the block, outside functions";
            let reported = self.error(Code::Syntax, at, message, "move it there");
            let _ = self.structure();
            return Err(reported);
        }
        self.local_rest()
    }

    /// `x: T = e`, after `local`.
    pub(super) fn local_rest(&mut self) -> Res<StmtKind> {
        let mut names = vec![self.local_name()?];
        while self.eat_op(",").is_some() {
            names.push(self.local_name()?);
        }
        if self.eat_op("=").is_none() {
            let name = names[0].name.clone();
            if self.at_op("<") {
                let at = self.here();
                let message = "a local has no attribute: every local may be assigned again";
                self.error(Code::ForeignConstruct, at, message, "take it out");
                return Err(Reported);
            }
            let message = format!("`{}` has no value", name.text);
            let help = format!("write `local {} = ...`", print::local_names(&names));
            return Err(self.error(Code::LocalWithoutValue, name.at, message, &help));
        }
        let values = self.exprs()?;
        self.same_count(names.len(), &values, "name")?;
        Ok(StmtKind::Local(names, values))
    }

    pub(super) fn local_name(&mut self) -> Res<LocalName> {
        let name = self.name("a name")?;
        let ty = match self.eat_op(":") {
            Some(_) => Some(self.ty()?),
            None => None,
        };
        Ok(LocalName { name, ty })
    }

    fn same_count(&mut self, names: usize, values: &[Expr], what: &str) -> Res<()> {
        if names == values.len() {
            return Ok(());
        }
        let at = values[0].at.to(values[values.len() - 1].at);
        let (s, t) = (plural(names), plural(values.len()));
        let count = values.len();
        let message = format!("{names} {what}{s} cannot take {count} value{t}");
        let help = "write as many values as names, in the same order";
        Err(self.error(Code::ValueCount, at, message, help))
    }

    /// `let x = e`, `let mut x: T = e`.
    fn rust_let(&mut self) -> Res<StmtKind> {
        let word = self.peek().map_or("", |t| t.text.as_str());
        let at = self.bump();
        let message = format!("a variable is declared with `local`, not with `{word}`");
        let help = match word {
            "const" => "write `local x = ...`, or move the constant to the top of the block",
            _ => "write `local x = ...`",
        };
        self.error(Code::ForeignConstruct, at, message, help);
        if self.at_word("mut") && self.nth_is_name(1) {
            self.bump();
        }
        self.local_rest()
    }

    fn nested_function(&mut self) -> Reported {
        let at = self.here();
        let message = "functions do not stand inside one another";
        let help = "move it to the top of the block, before its first use";
        let reported = self.error(Code::FunctionForm, at, message, help);
        self.eat_word("local");
        let opener = self.pos;
        self.bump();
        let _ = self.deeper(|p| p.function_rest(opener, None));
        reported
    }

    fn expression_statement(&mut self) -> Res<StmtKind> {
        if let Some(reported) = self.foreign_statement() {
            return Err(reported);
        }
        let first = self.expr()?;
        if let Some(op) = self.compound_assignment() {
            return self.refuse_compound(first, op);
        }
        if !self.at_op("=") && !self.at_op(",") {
            return self.call_statement(first);
        }
        let mut targets = vec![first];
        while self.eat_op(",").is_some() {
            targets.push(self.expr()?);
        }
        self.expect_op("=", "`=` after the targets", "write `a, b = b, a`")?;
        let values = self.exprs()?;
        for target in &targets {
            self.check_target(target);
        }
        self.same_count(targets.len(), &values, "target")?;
        Ok(StmtKind::Assign(targets, values))
    }

    fn check_target(&mut self, target: &Expr) {
        let assignable = matches!(
            target.kind,
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..)
        );
        if !assignable {
            let help = "assign to a local, a field or an element";
            self.error(Code::Syntax, target.at, "this cannot be assigned to", help);
        }
    }

    fn call_statement(&mut self, expr: Expr) -> Res<StmtKind> {
        match expr.kind {
            ExprKind::Call(..) | ExprKind::Method(..) => Ok(StmtKind::Call(expr)),
            ExprKind::Name(_) if self.nth_is_name(0) && !self.starts_line() => {
                let message = format!("`{}` starts no statement", print::expr(&expr));
                let help = "a statement is `local x = ...`, an assignment, a call, or a block such as `if`";
                Err(self.error(Code::Syntax, expr.at, message, help))
            }
            ExprKind::Number(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Function(_) => {
                let message = "this computes a value and does nothing with it";
                let help = match &expr.kind {
                    ExprKind::Binary(BinaryOp::Eq, ..) => "write `=` to assign",
                    _ => "assign it, `x = ...`, or take it out",
                };
                Err(self.error(Code::Syntax, expr.at, message, help))
            }
        }
    }

    /// `x += e`: refused with the assignment it stands for.
    fn refuse_compound(&mut self, target: Expr, op: &str) -> Res<StmtKind> {
        let text = self.peek().map_or("", |t| t.text.as_str());
        let at = self.bump();
        let name = print::expr(&target);
        if text == "++" {
            let help = format!("write `{name} = {name} + 1`");
            return Err(self.error(Code::ForeignOperator, at, "`++` is not an operator", &help));
        }
        let value = self.expr();
        let right = value.as_ref().map_or("...".to_owned(), |value| {
            let whole = matches!(value.kind, ExprKind::Binary(..));
            let right = print::expr(value);
            if whole { format!("({right})") } else { right }
        });
        let help = if op == "%" {
            format!("write `{name} = u32.mod({name}, {right})`")
        } else {
            format!("write `{name} = {name} {op} {right}`")
        };
        let message = format!("`{text}` is not an operator");
        Err(self.error(Code::ForeignOperator, at, message, &help))
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
