//! Statements: declarations, conditions, returns and calls.
//!
//! A statement that was refused leaves nothing behind but the names it declares, poisoned where
//! their type is not known, so that the statements after it are checked as well.

use super::func::{Binding, Func, Zone};
use super::library::Module;
use super::paths::{Path, TypeForm};
use super::{Checked, Checker, Item, Reported};
use crate::diag::Code;
use crate::hir::{self, Stmt, StmtKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;

impl Checker<'_> {
    /// Statements in a scope of their own.
    pub(super) fn scoped(&mut self, func: &mut Func, block: &ast::Block) -> hir::Block {
        func.push_scope();
        let block = self.block(func, block);
        func.pop_scope();
        block
    }

    /// Statements in the scope that is open.
    pub(super) fn block(&mut self, func: &mut Func, block: &ast::Block) -> hir::Block {
        let mut made = hir::Block::default();
        for stmt in &block.stmts {
            // What was refused is reported already; the next statement is checked in any case.
            let _ = self.stmt(func, stmt, &mut made.stmts);
        }
        made
    }

    fn stmt(&mut self, func: &mut Func, stmt: &ast::Stmt, out: &mut Vec<Stmt>) -> Checked<()> {
        let at = stmt.at;
        if func.zone == Zone::Controller && !is_declaration(&stmt.kind) {
            func.declarations_over = true;
        }
        let kind = match &stmt.kind {
            ast::StmtKind::Local(names, values) => return self.local(func, names, values, at, out),
            ast::StmtKind::Assign(targets, values) => self.assign(func, targets, values)?,
            ast::StmtKind::If(arms, rest) => self.if_stmt(func, arms, rest.as_ref())?,
            ast::StmtKind::While(cond, body) => self.while_stmt(func, cond, body)?,
            ast::StmtKind::Repeat(body, cond) => self.repeat_stmt(func, body, cond)?,
            ast::StmtKind::For { var, lo, hi, body } => self.for_stmt(func, var, [lo, hi], body)?,
            ast::StmtKind::Break => self.break_stmt(func, at)?,
            ast::StmtKind::Continue => self.continue_stmt(func, at)?,
            ast::StmtKind::Return(value) => self.return_stmt(func, value.as_ref(), at)?,
            ast::StmtKind::Do(body) => StmtKind::Do(self.scoped(func, body)),
            ast::StmtKind::Call(call) => self.call_stmt(func, call)?,
        };
        out.push(Stmt { kind, at });
        Ok(())
    }

    fn local(
        &mut self,
        func: &mut Func,
        names: &[ast::LocalName],
        values: &[ast::Expr],
        at: SrcSpan,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        if let ([name], [value]) = (names, values)
            && self.is_scratch_call(func, value)
        {
            return self.scratch_declaration(func, name, value);
        }
        // All values first: none of them sees the names.
        let mut made = Vec::new();
        for (name, value) in names.iter().zip(values) {
            let ty = name.ty.as_ref();
            let want = ty.map(|ty| self.local_type(&name.name, ty));
            let value = match want {
                Some(Ok(ty)) => self.value(func, value, Some(ty)),
                Some(Err(reported)) => Err(reported),
                None => {
                    self.declared = Some((name.name.text.clone(), value.at));
                    let value = self.value(func, value, None);
                    self.declared = None;
                    value
                }
            };
            made.push((name, want.and_then(Result::ok), value));
        }
        for (i, (name, want, value)) in made.into_iter().enumerate() {
            self.refuse_taken(&name.name);
            let ty = match &value {
                Ok(value) => Some(value.ty),
                Err(Reported) => want,
            };
            let Some(ty) = ty else {
                func.bind(&name.name.text, Binding::Poison);
                continue;
            };
            let rule = self.group_rule(func, &values[i]);
            let id = func.declare(&name.name, ty, false);
            func.facts[id.index()].rule = rule;
            if let Ok(value) = value {
                out.push(Stmt {
                    kind: StmtKind::Let(id, value),
                    at,
                });
            }
        }
        Ok(())
    }

    /// Refuses a name that the language keeps for itself.
    pub(super) fn refuse_taken(&mut self, name: &ast::Name) {
        if let Some(diagnostic) = super::names::refuse_taken(name) {
            self.report(diagnostic);
        }
    }

    /// The written type of a local.
    pub(super) fn local_type(&mut self, name: &ast::Name, ty: &ast::Type) -> Checked<Ty> {
        let of = format!("`{}`", name.text);
        match self.type_form(ty, &of)? {
            TypeForm::Value(ty) => Ok(ty),
            TypeForm::Span(_)
            | TypeForm::WriteSpan(_)
            | TypeForm::Scratch(_)
            | TypeForm::Phases
            | TypeForm::Nil => {
                let text = self.quote(ty.at);
                Err(self.refuse(
                    Code::UnknownType,
                    ty.at,
                    format!("a local cannot have the type `{text}`"),
                    "a local is `float`, `int32`, `uint32`, `boolean` or a struct; spans are \
                     parameters",
                ))
            }
        }
    }

    fn if_stmt(
        &mut self,
        func: &mut Func,
        arms: &[(ast::Expr, ast::Block)],
        rest: Option<&ast::Block>,
    ) -> Checked<StmtKind> {
        let mut made = Vec::new();
        let mut failed = false;
        for (cond, body) in arms {
            let cond = self.truth(func, cond);
            let body = self.scoped(func, body);
            match cond {
                Ok(cond) => made.push((cond, body)),
                Err(Reported) => failed = true,
            }
        }
        let rest = rest.map(|rest| self.scoped(func, rest)).unwrap_or_default();
        if failed {
            return Err(Reported);
        }
        Ok(StmtKind::If(made, rest))
    }

    fn return_stmt(
        &mut self,
        func: &mut Func,
        value: Option<&ast::Expr>,
        at: SrcSpan,
    ) -> Checked<StmtKind> {
        match func.zone {
            Zone::Helper => {}
            Zone::Map => {
                return Err(self.refuse(
                    Code::ReturnForm,
                    at,
                    "a map's body does not return: each element is a lane of its own",
                    "write `continue` to end this lane",
                ));
            }
            Zone::Phase => {
                return Err(self.refuse(
                    Code::ControlCrossesPhase,
                    at,
                    "`return` cannot leave a phase: all lanes meet at its end",
                    "put the rest of the phase into an `if`",
                ));
            }
            Zone::Combine => {
                return Err(self.refuse(
                    Code::CombineForm,
                    at,
                    "the function of `reduce` returns once, at its end",
                    "select the value first: `return gpu.select(c, x, y)`",
                ));
            }
            Zone::Controller | Zone::Prologue | Zone::Guards | Zone::Constant => {
                return Err(self.refuse(
                    Code::ReturnForm,
                    at,
                    "a controller does not return: its groups run to their end",
                    "put the rest of it into an `if`",
                ));
            }
        }
        match (func.result, value) {
            (Some(ty), Some(value)) => Ok(StmtKind::Return(Some(self.value(func, value, Some(ty))?))),
            (None, None) => Ok(StmtKind::Return(None)),
            (Some(ty), None) => {
                let message = format!("this helper returns `{}`", self.type_name(ty));
                Err(self.refuse(Code::ReturnForm, at, message, "write `return` and the value"))
            }
            // What it returns was refused, and is not known.
            (None, Some(_)) if self.signature_broken() => Err(Reported),
            (None, Some(value)) => Err(self.refuse(
                Code::ReturnForm,
                value.at,
                "this helper returns nothing",
                "declare what it returns, `local function name(x: float): float`, or write `return` alone",
            )),
        }
    }

    fn call_stmt(&mut self, func: &mut Func, call: &ast::Expr) -> Checked<StmtKind> {
        match &call.kind {
            ast::ExprKind::Method(base, name, args) => {
                self.method_stmt(func, call, base, name, args)
            }
            ast::ExprKind::Call(callee, args) => self.plain_call(func, call, callee, args),
            _ => {
                let text = self.quote(call.at);
                Err(self.refuse(
                    Code::StatementForm,
                    call.at,
                    format!("`{text}` is no statement"),
                    "assign it: `local value = ...`",
                ))
            }
        }
    }

    fn plain_call(
        &mut self,
        func: &mut Func,
        call: &ast::Expr,
        callee: &ast::Expr,
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let names = callee.path().unwrap_or_default();
        if self.is_workgroups(func, callee) {
            return Err(self.stray_workgroups(func, call.at));
        }
        if let [name] = names.as_slice() {
            let item = self.items.get(&name.text).map(|(item, _)| item.clone());
            if let (None, Some(Item::Helper(id))) = (func.lookup(&name.text), item) {
                let (args, result) = self.helper_call(func, id, name, call.at, args)?;
                if result.is_none() {
                    return Ok(StmtKind::Call(id, args));
                }
                let message = format!("the result of `{}` is dropped", name.text);
                let help = format!("use it: `local value = {}`", self.quote(call.at));
                return Err(self.refuse(Code::MissingResult, call.at, message, help));
            }
        }
        let value = match self.path(Some(func), &names) {
            Some(Path::Member(Module::Gpu, name)) if name.text != "select" => {
                return Err(self.unknown_member(Module::Gpu, &name));
            }
            _ => self.value(func, call, None)?,
        };
        let text = self.quote(value.at);
        Err(self.refuse(
            Code::StatementForm,
            call.at,
            format!("`{text}` computes a value that nobody uses"),
            format!("use it: `local value = {text}`"),
        ))
    }

    /// Whether a callee is `gpu.workgroups`.
    pub(super) fn is_workgroups(&self, func: &Func, callee: &ast::Expr) -> bool {
        let names = callee.path().unwrap_or_default();
        matches!(self.path(Some(func), &names), Some(Path::Member(Module::Gpu, name)) if name.text == "workgroups")
    }
}

/// Whether a statement of the controller declares a local or scratch.
fn is_declaration(stmt: &ast::StmtKind) -> bool {
    matches!(stmt, ast::StmtKind::Local(..))
}
