//! Assignments: what may be assigned, and where memory may be written.
//!
//! Locals, fields of struct locals, elements of written spans, slots of scratch, and fields of
//! both. Uniforms, lane and group numbers and the block's own names are read-only; a phase does not
//! assign its controller's locals; between phases nothing is written.

use super::func::{Binding, Func, Zone};
use super::index::Place;
use super::{Checked, Checker, Item, Reported};
use crate::diag::Code;
use crate::hir::{self, Expr, StmtKind, Target, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::kernel::Access;

impl Checker<'_> {
    /// `a, b = x, y`.
    pub(super) fn assign(
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
        let id = self.local_named(func, name, at)?;
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
        if facts.zone == Zone::Prologue && func.zone == Zone::Controller {
            let message = format!(
                "`{name}` was declared before `gpu.workgroups`: its value would cross from one group \
                 to the next, and groups run in no order"
            );
            let help =
                format!("declare it in the controller, or copy it there: `local mine = {name}`");
            return Err(self.refuse(Code::PhaseAssigns, at, message, help));
        }
        let outside = matches!(facts.zone, Zone::Controller | Zone::Prologue);
        if func.zone != facts.zone && outside && matches!(func.zone, Zone::Phase | Zone::Combine) {
            let message = format!(
                "`{name}` belongs to the controller: a lane-private value would cross the phase"
            );
            let numbers = &func.numbers;
            let help = format!(
                "hold it in scratch: `{name}[{}] = ...` with `local {name} = {}:scratch(...)`, or \
                 declare a local inside the phase",
                numbers.lane, numbers.phases
            );
            return Err(self.refuse(Code::PhaseAssigns, at, message, help));
        }
        // From here on it may be negative.
        func.facts[id.index()].counter = false;
        Ok(id)
    }

    /// The local of this name, for an assignment.
    fn local_named(&mut self, func: &Func, name: &str, at: SrcSpan) -> Checked<hir::LocalId> {
        match func.lookup(name) {
            Some(Binding::Local(id)) => Ok(id),
            Some(Binding::Poison) => Err(Reported),
            Some(Binding::Span(_)) => {
                let message = format!("`{name}` is a span; its elements are assigned, not itself");
                let help = format!("write `{name}[{}] = ...`", func.numbers.index);
                Err(self.refuse(Code::NotAssignable, at, message, help))
            }
            Some(Binding::Scratch(_)) => {
                let message =
                    format!("`{name}` is a scratch array; its slots are assigned, not itself");
                let help = format!("write `{name}[{}] = ...` in a phase", func.numbers.lane);
                Err(self.refuse(Code::NotAssignable, at, message, help))
            }
            Some(Binding::Phases) => Err(self.phases_escape(name, at)),
            None => {
                let is_item = self.items.get(name).map(|(item, _)| item.clone());
                Err(match is_item {
                    Some(Item::Poison) => Reported,
                    Some(_) => self.refuse(
                        Code::NotAssignable,
                        at,
                        format!("`{name}` belongs to the block and cannot be assigned"),
                        format!("declare a local of another name and assign that: `local {name}_: float = ...`"),
                    ),
                    None => self.unknown_name(func, name, at),
                })
            }
        }
    }

    /// Refuses stores where none may be.
    fn may_store(&mut self, func: &Func, place: &Place, at: SrcSpan) -> Checked<()> {
        let Place::Element(span, _) = place else {
            return Ok(());
        };
        let name = func.params[span.index()].name.clone();
        if func.span(*span).1 == Access::Read {
            let message = format!("`{}` is borrowed and can only be read", name.text);
            let elem = self.type_name(super::hint::elem_ty(func.span(*span).0));
            let help = format!(
                "declare it `exclusive {}: span.WriteSpan<{elem}>`",
                name.text
            );
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
}
