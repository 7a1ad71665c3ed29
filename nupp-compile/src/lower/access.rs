//! Accesses of spans: which element, by which form, and the proof that it is there.
//!
//! A refused access reports why and goes on with zeros, so that one run finds every mistake.

use std::ops::Range;

use super::seq::Index;
use super::state::{Lower, Val};
use crate::proof::cursor::{Bound, Known, Outcome, search};
use crate::proof::explain;
use crate::proof::forms::{Form, SpanUse};
use crate::proof::guards;
use crate::proof::world::Rule;
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::kernel::{Access, Leaf};
use nupp_core::ir::place::{Certificate, Place};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{Expr, ParamId};
use nupp_front::span::SrcSpan;

/// An access that is being proved.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub span: SpanId,
    pub index: Index<'a>,
    pub write: bool,
    pub at: SrcSpan,
}

/// A certificate of several parts, without needless nesting.
pub(super) fn all(parts: Vec<Certificate>) -> Certificate {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Certificate::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 {
        flat.remove(0)
    } else {
        Certificate::All(flat)
    }
}

impl<'a> Lower<'a> {
    /// Proves a bound from what is known here, or refuses. Where nothing can run there is neither a
    /// certificate nor a refusal, and the access is left out.
    pub(super) fn prove(
        &mut self,
        bound: Bound,
        refuse: impl FnOnce(&mut Self),
    ) -> Option<Certificate> {
        match self.search(bound) {
            Outcome::Proved(needed) => Some(needed.certificate(&self.world, bound)),
            Outcome::Unreachable => None,
            Outcome::Missing => {
                refuse(self);
                None
            }
        }
    }

    fn search(&self, bound: Bound) -> Outcome {
        let facts = self.known();
        let known = Known {
            world: &self.world,
            facts: &facts,
            guards: &self.guards,
        };
        search(known, bound)
    }

    /// Reads fields of an element.
    pub(super) fn read_span(
        &mut self,
        id: ParamId,
        index: &'a Expr,
        fields: Range<u32>,
        at: SrcSpan,
    ) -> Val {
        let span = self.span(id);
        let index = self.index(index);
        let types = self.elem_fields(self.spans[span.index()].elem);
        let place = self.place(Wanted {
            span,
            index,
            write: false,
            at,
        });
        let shared = self.spans[span.index()].access == Access::Read;
        self.load_fields(place.as_ref(), fields, &types, shared)
    }

    /// Loads fields of a place; zeros where there is none.
    pub(super) fn load_fields(
        &mut self,
        place: Option<&Place>,
        fields: Range<u32>,
        types: &[Scalar],
        shared: bool,
    ) -> Val {
        let load = |field: u32| {
            let ty = types[field as usize];
            match place {
                Some(place) => self.load(place.clone(), field, ty, shared),
                None => self.constant(ty, 0),
            }
        };
        fields.map(load).collect()
    }

    /// Writes consecutive fields of an element.
    pub(super) fn write_span(
        &mut self,
        id: ParamId,
        index: Index<'a>,
        first: u32,
        values: &[Value],
        at: SrcSpan,
    ) {
        let span = self.span(id);
        let Some(place) = self.place(Wanted {
            span,
            index,
            write: true,
            at,
        }) else {
            return;
        };
        self.store_fields(&place, first, values);
    }

    /// Stores values to consecutive fields of a place.
    pub(super) fn store_fields(&mut self, place: &Place, first: u32, values: &[Value]) {
        for (field, value) in (first..).zip(values) {
            self.count_effect();
            self.world.b.effect(Leaf::Store {
                place: place.clone(),
                field,
                value: *value,
            });
        }
    }

    /// `output:scatter(cursor, value)`.
    pub(super) fn scatter(&mut self, id: ParamId, index: &'a Expr, value: &'a Expr, at: SrcSpan) {
        let span = self.span(id);
        let index = self.index(index);
        let values = self.expr(value);
        let want = Wanted {
            span,
            index,
            write: true,
            at,
        };
        let used = self.scatter_once(want);
        let element = self.minus_one(index.value);
        self.note_turn(used, element, at);
        let bound = Bound::Element(element, 0, span);
        if let Some(proof) = self.prove(bound, |this| this.refuse_cursor(want, element)) {
            self.count_effect();
            self.world.b.effect(Leaf::Scatter {
                span,
                index: element,
                proof,
                values,
            });
        }
    }

    /// Notes a scatter, and refuses it where its lane may have passed another one into the span.
    /// Gives its position among the uses.
    fn scatter_once(&mut self, want: Wanted<'a>) -> usize {
        let passed = self.scattered.iter().map(|at| &self.span_uses[*at]);
        let first = passed.clone().find(|u| u.span == want.span).cloned();
        let used = self.span_uses.len();
        self.scattered.push(used);
        self.note_use(want, Form::Scatter);
        if let Some(first) = first {
            let name = self.span_name(want.span);
            self.report(explain::scatter_twice(want.at, &name, &first));
        }
        used
    }

    /// Remembers how a written span was used, for the rule of one form.
    pub(super) fn note_use(&mut self, want: Wanted<'a>, form: Form) {
        let calls = self.frames.iter().filter_map(|f| f.call).collect();
        self.span_uses.push(SpanUse {
            span: want.span,
            form,
            write: want.write,
            at: want.at,
            calls,
            text: self.element_text(want),
        });
    }

    /// `input[c + 1]`, as written.
    pub(super) fn element_text(&self, want: Wanted<'a>) -> String {
        let name = self.span_name(want.span);
        format!("{name}[{}]", self.names().expr(want.index.authored))
    }

