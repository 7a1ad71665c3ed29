//! Maps: guards, then exactly one `for index = 1, #primary do ... end`.

use super::Checker;
use super::func::{Binding, Func, Zone};
use super::kernel::Head;
use super::types::U32;
use crate::diag::{Code, Diagnostic};
use crate::hir::{Block, Shape};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, StmtKind, UnaryOp};

impl Checker<'_> {
    /// Checks a map's loop; statements beside it are refused.
    pub(super) fn map(&mut self, func: &mut Func, head: &Head<'_>) -> Option<(Shape, Block)> {
        let mut found = None;
        func.zone = Zone::Map;
        for stmt in head.rest {
            match &stmt.kind {
                StmtKind::For { var, lo, hi, body } if found.is_none() => {
                    found = Some(self.map_loop(func, head, stmt.at, var, [lo, hi], body));
                }
                _ => self.beside_map(func, stmt, found.is_some()),
            }
        }
        found?
    }

    fn map_loop(
        &mut self,
        func: &mut Func,
        head: &Head<'_>,
        at: SrcSpan,
        var: &ast::Name,
        [lo, hi]: [&ast::Expr; 2],
        body: &ast::Block,
    ) -> Option<(Shape, Block)> {
        self.refuse_taken(var);
        let bounds = self.map_bounds(func, head, var, lo, hi);
        func.push_scope();
        let index = func.declare(var, U32, true);
        func.numbers.index.clone_from(&var.text);
        let body = self.block(func, body);
        func.pop_scope();
        let primary = head.primary.filter(|_| bounds)?;
        Some((Shape::Map { primary, index, at }, body))
    }

    /// Whether the loop is over the primary output; reports where it is not.
    fn map_bounds(
        &mut self,
        func: &Func,
        head: &Head<'_>,
        var: &ast::Name,
        lo: &ast::Expr,
        hi: &ast::Expr,
    ) -> bool {
        let Some(primary) = head.primary else {
            return false;
        };
        let output = func.params[primary.index()].name.clone();
        let help = format!("write `for {} = 1, #{} do ... end`", var.text, output.text);
        let one = self.exact(func, lo).and_then(Result::ok);
        let starts = one.is_some_and(|l| !l.float_only && l.value.to_int() == Some(1));
        if !starts {
            let message = format!(
                "`{}` starts at `{}`, and spans count from one",
                var.text,
                self.quote(lo.at)
            );
            self.refuse(Code::LoopTarget, lo.at, message, help.clone());
        }
        let written = |id| func.span(id).1 == nupp_ir::ir::kernel::Access::Write;
        let span = match &hi.kind {
            ast::ExprKind::Unary(UnaryOp::Len, _, of) => match &of.kind {
                ast::ExprKind::Name(name) => Some((name.clone(), of.at, func.lookup(name))),
                _ => None,
            },
            _ => None,
        };
        match span {
            Some((_, _, Some(Binding::Span(id)))) if id == primary => return starts,
            Some((_, _, Some(Binding::Poison))) => {}
            Some((name, at, None)) => {
                self.unknown_span(func, &name, at);
            }
            _ => {
                let help = match &span {
                    Some((name, _, Some(Binding::Span(id)))) if written(*id) => {
                        format!("{help}, or declare `{name}` first")
                    }
                    _ => help,
                };
                let verb = if span.is_some() {
                    "loops over"
                } else {
                    "ends at"
                };
                let message = format!(
                    "this map {verb} `{}`, and its lanes are the elements of its primary output \
                     `{}`",
                    self.quote(hi.at),
                    output.text
                );
                let first = format!("`{}` is the first span written", output.text);
                let diagnostic = Diagnostic::new(Code::LoopTarget, hi.at, message)
                    .help(help)
                    .note(Some(output.at), first);
                self.report(diagnostic);
            }
        }
        false
    }

    /// Refuses a statement beside the loop, and looks at it for what else is wrong.
    fn beside_map(&mut self, func: &mut Func, stmt: &ast::Stmt, after: bool) {
        let before = self.diags.len();
        if let StmtKind::For { var, body, .. } = &stmt.kind {
            func.push_scope();
            func.declare(var, U32, true);
            self.block(func, body);
            func.pop_scope();
        } else {
            let block = ast::Block {
                stmts: vec![stmt.clone()],
                at: stmt.at,
            };
            self.block(func, &block);
        }
        // A guard that came too late, or a wrong statement, has said what is the matter with it.
        if self.diags.len() > before {
            return;
        }
        let (message, help) = match &stmt.kind {
            StmtKind::For { .. } => (
                "a map has one loop, over its primary output",
                "write what it does into the first loop, or into a second kernel",
            ),
            _ if after => (
                "nothing follows a map's loop, since its lanes run in no order",
                "move it into the loop, or into a second kernel",
            ),
            _ => (
                "only guards stand before a map's loop",
                "move it into the loop: each lane computes it for itself",
            ),
        };
        self.refuse(Code::OutsideMap, stmt.at, message, help);
    }
}
