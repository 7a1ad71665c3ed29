//! Uniforms, lengths, and places turned into words.

use super::scratch::{Cell, Home};
use super::{LowerError, Lowering, Rep};
use crate::device::ir::DeviceLeaf;
use crate::device::soft::dsl::U;
use crate::ir::entity::{Scalar, ScratchId, SpanId, UniformId, Value};
use crate::ir::kernel::{Access, Body, Leaf};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Family, Operand, Place};

/// Where a place is on the device.
enum Address {
    /// A word of a buffer.
    Span(SpanId, Value),
    /// A slot of a scratch array, where that lives.
    Scratch(ScratchId, Cell),
}

impl<'a> Lowering<'a> {
    pub(super) fn leaf(&mut self, leaf: &Leaf) -> Result<Option<Rep>, LowerError> {
        match leaf {
            Leaf::Uniform(id) => Ok(Some(self.uniform(*id))),
            Leaf::Length(span) => {
                let word = self.layout.length(span.0);
                Ok(Some(self.uniform_word(word, Scalar::U32)))
            }
            Leaf::Load { place, field } => self.load(place, *field).map(Some),
            Leaf::Store {
                place,
                field,
                value,
            } => {
                self.store(place, *field, *value)?;
                Ok(None)
            }
            Leaf::Scatter {
                span,
                index,
                values,
                ..
            } => {
                self.scatter(*span, *index, values)?;
                Ok(None)
            }
        }
    }

    fn uniform(&mut self, id: UniformId) -> Rep {
        let word = self.layout.uniform(id.0);
        self.uniform_word(word, self.kernel.uniforms[id.index()].ty)
    }

    fn uniform_word(&mut self, word: u32, ty: Scalar) -> Rep {
        let v = self.word(word);
        let v = self.as_type(v, ty);
        Rep {
            v,
            ty,
            raw: true,
            canonical: false,
            constant: None,
        }
    }

    /// A word of memory as a value of this type.
    fn as_type(&self, word: Value, ty: Scalar) -> Value {
        match ty {
            Scalar::I32 => self.u(word).as_i().v,
            Scalar::F32 | Scalar::U32 | Scalar::Bool => word,
        }
    }

    fn load(&mut self, place: &Place, field: u32) -> Result<Rep, LowerError> {
        match self.address(place, field)? {
            Address::Span(span, index) => {
                let leaf = DeviceLeaf::BufferLoad {
                    buffer: span.0,
                    index,
                };
                let word = self.ctx.borrow_mut().leaf(leaf, Scalar::U32);
                let decl = &self.kernel.spans[span.index()];
                let ty = self.kernel.elem_fields(decl.elem)[field as usize];
                // Only what nobody writes is sure to be unknown and to stay the same.
                let fixed = decl.access == Access::Read;
                let v = self.as_type(word, ty);
                Ok(Rep {
                    v,
                    ty,
                    raw: fixed,
                    canonical: false,
                    constant: None,
                })
            }
            Address::Scratch(array, cell) => {
                let elem = self.scratch(array).0;
                let ty = self.kernel.elem_fields(elem)[field as usize];
                let leaf = cell.load();
                let device_ty = if ty == Scalar::F32 { Scalar::U32 } else { ty };
                let v = self.ctx.borrow_mut().leaf(leaf, device_ty);
                Ok(self.plain(v, ty))
            }
        }
    }

    fn store(&mut self, place: &Place, field: u32, value: Value) -> Result<(), LowerError> {
        let rep = self.rep(value)?;
        match self.address(place, field)? {
            Address::Span(span, index) => self.buffer_store(span, index, rep),
            // Scratch is not visible, so a NaN passes as it is.
            Address::Scratch(_, cell) => self.ctx.borrow_mut().effect(cell.store(rep.v)),
        }
        Ok(())
    }

    pub(super) fn buffer_store(&mut self, span: SpanId, index: Value, rep: Rep) {
        let value = match rep.ty {
            Scalar::F32 => self.gate(rep),
            Scalar::I32 => self.ctx.borrow_mut().scalar(ScalarOp::U32FromI32, &[rep.v]),
            Scalar::U32 | Scalar::Bool => rep.v,
        };
        let leaf = DeviceLeaf::BufferStore {
            buffer: span.0,
            index,
            value,
        };
        self.ctx.borrow_mut().effect(leaf);
    }

