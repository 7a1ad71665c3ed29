//! Scratch declarations: `local name = phases:scratch(initial, count)` at the controller's top.
//!
//! The initial value is a constant, by which every slot starts in each group; the count is a
//! positive constant. Which lane owns which slot, and the total footprint, are for the proofs.

use super::func::{Binding, Func, Zone};
use super::hint::elem_ty;
use super::paths::TypeForm;
use super::types::BOOL;
use super::{Checked, Checker, Reported, fold};
use crate::diag::Code;
use crate::hir::{ArrayRef, ExprKind, ScratchDef, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::kernel::Elem;
use nupp_ir::limits::{MAX_GROUP_SIZE, MAX_REGISTER_BYTES};

impl Checker<'_> {
    /// Whether an expression is `phases:scratch(...)`.
    pub(super) fn is_scratch_call(&self, func: &Func, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Method(base, name, _) => {
                name.text == "scratch"
                    && matches!(&base.kind, ast::ExprKind::Name(base)
                        if matches!(func.lookup(base), Some(Binding::Phases)))
            }
            _ => false,
        }
    }

    /// Reports a `phases:scratch` where none can be.
    pub(super) fn scratch_place(&mut self, func: &Func, text: &str, at: SrcSpan) -> Reported {
        let message = match func.zone {
            Zone::Phase => "scratch belongs to the group and cannot be declared by a lane",
            Zone::Controller if func.declarations_over => {
                "scratch is declared at the controller's top, before its phases and conditions"
            }
            _ => "scratch is declared by a `local` of its own at the controller's top",
        };
        let help = format!("write `local shared = {text}` as a first line of the controller");
        self.refuse(Code::ScratchForm, at, message, help)
    }

    /// `local name = phases:scratch(initial, count)`.
    pub(super) fn scratch_declaration(
        &mut self,
        func: &mut Func,
        name: &ast::LocalName,
        call: &ast::Expr,
    ) -> Checked<()> {
        let made = self.scratch_def(func, name, call);
        self.refuse_taken(&name.name);
        let Ok(def) = made else {
            func.bind(&name.name.text, Binding::Poison);
            return Err(Reported);
        };
        let array = ArrayRef::Scratch(func.scratch.len() as u32);
        func.scratch.push(def);
        func.bind(&name.name.text, Binding::Scratch(array));
        Ok(())
    }

    fn scratch_def(
        &mut self,
        func: &mut Func,
        name: &ast::LocalName,
        call: &ast::Expr,
    ) -> Checked<ScratchDef> {
        if func.zone != Zone::Controller || func.declarations_over {
            let text = self.quote(call.at);
            return Err(self.scratch_place(func, &text, call.at));
        }
        let ast::ExprKind::Method(_, _, args) = &call.kind else {
            return Err(Reported);
        };
        let [initial, count] = args.as_slice() else {
            return Err(self.refuse(
                Code::ScratchForm,
                call.at,
                "`scratch` takes the initial value of every slot and the number of slots",
                "write `phases:scratch(0.0, 256)`",
            ));
        };
        let want = match &name.ty {
            None => None,
            Some(ty) => Some(self.scratch_type(&name.name, ty)?),
        };
        let value = self.initial(func, initial, want);
        let count = self.slots(func, count);
        let (elem, initial) = value?;
        let count = count?;
        let words = initial.len() as u64;
        let most = u64::from(MAX_REGISTER_BYTES) * u64::from(MAX_GROUP_SIZE);
        if words * 4 * u64::from(count) > most {
            let message = format!(
                "`{}` takes {} bytes, and no group has more than {most}",
                name.name.text,
                words * 4 * u64::from(count)
            );
            return Err(self.refuse(
                Code::ScratchTooLarge,
                call.at,
                message,
                "use fewer slots, or a span that holds what the group works on",
            ));
        }
        Ok(ScratchDef {
            name: super::items::name(&name.name),
            elem,
            initial,
            count,
        })
    }

    fn scratch_type(&mut self, name: &ast::Name, ty: &ast::Type) -> Checked<Ty> {
        let of = format!("`{}`", name.text);
        match self.type_form(ty, &of)? {
            TypeForm::Scratch(elem) => Ok(elem_ty(elem)),
            TypeForm::Value(_)
            | TypeForm::Span(_)
            | TypeForm::WriteSpan(_)
            | TypeForm::Phases
            | TypeForm::Nil => {
                let message = format!(
                    "`{}` is a scratch array, not `{}`",
                    name.text,
                    self.quote(ty.at)
                );
                let help = "write `gpu.Scratch<float>` with the element type, or leave it out";
                Err(self.refuse(Code::WrongType, ty.at, message, help))
            }
        }
    }

    fn initial(
        &mut self,
        func: &mut Func,
        initial: &ast::Expr,
        want: Option<Ty>,
    ) -> Checked<(Elem, Vec<u32>)> {
        let value = self.value(func, initial, want)?;
        let fields = match (&value.kind, value.ty) {
            (ExprKind::Struct(id, fields), _) => {
                let bits: Option<Vec<u32>> = fields.iter().map(fold::bits).collect();
                bits.map(|bits| (Elem::Struct(*id), bits))
            }
            (ExprKind::Const(bits), Ty::Scalar(ty)) if value.ty != BOOL => {
                Some((Elem::Scalar(ty), vec![*bits]))
            }
            _ => None,
        };
        fields.ok_or_else(|| {
            let text = self.quote(initial.at);
            let (message, help) = if value.ty == BOOL {
                (
                    format!("`{text}` is `boolean`, which has no width in memory"),
                    "hold it as `u32.wrap(0)` or `u32.wrap(1)`",
                )
            } else {
                (
                    format!("`{text}` is no constant, and every slot starts as one"),
                    "write a constant: `0.0`, `u32.wrap(0)`, `Pair(0.0, 0.0)`",
                )
            };
            self.refuse(Code::ScratchForm, initial.at, message, help)
        })
    }

    fn slots(&mut self, func: &mut Func, count: &ast::Expr) -> Checked<u32> {
        let text = self.quote(count.at);
        match self.constant_u32(func, count) {
            Some(Ok(0)) => Err(self.refuse(
                Code::ScratchForm,
                count.at,
                "a scratch array has one slot at least",
                "write a positive constant: `256`",
            )),
            Some(made) => made,
            None => Err(self.refuse(
                Code::DynamicScratch,
                count.at,
                format!("`{text}` is no constant, and scratch has a constant size"),
                "write the most that a group needs: `phases:scratch(0.0, 256)`",
            )),
        }
    }
}