    fn place(&mut self, want: Wanted<'a>) -> Option<Place> {
        let written = self.spans[want.span.index()].access == Access::Write;
        if want.write && !written {
            let name = &self.spans[want.span.index()].name;
            let text = format!("`{name}` is borrowed and cannot be written");
            let help = format!("declare it `exclusive {name}: span.WriteSpan<...>`");
            self.report(Diagnostic::new(Code::ReadSpanWritten, want.at, text).help(help));
            return None;
        }
        match (self.world.rule, self.index_value) {
            (Rule::Map { primary }, Some(index)) if written => self.own_place(want, primary, index),
            (Rule::Map { primary }, Some(index)) => self.map_read(want, primary, index),
            _ if written => self.group_place(want),
            _ => self.cursor_place(want),
        }
    }

    /// A computed element of a read span.
    fn cursor_place(&mut self, want: Wanted<'a>) -> Option<Place> {
        let index = self.minus_one(want.index.value);
        let bound = Bound::Element(index, 0, want.span);
        let proof = self.prove(bound, |this| this.refuse_cursor(want, index))?;
        Some(Place::At {
            span: want.span,
            index,
            proof,
        })
    }

    /// A read of a read span in a map: at the index, at an offset of it, or at a cursor.
    fn map_read(&mut self, want: Wanted<'a>, primary: SpanId, index: Value) -> Option<Place> {
        let mut sum = self.world.modular(want.index.value);
        if sum.take(index) != 1 || !sum.terms.is_empty() {
            return self.cursor_place(want);
        }
        let offset = i64::from(sum.constant as i32);
        let equal = guards::equal_lengths(&self.world, &self.guards, want.span, primary);
        let Some(chain) = equal else {
            return self.unequal_read(want, primary, offset);
        };
        let guard = Certificate::Guard { chain };
        if offset == 0 {
            return Some(Place::Element {
                span: want.span,
                offset,
                proof: guard,
            });
        }
        let bound = Bound::Element(index, offset - 1, want.span);
        let rest = match self.search(bound) {
            Outcome::Proved(needed) => needed.certificate(&self.world, bound),
            Outcome::Unreachable => return None,
            Outcome::Missing => {
                let place = self.compared_cursor(want);
                if place.is_none() {
                    self.refuse_offset(want, offset);
                }
                return place;
            }
        };
        Some(Place::Element {
            span: want.span,
            offset,
            proof: all(vec![guard, without_rule(rest)]),
        })
    }

    /// An offset of the index that may wrap, but was itself compared with the length, as `c` in
    /// `if c < #s` where `c` is the sum: a cursor like any other.
    fn compared_cursor(&mut self, want: Wanted<'a>) -> Option<Place> {
        let index = self.minus_one(want.index.value);
        let bound = Bound::Element(index, 0, want.span);
        match self.search(bound) {
            Outcome::Proved(needed) => Some(Place::At {
                span: want.span,
                index,
                proof: needed.certificate(&self.world, bound),
            }),
            Outcome::Missing | Outcome::Unreachable => None,
        }
    }

    /// A read at the index of a span that no guard makes as long as the primary: only comparisons
    /// can bound it.
    fn unequal_read(&mut self, want: Wanted<'a>, primary: SpanId, offset: i64) -> Option<Place> {
        let index = self.minus_one(want.index.value);
        let bound = Bound::Element(index, 0, want.span);
        match self.search(bound) {
            Outcome::Unreachable => None,
            Outcome::Proved(needed) if !needed.facts.is_empty() => {
                let proof = needed.certificate(&self.world, bound);
                Some(Place::At {
                    span: want.span,
                    index,
                    proof,
                })
            }
            Outcome::Proved(_) | Outcome::Missing => {
                self.refuse_unequal(want, primary, offset);
                None
            }
        }
    }

    /// The element, or one of the elements, that a map's lane owns in a written span.
    fn own_place(&mut self, want: Wanted<'a>, primary: SpanId, index: Value) -> Option<Place> {
        let mut sum = self.world.modular(want.index.value);
        let stride = sum.take(index);
        if stride == 1 && sum.terms.is_empty() && sum.constant == 0 {
            return self.own_element(want, primary);
        }
        let block = stride.max(1) as i32 > 1;
        if !block || want.span == primary {
            self.refuse_elsewhere(want);
            return None;
        }
        self.note_use(want, Form::Block { stride });
        let first = sum.constant.wrapping_sub(1).wrapping_add(stride);
        let slot = self.rebuild(&sum.terms, first);
        let chain = guards::multiple(&self.world, &self.guards, stride, primary, want.span);
        let Some(chain) = chain else {
            self.refuse_block(want, primary, stride);
            return None;
        };
        let bound = Bound::Below(slot, stride);
        let slot_proof = self.prove(bound, |this| this.refuse_block_slot(want, stride))?;
        Some(Place::Block {
            span: want.span,
            stride,
            slot,
            proof: Certificate::Guard { chain },
            slot_proof,
        })
    }

    fn own_element(&mut self, want: Wanted<'a>, primary: SpanId) -> Option<Place> {
        self.note_use(want, Form::Element);
        let proof = if want.span == primary {
            Some(Certificate::Primary)
        } else {
            guards::equal_lengths(&self.world, &self.guards, want.span, primary)
                .map(|chain| Certificate::Guard { chain })
        };
        match proof {
            Some(proof) => Some(Place::Element {
                span: want.span,
                offset: 0,
                proof,
            }),
            None => {
                self.refuse_unequal(want, primary, 0);
                None
            }
        }
    }
}

/// The rule of the dispatch is part of what `Element` means.
fn without_rule(proof: Certificate) -> Certificate {
    match proof {
        Certificate::All(parts) => all(parts
            .into_iter()
            .filter(|p| *p != Certificate::Primary)
            .collect()),
        other => other,
    }
}