    /// Elements and slots of a scratch array.
    pub(super) fn scratch(&self, array: ScratchId) -> (crate::ir::kernel::Elem, u32) {
        match &self.kernel.body {
            Body::Groups(groups) => {
                let decl = &groups.scratch[array.index()];
                (decl.elem, decl.count)
            }
            Body::Map { .. } => (crate::ir::kernel::Elem::Scalar(Scalar::U32), 0),
        }
    }

    fn address(&mut self, place: &Place, field: u32) -> Result<Address, LowerError> {
        let (span, element) = match place {
            Place::Element { span, offset, .. } => {
                // Modulo 2^32, as the proof allows: the sum is an element of the span.
                let offset = *offset as u32;
                let index = self.own_index();
                let element = if offset == 0 {
                    index
                } else {
                    self.plus(index, offset)
                };
                (*span, element)
            }
            Place::Block {
                span, stride, slot, ..
            } => {
                let slot = self.rep(*slot)?;
                let element = self.scaled(self.own_index(), *stride) + self.u(slot.v);
                (*span, element)
            }
            Place::At { span, index, .. } => {
                let index = self.rep(*index)?;
                (*span, self.u(index.v))
            }
            Place::GroupBlock {
                span, stride, slot, ..
            } => {
                let slot = self.slot(slot)?;
                let element = self.scaled(self.own_index(), *stride) + slot;
                (*span, element)
            }
            Place::GroupSlot { span, .. } => (*span, self.own_index()),
            Place::Own { array, slot } => {
                let index = match self.homes.get(array.index()) {
                    Some(Home::Private(_)) => self.turn(slot)?,
                    _ => self.slot(slot)?.v,
                };
                return Ok(Address::Scratch(*array, self.cell(*array, field, index)));
            }
            Place::Slot { array, index, .. } => {
                let index = self.rep(*index)?;
                let cell = self.cell(*array, field, index.v);
                return Ok(Address::Scratch(*array, cell));
            }
        };
        Ok(Address::Span(span, self.span_word(span, element, field)))
    }

    /// The lane's element (map) or the group's number.
    pub(super) fn own_index(&self) -> U<'a> {
        // Set before any instruction is lowered; a kernel without one has no such place.
        self.u(self.index.unwrap_or(Value(0)))
    }

    fn plus(&mut self, base: U<'a>, n: u32) -> U<'a> {
        let n = self.uint(n);
        base + self.u(n)
    }

    pub(super) fn scaled(&mut self, base: U<'a>, n: u32) -> U<'a> {
        if n == 1 {
            return base;
        }
        let n = self.uint(n);
        base * self.u(n)
    }

    /// The slot that belongs to the lane.
    fn slot(&mut self, family: &Family) -> Result<U<'a>, LowerError> {
        let local = self.u(self.local.unwrap_or(Value(0)));
        let (base, turn, factor) = match family {
            Family::Strided { k } => (local, k, self.lanes()),
            Family::Blocked { stride, j } => (self.scaled(local, *stride), j, 1),
        };
        match turn {
            Operand::Const(0) => Ok(base),
            Operand::Const(n) => Ok(self.plus(base, n * factor)),
            Operand::Value(value) => {
                let turn = self.count(*value)?;
                Ok(base + self.scaled(self.u(turn), factor))
            }
        }
    }

    /// Which of the lane's own slots it is.
    fn turn(&mut self, family: &Family) -> Result<Value, LowerError> {
        let (Family::Strided { k: turn } | Family::Blocked { j: turn, .. }) = family;
        match turn {
            Operand::Const(n) => Ok(self.uint(*n)),
            Operand::Value(value) => self.count(*value),
        }
    }

    /// A counted variable as a uint32.
    fn count(&mut self, value: Value) -> Result<Value, LowerError> {
        let rep = self.rep(value)?;
        Ok(match rep.ty {
            Scalar::I32 => self.ctx.borrow_mut().scalar(ScalarOp::U32FromI32, &[rep.v]),
            Scalar::F32 | Scalar::U32 | Scalar::Bool => rep.v,
        })
    }

    /// Lanes a group.
    pub(super) fn lanes(&self) -> u32 {
        match &self.kernel.body {
            Body::Groups(groups) => groups.size,
            Body::Map { .. } => 1,
        }
    }

    /// The word of a span's element.
    pub(super) fn span_word(&mut self, span: SpanId, element: U<'a>, field: u32) -> Value {
        let offset = self.word(self.layout.offset(span.0));
        let element = self.u(offset) + element;
        let words = self.kernel.elem_words(self.kernel.spans[span.index()].elem);
        let word = self.scaled(element, words);
        if field == 0 {
            word.v
        } else {
            self.plus(word, field).v
        }
    }
}
