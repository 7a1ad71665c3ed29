//! Loads, stores and scatters, each checked against the bounds.

use super::{EvalError, Machine, visible};
use crate::ir::entity::{ScratchId, SpanId, Value};
use crate::ir::place::{Family, Operand, Place};

/// An element of memory.
enum Cell {
    Span(SpanId, i128),
    Scratch(ScratchId, i128),
}

impl Machine<'_> {
    pub(super) fn load(&self, place: &Place, field: u32) -> Result<u32, EvalError> {
        match self.cell(place) {
            Cell::Span(span, index) => {
                let at = self.span_word(span, index, field)?;
                Ok(self.spans[span.index()][at])
            }
            Cell::Scratch(array, index) => {
                let at = self.scratch_word(array, index, field)?;
                Ok(self.scratch[array.index()][at])
            }
        }
    }

    pub(super) fn store(&mut self, place: &Place, field: u32, word: u32) -> Result<(), EvalError> {
        match self.cell(place) {
            Cell::Span(span, index) => {
                let at = self.span_word(span, index, field)?;
                let ty = self.fields[span.index()][field as usize];
                self.spans[span.index()][at] = visible(ty, word);
            }
            Cell::Scratch(array, index) => {
                let at = self.scratch_word(array, index, field)?;
                let ty = self.scratch_fields[array.index()][field as usize];
                self.scratch[array.index()][at] = visible(ty, word);
            }
        }
        Ok(())
    }

    pub(super) fn scatter(
        &mut self,
        span: SpanId,
        index: u32,
        values: &[Value],
    ) -> Result<(), EvalError> {
        let start = self.span_word(span, index.into(), 0)?;
        let lane = self.lane.global;
        let writers = &mut self.scattered[span.index()];
        if writers.is_empty() {
            *writers = vec![0; self.lengths[span.index()] as usize];
        }
        let writer = &mut writers[index as usize];
        if *writer != 0 {
            return Err(EvalError::Scatter {
                span,
                slot: index,
                first: *writer - 1,
                second: lane,
            });
        }
        *writer = lane + 1;
        for (field, &value) in values.iter().enumerate() {
            let ty = self.fields[span.index()][field];
            self.spans[span.index()][start + field] = visible(ty, self.get(value));
        }
        Ok(())
    }

    fn cell(&self, place: &Place) -> Cell {
        let lane = self.lane;
        let group = i128::from(lane.group);
        match place {
            Place::Element { span, offset, .. } => {
                Cell::Span(*span, i128::from(lane.local) + i128::from(*offset))
            }
            Place::Block {
                span, stride, slot, ..
            } => {
                let first = i128::from(lane.local) * i128::from(*stride);
                Cell::Span(*span, first + i128::from(self.get(*slot)))
            }
            Place::At { span, index, .. } => Cell::Span(*span, self.get(*index).into()),
            Place::GroupBlock {
                span, stride, slot, ..
            } => Cell::Span(*span, group * i128::from(*stride) + self.slot(*slot)),
            Place::GroupSlot { span, .. } => Cell::Span(*span, group),
            Place::Own { array, slot } => Cell::Scratch(*array, self.slot(*slot)),
            Place::Slot { array, index, .. } => Cell::Scratch(*array, self.get(*index).into()),
        }
    }

    fn slot(&self, family: Family) -> i128 {
        let local = i128::from(self.lane.local);
        let size = self.groups.map_or(0, |groups| i128::from(groups.size));
        match family {
            Family::Strided { k } => local + self.operand(k) * size,
            Family::Blocked { stride, j } => local * i128::from(stride) + self.operand(j),
        }
    }

    fn operand(&self, operand: Operand) -> i128 {
        match operand {
            Operand::Const(n) => n.into(),
            Operand::Value(value) => self.get(value).into(),
        }
    }

    /// The word of an element's field.
    fn span_word(&self, span: SpanId, index: i128, field: u32) -> Result<usize, EvalError> {
        let count = self.lengths[span.index()] as usize;
        let each = self.fields[span.index()].len();
        word(index, count, each, field).ok_or_else(|| EvalError::OutOfBounds {
            what: span.to_string(),
            index,
            count,
        })
    }

    fn scratch_word(&self, array: ScratchId, index: i128, field: u32) -> Result<usize, EvalError> {
        let each = self.scratch_fields[array.index()].len();
        let count = self.scratch[array.index()].len() / each;
        word(index, count, each, field).ok_or_else(|| EvalError::OutOfBounds {
            what: array.to_string(),
            index,
            count,
        })
    }
}

fn word(index: i128, count: usize, each: usize, field: u32) -> Option<usize> {
    let index = usize::try_from(index).ok().filter(|&index| index < count)?;
    Some(index * each + field as usize)
}
