//! What Lua or Rust would have written: values and statements that Nupp refuses by name, each with
//! what to write instead.

use super::{Parser, Reported, is_keyword};
use crate::diag::Code;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind};
use crate::syntax::print;
use crate::syntax::source::TokenKind;

impl Parser<'_> {
    /// `!`, `+`, `&`, `*` before an operand.
    pub(super) fn refuse_prefix(&mut self) {
        let text = self.peek().map_or("", |t| t.text.as_str());
        let (message, help) = match text {
            "!" => (
                "`!` is not an operator",
                "write `not` for a boolean, `~` for the bits of an integer",
            ),
            "+" => ("`+` stands between two operands only", "take it out"),
            _ => (
                "there are no references or pointers",
                "take it out: a span is read with `s[i]`",
            ),
        };
        let at = self.here();
        self.error(Code::ForeignOperator, at, message, help);
    }

    /// Something that is no value of the language; consumes it where it is a known foreign one.
    pub(super) fn foreign_primary(&mut self) -> Reported {
        let Some(token) = self.peek() else {
            return self.expected("an expression", "write a value");
        };
        let at = self.here();
        let next_is_number = self.nth(1).is_some_and(|t| t.kind == TokenKind::Number);
        let (code, message, help) = match (token.kind, token.text.as_str()) {
            (TokenKind::Open, "{") => (
                Code::ForeignConstruct,
                "there are no tables",
                "use scalars, or a `local struct` and its call `Pair(1.0, 2.0)`",
            ),
            (TokenKind::Open, _) => (
                Code::ForeignConstruct,
                "there are no array values",
                "use a span parameter, or `phases:scratch(0.0, 256)` in a workgroup kernel",
            ),
            (TokenKind::Op, "...") => (
                Code::FunctionForm,
                "there are no variadic arguments",
                "name each parameter",
            ),
            (TokenKind::Op, "|" | "||") => (
                Code::ForeignConstruct,
                "this is how Rust writes a closure",
                if self.in_callback() {
                    "write `function(a, b) return a + b end`"
                } else {
                    "write a helper at the top of the block, and call it by its name: `local \
                     function f(x: float): float return x end`"
                },
            ),
            (TokenKind::Op, "'") => (
                Code::LiteralForm,
                "a string stands in double quotes",
                "write `\"...\"`",
            ),
            (TokenKind::RustLiteral, _) => (
                Code::LiteralForm,
                "there are no characters and no byte or C strings",
                "write a message as `\"...\"`, a character's number as an integer",
            ),
            (TokenKind::Op, ".") if next_is_number => (
                Code::LiteralForm,
                "a number starts with a digit",
                "write `0` before the point",
            ),
            (TokenKind::Name, "nil") => (
                Code::ForeignConstruct,
                "`nil` is not a value, because every variable holds one of its type",
                "use a value of the type, for example `0.0`, or a boolean beside it",
            ),
            (TokenKind::Name, "if") => (
                Code::ForeignConstruct,
                "`if` is a statement, not an expression",
                "write `c and x or y` to choose between two values",
            ),
            _ => return self.expected("an expression", "write a value"),
        };
        let choice = if token.text == "if" {
            self.choice()
        } else {
            None
        };
        let help = choice.as_deref().unwrap_or(help);
        let takes_group = matches!(token.kind, TokenKind::Open);
        let is_word = token.kind == TokenKind::Name;
        let reported = self.error(code, at, message, help);
        if token.kind == TokenKind::Name && token.text == "if" {
            self.skip_if_expression();
        }
        if takes_group || (!is_word && token.text != "'") {
            self.skip_tree();
        }
        reported
    }

    /// Whether the token stands among the arguments of a call that takes a function.
    fn in_callback(&self) -> bool {
        let mut depth = 0usize;
        for pos in (0..self.pos).rev() {
            let Some(token) = self.token_at(pos) else {
                return false;
            };
            match token.kind {
                TokenKind::Close => depth += 1,
                TokenKind::Open if depth > 0 => depth -= 1,
                TokenKind::Open => {
                    let callee = pos.checked_sub(1).and_then(|pos| self.token_at(pos));
                    return callee.is_some_and(|callee| {
                        matches!(callee.text.as_str(), "workgroups" | "run" | "reduce")
                    });
                }
                _ => {}
            }
        }
        false
    }

    /// `c and x or y` of an `if c then x else y` that stands where a value is needed.
    fn choice(&mut self) -> Option<String> {
        let (pos, known, deepest) = (self.pos, self.diagnostics.len(), self.deepest);
        let text = self.choice_parts();
        if self.stopped {
            return None;
        }
        (self.pos, self.deepest) = (pos, deepest);
        self.diagnostics.truncate(known);
        text
    }

    fn choice_parts(&mut self) -> Option<String> {
        self.bump();
        let cond = self.expr().ok()?;
        self.eat_word("then")?;
        let yes = self.expr().ok()?;
        self.eat_word("else")?;
        let no = self.expr().ok()?;
        let whole = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Or, ..) => format!("({})", print::expr(expr)),
            _ => print::expr(expr),
        };
        Some(format!(
            "write `{} and {} or {}`",
            whole(&cond),
            whole(&yes),
            print::expr(&no)
        ))
    }

    /// Goes past `if c then a else b end`, where it is closed, and past one without `end` that stands
    /// on one line.
    fn skip_if_expression(&mut self) {
        let line = |parser: &Self, pos| parser.source.place(parser.span_of(pos)).map(|p| p.line);
        let first = line(self, self.pos);
        let (mut depth, mut group, mut ahead, mut then) = (0usize, 0usize, 0, false);
        let mut otherwise = None;
        while let Some(token) = self.nth(ahead) {
            let new_line = line(self, self.pos + ahead) != first;
            if new_line && depth == 1 && otherwise.is_some_and(|at| at + 1 < ahead) {
                break;
            }
            ahead += 1;
            match (token.kind, token.text.as_str()) {
                (TokenKind::Close, _) if group == 0 => return,
                (TokenKind::Close, _) => group -= 1,
                (_, "{") => return,
                (TokenKind::Open, _) => group += 1,
                (_, "then") => then = true,
                (_, "else") if depth == 1 && !new_line => otherwise = Some(ahead - 1),
                (_, "if" | "do" | "function" | "repeat") => depth += 1,
                (_, "end" | "until") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        if then && (depth == 0 || otherwise.is_some()) {
            self.pos += ahead;
        }
    }

    /// A statement that only Lua or Rust has, as far as its first words tell; says what to write.
    pub(super) fn foreign_statement(&mut self) -> Option<Reported> {
        let token = self.peek()?;
        let next = self.nth(1);
        let word_follows = next.is_some_and(|t| t.kind == TokenKind::Name && !is_keyword(&t.text));
        let brace_follows = next.is_some_and(|t| t.kind == TokenKind::Open && t.text == "{");
        let (code, message, help) = match (token.kind, token.text.as_str()) {
            (TokenKind::Name, "goto") | (TokenKind::Op, "::") => (
                Code::ForeignConstruct,
                "there are no labels and no `goto`",
                "use `break`, `continue`, or an `if` around the statements to skip",
            ),
            (TokenKind::Name, "loop") if brace_follows => (
                Code::ForeignConstruct,
                "`loop` is Rust's",
                "write `while true do ... end` with a `break` in it",
            ),
            (TokenKind::Name, word @ ("match" | "switch")) if word_follows => (
                Code::ForeignConstruct,
                if word == "match" {
                    "there is no `match`"
                } else {
                    "there is no `switch`"
                },
                "write `if a then ... elseif b then ... else ... end`",
            ),
            (TokenKind::Name, "unsafe") if brace_follows => (
                Code::ForeignConstruct,
                "there is no `unsafe`: every access is proved",
                "take it out, and write a guard where a proof needs one",
            ),
            (TokenKind::Name, "fn") if word_follows => (
                Code::FunctionForm,
                "`fn` is Rust's, and functions do not stand inside one another",
                "write `local function f(x: float): float ... end` at the top of the block",
            ),
            (TokenKind::Name, "const" | "struct") if word_follows => (
                Code::Syntax,
                "constants and structs stand at the top of the block, outside functions",
                "move it there, or use a `local`",
            ),
            (TokenKind::Name, _) if self.at_macro() => {
                return Some(self.refuse_macro());
            }
            (TokenKind::Name, "print") if next.is_some_and(|t| t.text == "!" || t.text == "(") => (
                Code::ForeignConstruct,
                "a kernel cannot print",
                "write the value to an output span and look at it on the host",
            ),
            (TokenKind::Open, "{") => (
                Code::ForeignConstruct,
                "there are no tables and no blocks in braces",
                "write `do ... end` for a block, parentheses around a call's arguments",
            ),
            _ => return None,
        };
        let at = self.here();
        let reported = self.error(code, at, message, help);
        if token.kind == TokenKind::Open {
            self.skip_tree();
        } else {
            self.bump();
            if word_follows {
                self.bump();
            }
        }
        Some(reported)
    }

    /// Whether a macro of Rust is called here: `name!(...)`.
    pub(super) fn at_macro(&self) -> bool {
        self.nth_is_name(0)
            && self.nth_is(1, TokenKind::Op, "!")
            && self.nth(2).is_some_and(|t| t.kind == TokenKind::Open)
    }

    /// `println!(...)`, `assert!(...)`: refused, and gone past.
    pub(super) fn refuse_macro(&mut self) -> Reported {
        let name = self.peek().map_or("", |t| t.text.as_str());
        let help = match name {
            "assert" | "debug_assert" => {
                "write `assert(#a == #b, \"message\")`, as a guard first in the kernel"
            }
            "assert_eq" | "debug_assert_eq" => {
                "write `assert(a == b, \"message\")`, as a guard first in the kernel"
            }
            "print" | "println" | "eprint" | "eprintln" | "dbg" => {
                "a kernel cannot print: write the value to an output span and look at it on the \
                 host"
            }
            "panic" | "todo" | "unreachable" | "unimplemented" => {
                "a kernel cannot stop: write a value that says what went wrong to an output span"
            }
            "vec" => "pass an array as a span: `borrows table: span.Span<float>`",
            _ => "write a helper at the top of the block: `local function f(x: float): float`",
        };
        let message = format!("there are no macros, and so no `{name}!`");
        let at = self.bump().to(self.here());
        self.bump();
        self.skip_tree();
        self.error(Code::ForeignConstruct, at, message, help)
    }
}
