//! Structs: their fields, and who may see them.

use super::items::name;
use super::paths::TypeForm;
use super::types::BOOL;
use super::{Checker, Item};
use crate::diag::{Code, Diagnostic};
use crate::hir::Ty;
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::StructId;
use nupp_ir::ir::kernel::Elem;

impl Checker<'_> {
    /// Checks a struct's fields. One that is refused is left out, and the struct's name poisoned,
    /// so that its uses are not complained about.
    pub(super) fn fields(&mut self, id: StructId, def: &ast::Struct) {
        let before = self.diags.len();
        if def.fields.is_empty() {
            self.refuse(
                Code::StructForm,
                def.name.at,
                format!("`{}` has no field", def.name.text),
                "give it one: `value: float`",
            );
        }
        for (i, field) in def.fields.iter().enumerate() {
            let same = |other: &&ast::Field| other.name.text == field.name.text;
            if let Some(first) = def.fields[..i].iter().find(same) {
                self.duplicate(&field.name, first.name.at);
            }
            let of = format!("field `{}` of `{}`", field.name.text, def.name.text);
            let Ok(form) = self.type_form(&field.ty, &of) else {
                continue;
            };
            match form {
                TypeForm::Value(ty @ Ty::Scalar(scalar)) if ty != BOOL => {
                    self.structs[id.index()]
                        .fields
                        .push((name(&field.name), scalar));
                }
                TypeForm::Value(BOOL) => {
                    let message = format!("{of} is `boolean`, which has no width in memory");
                    let help = format!(
                        "hold it as `{}: uint32` and compare it with 0",
                        field.name.text
                    );
                    self.refuse(Code::StorageWidth, field.ty.at, message, help);
                }
                TypeForm::Value(_)
                | TypeForm::Span(_)
                | TypeForm::WriteSpan(_)
                | TypeForm::Scratch(_)
                | TypeForm::Phases
                | TypeForm::Nil => {
                    let text = self.quote(field.ty.at);
                    self.refuse(
                        Code::StructForm,
                        field.ty.at,
                        format!("{of} cannot have the type `{text}`"),
                        "a field is `float`, `int32` or `uint32`; write the fields of an inner \
                         struct out",
                    );
                }
            }
        }
        if self.diags.len() > before
            && let Some((item, _)) = self.items.get_mut(&def.name.text)
            && matches!(item, Item::Struct(same) if *same == id)
        {
            *item = Item::Poison;
        }
    }

    /// Refuses a struct that a kernel names and fewer can see than the kernel.
    pub(super) fn refuse_hidden(&mut self, elem: Elem, at: SrcSpan, kernel: &ast::Name) {
        let Elem::Struct(id) = elem else { return };
        let def = self.structs[id.index()].clone();
        if def.public {
            return;
        }
        let message = format!(
            "`{}` is less visible than `{}`, which names it",
            def.name.text, kernel.text
        );
        let help = format!("write `pub local struct {}`", def.name.text);
        self.report(
            Diagnostic::new(Code::StructVisibility, at, message)
                .help(help)
                .note(
                    Some(def.name.at),
                    format!("`{}` is declared here", def.name.text),
                ),
        );
    }
}
