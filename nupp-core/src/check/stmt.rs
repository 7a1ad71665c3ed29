//! Statements: declarations, assignments, conditions, returns and calls.
//!
//! A statement that was refused leaves nothing behind but the names it declares, poisoned where
//! their type is not known, so that the statements after it are checked as well.

use super::func::{Binding, Func, Zone};
use super::index::Place;
use super::library::Module;
use super::paths::{Path, TypeForm};
use super::{Checked, Checker, Item, Reported};
use crate::diag::Code;
use crate::hir::{self, Expr, Stmt, StmtKind, Target, Ty};
use crate::ir::kernel::Access;
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
        if let ([name], [value]) = (names, values) {
            if self.is_scratch_call(func, value) {
                return self.scratch_declaration(func, name, value);
            }
        }
        // All values first: none of them sees the names.
        let mut made = Vec::new();
        for (name, value) in names.iter().zip(values) {
            let want = match &name.ty {
                Some(ty) => Some(self.local_type(&name.name, ty)),
                None => None,
            };
            let value = match want {
                Some(Ok(ty)) => self.value(func, value, Some(ty)),
                Some(Err(reported)) => Err(reported),
                None => self.value(func, value, None),
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

    fn assign(
        &mut self,
        func: &mut Func,
        targets: &[ast::Expr],
        values: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let mut made = Vec::new();
        let mut failed = false;
        for (target, value) in targets.iter().zip(values) {
            let target = self.target(func, target);
            let want = target.as_ref().ok().map(|(_, ty)| *ty);
            let poisoned = target.is_err();
            // Without the target's type a bare number would be called ambiguous for no reason.
            let value = if poisoned && self.hint(func, value).ty().is_none() {
                Err(Reported)
            } else {
                self.value(func, value, want)
            };
            match (target, value) {
                (Ok((target, _)), Ok(value)) => made.push((target, value)),
                _ => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        Ok(StmtKind::Assign(made))
    }

    fn target(&mut self, func: &mut Func, target: &ast::Expr) -> Checked<(Target, Ty)> {
        match &target.kind {
            ast::ExprKind::Name(name) => {
                let id = self.assigned_local(func, name, target.at)?;
                Ok((Target::Local(id), func.local_ty(id)))
            }
            ast::ExprKind::Index(base, index) => {
                let (place, ty) = self.place(func, base, index)?;
                self.may_store(func, &place, base.at)?;
                Ok(match place {
                    Place::Element(span, index) => (Target::Element(span, index), ty),
                    Place::Slot(array, index) => (Target::Slot(array, index), ty),
                })
            }
            ast::ExprKind::Field(base, field) => self.field_target(func, target, base, field),
            _ => {
                let text = self.quote(target.at);
                Err(self.refuse(
                    Code::NotAssignable,
                    target.at,
                    format!("`{text}` cannot be assigned"),
                    "assign a local, a field or an element: `x = ...`, `pair.a = ...`, `out[i] = ...`",
                ))
            }
        }
    }

    fn field_target(
        &mut self,
        func: &mut Func,
        target: &ast::Expr,
        base: &ast::Expr,
        field: &ast::Name,
    ) -> Checked<(Target, Ty)> {
        match &base.kind {
            ast::ExprKind::Name(name) => {
                let id = self.assigned_local(func, name, base.at)?;
                let value = super::types::local(id, func.local_ty(id), base.at);
                let (index, ty) = self.field_of(&value, field)?;
                Ok((Target::LocalField(id, index), Ty::Scalar(ty)))
            }
            ast::ExprKind::Index(array, index) => {
                let (place, ty) = self.place(func, array, index)?;
                self.may_store(func, &place, array.at)?;
                let element = Expr {
                    ty,
                    kind: hir::ExprKind::Const(0),
                    at: base.at,
                };
                let (field, ty) = self.field_of(&element, field)?;
                let target = match place {
                    Place::Element(span, index) => Target::ElementField(span, index, field),
                    Place::Slot(array, index) => Target::SlotField(array, index, field),
                };
                Ok((target, Ty::Scalar(ty)))
            }
            _ => {
                let text = self.quote(target.at);
                Err(self.refuse(
                    Code::NotAssignable,
                    target.at,
                    format!("`{text}` cannot be assigned"),
                    "assign a field of a local or of an element: `pair.a = ...`, `out[i].a = ...`",
                ))
            }
        }
    }

    fn assigned_local(
        &mut self,
        func: &mut Func,
        name: &str,
        at: SrcSpan,
    ) -> Checked<hir::LocalId> {
        let id = match func.lookup(name) {
            Some(Binding::Local(id)) => id,
            Some(Binding::Poison) => return Err(Reported),
            Some(Binding::Span(_)) => {
                let message = format!("`{name}` is a span; its elements are assigned, not itself");
                let help = format!("write `{name}[index] = ...`");
                return Err(self.refuse(Code::NotAssignable, at, message, help));
            }
            Some(Binding::Scratch(_)) => {
                let message =
                    format!("`{name}` is a scratch array; its slots are assigned, not itself");
                let help = format!("write `{name}[localIndex] = ...` in a phase");
                return Err(self.refuse(Code::NotAssignable, at, message, help));
            }
            Some(Binding::Phases) => return Err(self.phases_escape(name, at)),
            None => {
                let is_item = self.items.get(name).map(|(item, _)| item.clone());
                return Err(match is_item {
                    Some(Item::Poison) => Reported,
                    Some(_) => self.refuse(
                        Code::NotAssignable,
                        at,
                        format!("`{name}` belongs to the block and cannot be assigned"),
                        format!("declare a local of another name and assign that: `local {name}_: float = ...`"),
                    ),
                    None => self.unknown_name(func, name, at),
                });
            }
        };
        let (facts, local) = (func.facts[id.index()], &func.locals[id.index()]);
        if facts.uniform {
            let message =
                format!("`{name}` is a uniform, the same for every lane, and cannot be assigned");
            let help = format!("copy it first: `local mine = {name}`");
            return Err(self.refuse(Code::NotAssignable, at, message, help));
        }
        if local.read_only {
            let message =
                format!("`{name}` says which lane or group this is and cannot be assigned");
            let help = format!("copy it first: `local mine = {name}`");
            return Err(self.refuse(Code::NotAssignable, at, message, help));
        }
        let outside = matches!(facts.zone, Zone::Controller | Zone::Prologue);
        if func.zone != facts.zone && outside && matches!(func.zone, Zone::Phase | Zone::Combine) {
            let message = format!(
                "`{name}` belongs to the controller: a lane-private value would cross the phase"
            );
            let help = format!(
                "hold it in scratch: `{name}[localIndex] = ...` with \
                 `local {name} = phases:scratch(...)`, or declare a local inside the phase"
            );
            return Err(self.refuse(Code::PhaseAssigns, at, message, help));
        }
        // From here on it may be negative.
        func.facts[id.index()].counter = false;
        Ok(id)
    }

    /// Refuses stores where none may be.
    fn may_store(&mut self, func: &Func, place: &Place, at: SrcSpan) -> Checked<()> {
        let Place::Element(span, _) = place else {
            return Ok(());
        };
        let name = func.params[span.index()].name.clone();
        if func.span(*span).1 == Access::Read {
            let message = format!("`{}` is borrowed and can only be read", name.text);
            let help = format!("declare it `exclusive {}: span.WriteSpan<...>`", name.text);
            let diagnostic = crate::diag::Diagnostic::new(Code::ReadSpanWritten, at, message)
                .help(help)
                .note(Some(name.at), format!("`{}` is declared here", name.text));
            return Err(self.report(diagnostic));
        }
        if !Self::lanes_touch_memory(func.zone) {
            let message = format!(
                "`{}` is written between phases, where no lane owns an element",
                name.text
            );
            return Err(self.refuse(
                Code::ControllerWrites,
                at,
                message,
                "write it in a phase, by one lane: `if localIndex == 0 then ... end`",
            ));
        }
        Ok(())
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
