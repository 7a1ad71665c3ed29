//! Blocks and statements, and where parsing goes on after a broken one.

use super::{Parser, Reported, Res};
use crate::diag::Code;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, LocalName, Stmt, StmtKind};
use crate::syntax::print;
use crate::syntax::source::TokenKind;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Res<Stmt> {
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
        if (self.at_word("mut") || self.at_word("const")) && self.nth_is_name(1) {
            let word = self.peek().map_or("", |t| t.text.as_str());
            let name = self.nth(1).map_or("x", |t| t.text.as_str());
            let help = match word {
                "mut" => "take `mut` out".to_owned(),
                _ => format!(
                    "write `local {name} = ...`, or `const {name} = ...` at the top of the block"
                ),
            };
            let message = match word {
                "mut" => "every local may be assigned, so there is no `mut`",
                _ => "a constant is not local, and a local may be assigned",
            };
            let at = self.bump();
            self.error(Code::ForeignConstruct, at, message, &help);
        }
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
        let known = self.diagnostics.len();
        let first = self.expr()?;
        if let Some(op) = self.compound_assignment() {
            return self.refuse_compound(first, op);
        }
        if !self.at_op("=") && !self.at_op(",") {
            let broken = self.diagnostics.len() > known;
            return self.call_statement(first, broken);
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

    /// An expression as a statement; `broken` when it was already complained about.
    fn call_statement(&mut self, expr: Expr, broken: bool) -> Res<StmtKind> {
        match expr.kind {
            _ if broken => Err(Reported),
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
        let help = match (op, &value) {
            ("%", Ok(value)) => match self.remainder_of(&target, value).split_once(" or ") {
                Some((unsigned, rest)) => match rest.split_once(", and of floats ") {
                    Some((signed, float)) => format!(
                        "write `{name} = {unsigned}` or `{name} = {signed}`, and of floats \
                         `{name} = {float}`"
                    ),
                    None => format!("write `{name} = {unsigned}`"),
                },
                None => format!("write `{name} = {}`", self.remainder_of(&target, value)),
            },
            ("%", Err(_)) => format!("write `{name} = u32.mod({name}, {right})`"),
            _ => format!("write `{name} = {name} {op} {right}`"),
        };
        let message = format!("`{text}` is not an operator");
        Err(self.error(Code::ForeignOperator, at, message, &help))
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
