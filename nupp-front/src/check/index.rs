//! Elements of spans and slots of scratch: what `a[i]` names, to be read or written.
//!
//! The index is a uint32, one-based for spans and zero-based for scratch, as authored; whether it
//! is in bounds is for the proofs.

use super::func::{Binding, Func, Zone};
use super::hint::elem_ty;
use super::types::U32;
use super::{Checked, Checker, Reported};
use crate::diag::Code;
use crate::hir::{ArrayRef, Expr, ExprKind, ParamId, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;

/// An element or slot.
pub(super) enum Place {
    /// An element of a span.
    Element(ParamId, Expr),
    /// A slot of scratch.
    Slot(ArrayRef, Expr),
}

impl Checker<'_> {
    /// What `base[index]` names, and the type of what is there.
    pub(super) fn place(
        &mut self,
        func: &mut Func,
        base: &ast::Expr,
        index: &ast::Expr,
    ) -> Checked<(Place, Ty)> {
        let found = match &base.kind {
            ast::ExprKind::Name(name) => self.indexed(func, name, base.at),
            _ => {
                let text = self.quote(base.at);
                Err(self.refuse(
                    Code::NotIndexable,
                    base.at,
                    format!("`{text}` has no elements"),
                    "only spans and scratch arrays are indexed; remove the brackets",
                ))
            }
        };
        // The index is looked at in any case, so that its mistakes are reported too.
        let index = self.value(func, index, Some(U32));
        Ok(match found? {
            Indexed::Span(id) => (Place::Element(id, index?), elem_ty(func.span(id).0)),
            Indexed::Scratch(array) => {
                (Place::Slot(array, index?), elem_ty(func.array_elem(array)))
            }
        })
    }

    fn indexed(&mut self, func: &Func, name: &str, at: SrcSpan) -> Checked<Indexed> {
        match func.lookup(name) {
            Some(Binding::Span(id)) if func.zone == Zone::Combine => {
                Err(self.impure_combine(&func.params[id.index()].name.text, at))
            }
            Some(Binding::Span(id)) => Ok(Indexed::Span(id)),
            Some(Binding::Scratch(array)) => match func.zone {
                Zone::Phase | Zone::Helper => Ok(Indexed::Scratch(array)),
                Zone::Combine => Err(self.impure_combine(name, at)),
                _ => Err(self.refuse(
                    Code::ScratchOutsidePhase,
                    at,
                    format!(
                        "`{name}` is touched between phases, where a slot would belong to no lane"
                    ),
                    format!(
                        "move it into a phase: \
                         `{}:run(function(localIndex) ... {name}[localIndex] ... end)`",
                        func.numbers.phases
                    ),
                )),
            },
            Some(Binding::Poison) => Err(Reported),
            Some(Binding::Phases) => Err(self.phases_escape(name, at)),
            Some(Binding::Local(id)) => {
                let ty = self.type_name(func.local_ty(id));
                let message = format!("`{name}` is `{ty}`, which has no elements");
                Err(self.refuse(
                    Code::NotIndexable,
                    at,
                    message,
                    "only spans and scratch arrays are indexed; remove the brackets",
                ))
            }
            None if self.items.contains_key(name) => {
                let message = format!("`{name}` has no elements");
                Err(self.refuse(
                    Code::NotIndexable,
                    at,
                    message,
                    "pass a table of values as a span: `borrows table: span.Span<float>`",
                ))
            }
            None => Err(self.unknown_span(func, name, at)),
        }
    }

    /// Reports a use of memory in the function of `phases:reduce`.
    pub(super) fn impure_combine(&mut self, name: &str, at: SrcSpan) -> Reported {
        self.refuse(
            Code::CombineForm,
            at,
            format!("the function of `reduce` combines two values and nothing else, not `{name}`"),
            "compute from its two parameters alone: `function(a, b) return f32.max(a, b) end`",
        )
    }

    /// `base[index]` as a value.
    pub(super) fn load(
        &mut self,
        func: &mut Func,
        base: &ast::Expr,
        index: &ast::Expr,
        at: SrcSpan,
    ) -> Checked<Expr> {
        let (place, ty) = self.place(func, base, index)?;
        let kind = match place {
            Place::Element(span, index) => ExprKind::Load(span, Box::new(index)),
            Place::Slot(array, index) => ExprKind::SlotLoad(array, Box::new(index)),
        };
        Ok(Expr { ty, kind, at })
    }
}

enum Indexed {
    Span(ParamId),
    Scratch(ArrayRef),
}
