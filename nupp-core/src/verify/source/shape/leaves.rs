//! Leaves and places: which may stand where, whose numbers they name, and of what type they are.
//!
//! Whether an access is in bounds or a lane's own is for later checks.

use super::{Check, Room, Shape, ensure};
use crate::ir::entity::{Scalar, ScratchId, SpanId, Value};
use crate::ir::kernel::{Access, Elem, Leaf};
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::limits::MAX_DEPTH;
use crate::verify::VerifyError;

/// Whether a place is read or written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

impl Shape<'_> {
    /// Checks a leaf and gives the type of its result, if it has one.
    pub(super) fn leaf(&mut self, leaf: &Leaf) -> Result<Option<Scalar>, VerifyError> {
        ensure!(
            self.room != Room::Combine,
            "rooms",
            "a combination touches the outside"
        );
        match leaf {
            Leaf::Uniform(id) => {
                let decl = self.kernel.uniforms.get(id.index());
                ensure!(decl.is_some(), "declarations", "{id} is not declared");
                Ok(decl.map(|decl| decl.ty))
            }
            Leaf::Length(span) => {
                self.span(*span)?;
                Ok(Some(Scalar::U32))
            }
            Leaf::Load { place, field } => {
                let elem = self.place(place, Way::Read)?;
                Ok(Some(self.field(elem, *field)?))
            }
            Leaf::Store {
                place,
                field,
                value,
            } => {
                let elem = self.place(place, Way::Write)?;
                let ty = self.field(elem, *field)?;
                self.expect(*value, ty)?;
                Ok(None)
            }
            Leaf::Scatter {
                span,
                index,
                proof,
                values,
            } => {
                let inside = matches!(self.room, Room::Map | Room::Phase);
                ensure!(inside, "rooms", "a scatter outside a lane");
                let elem = self.written(*span)?;
                self.expect(*index, Scalar::U32)?;
                self.certificate(proof, MAX_DEPTH)?;
                let fields = self.kernel.elem_fields(elem);
                self.expect_all(values, &fields, "a scatter's fields")?;
                Ok(None)
            }
        }
    }

    fn span(&self, span: SpanId) -> Result<Access, VerifyError> {
        match self.kernel.spans.get(span.index()) {
            Some(decl) => Ok(decl.access),
            None => super::super::broken("declarations", format!("{span} is not declared")),
        }
    }

    fn elem(&self, span: SpanId) -> Elem {
        self.kernel.spans[span.index()].elem
    }

    fn written(&self, span: SpanId) -> Result<Elem, VerifyError> {
        ensure!(
            self.span(span)? == Access::Write,
            "access",
            "{span} is borrowed and written"
        );
        Ok(self.elem(span))
    }

    fn array(&self, array: ScratchId) -> Result<Elem, VerifyError> {
        let decl = self.groups.and_then(|g| g.scratch.get(array.index()));
        match decl {
            Some(decl) => Ok(decl.elem),
            None => super::super::broken("declarations", format!("{array} is not declared")),
        }
    }

    fn field(&self, elem: Elem, field: u32) -> Result<Scalar, VerifyError> {
        let fields = self.kernel.elem_fields(elem);
        let ty = fields.get(field as usize).copied();
        match ty {
            Some(ty) => Ok(ty),
            None => super::super::broken("types", format!("an element has no field {field}")),
        }
    }

    /// Where a place may stand: maps have elements and blocks, phases have the rest, and anyone
    /// who may load at all may load from a read span at a cursor.
    fn room_of(&self, place: &Place) -> bool {
        match place {
            Place::Element { .. } | Place::Block { .. } => self.room == Room::Map,
            Place::At { .. } => matches!(self.room, Room::Map | Room::Phase | Room::Controller),
            Place::GroupBlock { .. }
            | Place::GroupSlot { .. }
            | Place::Own { .. }
            | Place::Slot { .. } => self.room == Room::Phase,
        }
    }

    fn place(&self, place: &Place, way: Way) -> Result<Elem, VerifyError> {
        ensure!(
            self.room_of(place),
            "rooms",
            "an access stands outside its shape"
        );
        match place {
            Place::Element {
                span,
                offset,
                proof,
            } => {
                let access = self.span(*span)?;
                ensure!(
                    access == Access::Read || *offset == 0,
                    "access",
                    "{span} is written and touched at index + {offset}"
                );
                ensure!(
                    way == Way::Read || access == Access::Write,
                    "access",
                    "{span} is borrowed and written"
                );
                self.certificate(proof, MAX_DEPTH)?;
                Ok(self.elem(*span))
            }
            Place::Block {
                span,
                stride,
                slot,
                proof,
                slot_proof,
            } => {
                ensure!(*stride >= 1, "places", "a block of no elements in {span}");
                self.expect(*slot, Scalar::U32)?;
                self.certificate(proof, MAX_DEPTH)?;
                self.certificate(slot_proof, MAX_DEPTH)?;
                self.written(*span)
            }
            Place::At { span, index, proof } => {
                ensure!(
                    way == Way::Read && self.span(*span)? == Access::Read,
                    "access",
                    "{span} is written at or read from a computed element"
                );
                self.expect(*index, Scalar::U32)?;
                self.certificate(proof, MAX_DEPTH)?;
                Ok(self.elem(*span))
            }
            Place::GroupBlock {
                span,
                stride,
                slot,
                proof,
            } => {
                ensure!(*stride >= 1, "places", "a block of no elements in {span}");
                self.family(*slot)?;
                self.certificate(proof, MAX_DEPTH)?;
                self.written(*span)
            }
            Place::GroupSlot { span, proof, .. } => {
                self.certificate(proof, MAX_DEPTH)?;
                self.written(*span)
            }
            Place::Own { array, slot } => {
                self.family(*slot)?;
                self.array(*array)
            }
            Place::Slot {
                array,
                index,
                proof,
            } => {
                ensure!(
                    way == Way::Read,
                    "access",
                    "{array} is written at a slot of no family"
                );
                self.expect(*index, Scalar::U32)?;
                self.certificate(proof, MAX_DEPTH)?;
                self.array(*array)
            }
        }
    }

    fn family(&self, slot: Family) -> Check {
        match slot {
            Family::Strided { k } => self.operand(k),
            Family::Blocked { stride, j } => {
                ensure!(stride >= 1, "places", "a lane owns no slots");
                self.operand(j)
            }
        }
    }

    fn operand(&self, operand: Operand) -> Check {
        match operand {
            Operand::Const(_) => Ok(()),
            Operand::Value(value) => self.expect(value, Scalar::U32),
        }
    }

    fn certificate(&self, proof: &Certificate, depth: usize) -> Check {
        ensure!(depth > 0, "depth", "a certificate nests too deeply");
        match proof {
            Certificate::Const | Certificate::Interval | Certificate::Primary => Ok(()),
            Certificate::Cursor { facts } => {
                let values: Vec<Value> = facts.iter().map(|&(value, _)| value).collect();
                let types = vec![Scalar::Bool; values.len()];
                self.expect_all(&values, &types, "a certificate's comparisons")
            }
            Certificate::Guard { chain } => {
                for &position in chain {
                    ensure!(
                        (position as usize) < self.kernel.guards.len(),
                        "certificates",
                        "there is no guard {position}"
                    );
                }
                Ok(())
            }
            Certificate::All(list) => {
                let mut list = list.iter();
                list.try_for_each(|proof| self.certificate(proof, depth - 1))
            }
        }
    }
}
