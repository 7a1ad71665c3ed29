//! Expressions: precedence climbing over the operators of the language and the foreign ones that
//! are refused by name.
//!
//! Chains such as `a + b + c` and `a.b.c` grow to the left without recursion, so each node's
//! height is carried along and limited as nesting is.

use super::{Parser, Reported, Res};
use crate::diag::Code;
use crate::span::SrcSpan;
use crate::syntax::ast::{Expr, ExprKind, FunctionLit, LocalName, Number, NumberValue, UnaryOp};
use crate::syntax::literal;
use crate::syntax::source::TokenKind;
use nupp_ir::limits::MAX_DEPTH;

/// An expression and how tall its tree is.
struct Tall {
    expr: Expr,
    height: usize,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Res<Expr> {
        Ok(self.binary(1)?.expr)
    }

    /// Expressions with commas between them, at least one.
    pub(super) fn exprs(&mut self) -> Res<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.eat_op(",").is_some() {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn node(&mut self, kind: ExprKind, at: SrcSpan, height: usize) -> Res<Tall> {
        let expr = Expr { kind, at };
        if self.depth + height > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.deepest = self.deepest.max(self.depth + height);
        Ok(Tall { expr, height })
    }

    fn binary(&mut self, least: u8) -> Res<Tall> {
        let mut left = self.unary()?;
        while let Some(next) = self.infix() {
            if next.op.precedence() < least {
                break;
            }
            let op_at = self.here();
            let power = next.foreign.filter(|foreign| Self::is_power(foreign));
            if let (Some(foreign), None) = (next.foreign, power) {
                self.refuse_infix(foreign);
                if self.at_op("?") {
                    return Err(Reported);
                }
            }
            self.bump();
            if next.is_cast {
                self.ty()?;
                continue;
            }
            let right = self.deeper(|p| p.binary(next.op.precedence() + 1));
            if let Some(foreign) = power {
                let right = right.as_ref().ok().map(|right| &right.expr);
                self.refuse_power(foreign, op_at, &left.expr, right);
            }
            let right = right?;
            let at = left.expr.at.to(right.expr.at);
            let height = left.height.max(right.height) + 1;
            let kind = ExprKind::Binary(next.op, op_at, left.expr.into(), right.expr.into());
            left = self.node(kind, at, height)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Res<Tall> {
        let Some(token) = self.peek() else {
            return Err(self.expected("an expression", "write a value"));
        };
        let op = match (token.kind, token.text.as_str()) {
            (TokenKind::Op, "-") => UnaryOp::Neg,
            (TokenKind::Op, "~") => UnaryOp::BitNot,
            (TokenKind::Op, "#") => UnaryOp::Len,
            (TokenKind::Name, "not") => UnaryOp::Not,
            (TokenKind::Op, "!" | "+" | "&" | "&&" | "*") => return self.foreign_prefix(),
            _ => return self.postfix(),
        };
        let op_at = self.bump();
        let inner = self.deeper(Self::unary)?;
        let at = op_at.to(inner.expr.at);
        let kind = ExprKind::Unary(op, op_at, inner.expr.into());
        self.node(kind, at, inner.height + 1)
    }

    /// `!x`, `+x`, `&x`, `*x`: refused, and the operand is read on.
    fn foreign_prefix(&mut self) -> Res<Tall> {
        self.refuse_prefix();
        self.bump();
        self.deeper(Self::unary)
    }

    fn postfix(&mut self) -> Res<Tall> {
        let (mut base, can_apply) = self.primary()?;
        if !can_apply {
            return Ok(base);
        }
        loop {
            let start = base.expr.at;
            if self.at_op(".") || self.at_op("::") {
                if self.at_op("::") {
                    self.refuse_colons();
                }
                self.bump();
                let name = self.name("a field or function name after the point")?;
                let at = start.to(name.at);
                let kind = ExprKind::Field(base.expr.into(), name);
                base = self.node(kind, at, base.height + 1)?;
            } else if self.at_open("[") {
                self.bump();
                let index = self.deeper(|p| p.binary(1));
                let end = self.end_of_group(&index, "`]` after the index");
                let index = index?;
                let height = base.height.max(index.height) + 1;
                let kind = ExprKind::Index(base.expr.into(), index.expr.into());
                base = self.node(kind, start.to(end), height)?;
            } else if self.at_open("(") {
                let (args, height, end) = self.args()?;
                let kind = ExprKind::Call(base.expr.into(), args);
                base = self.node(kind, start.to(end), base.height.max(height) + 1)?;
            } else if self.at_op(":") {
                self.bump();
                let name = self.name("a method name after `:`")?;
                if !self.at_open("(") {
                    let help = format!(
                        "write `{}(...)`, or `.{}` for a field",
                        name.text, name.text
                    );
                    return Err(self.expected("`(` after the method name", &help));
                }
                let (args, height, end) = self.args()?;
                let kind = ExprKind::Method(base.expr.into(), name, args);
                base = self.node(kind, start.to(end), base.height.max(height) + 1)?;
            } else if self.peek().is_some_and(|t| t.kind == TokenKind::Str) {
                let at = self.here();
                let message = "a call has parentheses around its arguments";
                let help = self
                    .peek()
                    .map_or(String::new(), |t| format!("write `({})`", t.text));
                self.error(Code::ForeignConstruct, at, message, &help);
                self.bump();
            } else {
                break;
            }
        }
        Ok(base)
    }

    /// The closing delimiter after something that may have failed.
    fn end_of_group<T>(&mut self, inner: &Res<T>, what: &str) -> SrcSpan {
        match inner {
            Ok(_) => self.close(what, "write an operator before it, or take it out"),
            Err(Reported) => self.skip_past_close(),
        }
    }

    /// Arguments, how tall the tallest is, and the closing parenthesis.
    fn args(&mut self) -> Res<(Vec<Expr>, usize, SrcSpan)> {
        self.bump();
        let (mut args, mut height, mut failed) = (Vec::new(), 0, false);
        while self.peek().is_some() && !self.at_close() {
            match self.deeper(|p| p.binary(1)) {
                Ok(arg) => {
                    height = height.max(arg.height);
                    args.push(arg.expr);
                }
                Err(Reported) => {
                    failed = true;
                    self.skip_to_comma();
                }
            }
            if self.eat_op(",").is_none() {
                break;
            }
            if self.at_close() {
                self.expected("an argument after `,`", "take the comma out");
            }
        }
        let end = if failed {
            self.skip_past_close()
        } else {
            self.close(
                "`,` or `)` after an argument",
                "write a comma between arguments",
            )
        };
        if self.stopped {
            return Err(Reported);
        }
        Ok((args, height, end))
    }

    /// A value, and whether it may be called, indexed or asked for a field.
    fn primary(&mut self) -> Res<(Tall, bool)> {
        let Some(token) = self.peek() else {
            return Err(self.expected("an expression", "write a value"));
        };
        let here = self.here();
        match (token.kind, token.text.as_str()) {
            (TokenKind::Number, _) => {
                let number = self.number();
                Ok((self.node(ExprKind::Number(number), here, 1)?, false))
            }
            (TokenKind::Str, text) => {
                let value = match literal::unescape(text) {
                    Ok(value) => value,
                    Err(wrong) => {
                        self.error(Code::LiteralForm, here, wrong.message, &wrong.help);
                        String::new()
                    }
                };
                self.bump();
                Ok((self.node(ExprKind::Str(value), here, 1)?, false))
            }
            (TokenKind::Name, word @ ("true" | "false")) => {
                self.bump();
                Ok((self.node(ExprKind::Bool(word == "true"), here, 1)?, false))
            }
            (TokenKind::Name, "function") => Ok((self.function_literal()?, false)),
            (TokenKind::Name, _) if self.at_macro() => Err(self.refuse_macro()),
            (TokenKind::Name, word) if !super::is_keyword(word) => {
                let name = self.name("a name")?;
                Ok((self.node(ExprKind::Name(name.text), here, 1)?, true))
            }
            (TokenKind::Open, "(") => Ok((self.parenthesised()?, true)),
            _ => Err(self.foreign_primary()),
        }
    }

    fn parenthesised(&mut self) -> Res<Tall> {
        let start = self.bump();
        if self.at_close() {
            self.expected("an expression between the parentheses", "write a value");
            self.bump();
            return Err(Reported);
        }
        let inner = self.deeper(|p| p.binary(1));
        if inner.is_ok() && self.at_op(",") {
            let at = self.here();
            let help = "pass or assign the values one by one";
            self.error(Code::ForeignConstruct, at, "there are no tuples", help);
            self.skip_past_close();
            return Err(Reported);
        }
        let end = self.end_of_group(&inner, "`)` after the expression");
        let mut inner = inner?;
        inner.expr.at = start.to(end);
        Ok(inner)
    }

    fn number(&mut self) -> Number {
        let text = self.peek().map_or("0", |t| t.text.as_str());
        let at = self.bump();
        match literal::number(text) {
            Ok(number) => number,
            Err(wrong) => {
                self.error(Code::LiteralForm, at, wrong.message, &wrong.help);
                Number {
                    text: "0".to_owned(),
                    value: NumberValue::Int(0),
                }
            }
        }
    }

    /// `function(a, b) ... end`.
    fn function_literal(&mut self) -> Res<Tall> {
        let opener = self.pos;
        let start = self.bump();
        if self.nth_is_name(0) {
            let name = self.name("a name")?;
            let message = format!(
                "a function inside an expression has no name, so `{}` is one too many",
                name.text
            );
            self.error(
                Code::FunctionForm,
                name.at,
                message,
                "write `function(...) ... end`",
            );
        }
        self.refuse_generics();
        if !self.at_open("(") {
            return Err(self.expected("`(` after `function`", "write `function(...) ... end`"));
        }
        let params = self.callback_params();
        let result = self.result_type()?;
        // The body counts as part of this node, however its own trees lean.
        let outside = std::mem::take(&mut self.deepest);
        let body = self.deeper(|p| Ok(p.block(opener)));
        let height = self.deepest.saturating_sub(self.depth) + 1;
        self.deepest = self.deepest.max(outside);
        let body = body?;
        self.end(opener);
        let at = start.to(self.before());
        let lit = FunctionLit {
            params,
            result,
            body,
        };
        self.node(ExprKind::Function(Box::new(lit)), at, height)
    }

    fn callback_params(&mut self) -> Vec<LocalName> {
        self.bump();
        let mut params = Vec::new();
        while self.peek().is_some() && !self.at_close() {
            match self.local_name() {
                Ok(param) => params.push(param),
                Err(Reported) => self.skip_to_comma(),
            }
            if self.eat_op(",").is_none() {
                break;
            }
        }
        self.close(
            "`,` or `)` after a parameter",
            "write `function(groupIndex, phases)`",
        );
        params
    }
}
