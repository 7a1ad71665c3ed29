//! Statements with blocks of their own: `if`, `repeat`, and the counted `for`.

use super::{Parser, Reported, Res};
use crate::diag::Code;
use crate::syntax::ast::{Expr, ExprKind, StmtKind, UnaryOp};
use crate::syntax::print;
use crate::syntax::source::TokenKind;

impl Parser<'_> {
    pub(super) fn if_statement(&mut self) -> Res<StmtKind> {
        let opener = self.pos;
        self.bump();
        let mut arms = Vec::new();
        loop {
            let cond = self.header("then", "`then` after the condition")?;
            let then = self.pos - 1;
            let body = self.block(then);
            arms.push((cond, body));
            if self.at_foreign_else() {
                let at = self.here();
                let word = self.peek().map_or("", |t| t.text.as_str());
                let message = format!("`{word}` is not how another condition is written");
                self.error(Code::ForeignConstruct, at, message, "write `elseif`");
                self.bump();
                continue;
            }
            if self.eat_word("elseif").is_some() {
                continue;
            }
            if self.at_word("else") && self.nth_is(1, TokenKind::Name, "if") {
                self.else_ifs.push((opener, self.pos));
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

    pub(super) fn repeat(&mut self) -> Res<StmtKind> {
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

    pub(super) fn for_statement(&mut self) -> Res<StmtKind> {
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
            let mut help = self.counted_form(&var.text).unwrap_or(form.to_owned());
            if self.at_open("{") {
                help += ", with `do` in place of `{` and `end` in place of `}`";
            }
            return Err(self.error(Code::LoopForm, at, message, &help));
        }
        self.expect_op("=", "`=` after the loop variable", form)?;
        let lo = self.expr()?;
        if !self.at_op(",") && self.diagnostics.len() > known {
            return Err(Reported);
        }
        self.expect_op(",", "`,` between the bounds", form)?;
        let hi = self.expr()?;
        if let Some(comma) = self.eat_op(",") {
            let step = self.expr();
            let at = step.as_ref().map_or(comma, |step| step.at);
            let message = "a counted loop has no step: it counts up by one";
            let help = match &step {
                Ok(step) => stepped(&var.text, &lo, &hi, step),
                Err(Reported) => "take the step out".to_owned(),
            };
            self.error(Code::LoopForm, at, message, &help);
        }
        Ok((var, lo, hi))
    }

    /// The counted loop that `in 0..n` stands for; goes past the range where there is one.
    fn counted_form(&mut self, var: &str) -> Option<String> {
        if !self.at_word("in") {
            return None;
        }
        self.bump();
        let known = self.diagnostics.len();
        let range = self.expr();
        self.diagnostics.truncate(known);
        let ExprKind::Binary(_, op, lo, hi) = range.ok()?.kind else {
            return None;
        };
        let op = self.source.tokens().get(op.first as usize)?.text.as_str();
        let length = match &hi.kind {
            ExprKind::Unary(UnaryOp::Len, ..) => Some(print::expr(&hi)),
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Field(of, name) if name.text == "len" => {
                    Some(format!("#{}", print::expr(of)))
                }
                _ => None,
            },
            _ => None,
        };
        let bounds = match (length, op) {
            (Some(length), ".." | "..=") => format!("1, {length}"),
            (None, "..=") => format!("{}, {}", print::expr(&lo), print::expr(&hi)),
            (None, "..") => match &hi.kind {
                ExprKind::Number(number) => {
                    let last = number.text.parse::<u64>().ok()?.checked_sub(1)?;
                    format!("{}, {last}", print::expr(&lo))
                }
                _ => format!("{}, {} - 1", print::expr(&lo), print::expr(&hi)),
            },
            _ => return None,
        };
        Some(format!("write `for {var} = {bounds} do ... end`"))
    }
}

/// A loop with a step as one without: it counts the turns.
fn stepped(var: &str, lo: &Expr, hi: &Expr, step: &Expr) -> String {
    let part = |expr: &Expr| {
        let compound = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
        let text = print::expr(expr);
        if compound { format!("({text})") } else { text }
    };
    let turn = if var == "k" { "turn" } else { "k" };
    let (from, to, by) = (number(lo), number(hi), number(step));
    if by == Some(1) {
        return "take it out".to_owned();
    }
    let down = matches!(by, Some(by) if by < 0);
    let (sign, size) = match by {
        Some(by) => (if down { "-" } else { "+" }, by.unsigned_abs().to_string()),
        None => ("+", part(step)),
    };
    let last = match (from, to, by) {
        (Some(from), Some(to), Some(by)) if by != 0 => {
            if (to - from).signum() * by.signum() < 0 {
                "-1".to_owned()
            } else {
                ((to - from) / by).to_string()
            }
        }
        _ => {
            let (high, low) = if down { (lo, hi) } else { (hi, lo) };
            let range = match number(low) {
                Some(0) => print::expr(high),
                _ => format!("{} - {}", print::expr(high), part(low)),
            };
            match size.as_str() {
                "1" => range,
                // A quotient is rounded towards zero, and no turn must be left of a range below it.
                _ => format!("i32.div({range} + {size}, {size}) - 1"),
            }
        }
    };
    let moved = if size == "1" {
        turn.to_owned()
    } else {
        format!("{turn} * {size}")
    };
    let value = match (from, sign) {
        (Some(0), "+") => moved,
        _ => format!("{} {sign} {moved}", part(lo)),
    };
    format!("count the turns: `for {turn} = 0, {last} do local {var} = {value} ... end`")
}

/// A number as written, with a minus before it or none.
fn number(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(number) => number.text.parse::<u32>().ok().map(i64::from),
        ExprKind::Unary(UnaryOp::Neg, _, of) => number(of).map(|n| -n),
        _ => None,
    }
}
