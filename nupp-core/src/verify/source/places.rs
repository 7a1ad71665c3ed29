//! The bounds of each kind of access, one function a kind.
//!
//! A certificate has to be true in what it names: its comparisons hold here, its constant is one.
//! The bound itself is proved from everything that holds here, so a certificate that leaves out a
//! reason costs nothing but its usefulness to a reader.

use super::bounds::{Bounds, length};
use super::ensure;
use super::facts::Def;
use super::linear::Linear;
use crate::ir::entity::{Scalar, ScratchId, SpanId, Value};
use crate::ir::kernel::{Body, Leaf};
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::verify::VerifyError;

type Check = Result<(), VerifyError>;

/// Checks the access of a leaf, if it has one.
pub fn leaf(bounds: &Bounds<'_>, leaf: &Leaf) -> Check {
    match leaf {
        Leaf::Uniform(_) | Leaf::Length(_) => Ok(()),
        Leaf::Load { place, .. } | Leaf::Store { place, .. } => bounds.place(place),
        Leaf::Scatter {
            span, index, proof, ..
        } => bounds.at(*span, *index, proof),
    }
}

impl Bounds<'_> {
    fn place(&self, place: &Place) -> Check {
        match place {
            Place::Element {
                span,
                offset,
                proof,
            } => self.element(*span, *offset, proof),
            Place::Block {
                span,
                stride,
                slot,
                proof,
                slot_proof,
            } => {
                self.certificate(proof, None)?;
                self.certificate(slot_proof, Some(*slot))?;
                self.block(*span, *stride, *slot)
            }
            Place::At { span, index, proof } => self.at(*span, *index, proof),
            Place::GroupBlock {
                span,
                stride,
                slot,
                proof,
            } => {
                self.certificate(proof, None)?;
                self.group_block(*span, *stride, *slot)
            }
            Place::GroupSlot { span, lane, proof } => {
                self.certificate(proof, None)?;
                self.group_slot(*span, *lane)
            }
            Place::Own { array, slot } => self.own(*array, *slot),
            Place::Slot {
                array,
                index,
                proof,
            } => {
                self.certificate(proof, Some(*index))?;
                let inside = self.below(*index, &Linear::constant(self.count(*array)));
                ensure!(inside, "scratch bounds", "{array} at {index}");
                Ok(())
            }
        }
    }

    /// `a <= b`.
    fn at_most(&self, a: &Linear, b: &Linear) -> bool {
        let apart = a.minus(b);
        apart.is_some_and(|sum| self.facts.at_most_zero(&sum))
    }

    /// `a < b`.
    fn less(&self, a: &Linear, b: &Linear) -> bool {
        a.plus(1).is_some_and(|a| self.at_most(&a, b))
    }

    /// `index < end`, for a uint32 index, which is never negative.
    fn below(&self, index: Value, end: &Linear) -> bool {
        // A comparison may have named this very value before anything was known of its parts.
        self.less(&self.facts.sum(index), end) || self.less(&self.facts.atom(index), end)
    }

    fn count(&self, array: ScratchId) -> i128 {
        let decl = self.groups.and_then(|g| g.scratch.get(array.index()));
        decl.map_or(0, |decl| i128::from(decl.count))
    }

    /// Each lane has the element of its own number, so the lengths have to be equal.
    fn element(&self, span: SpanId, offset: i64, proof: &Certificate) -> Check {
        self.certificate(proof, None)?;
        let Body::Map { primary, index, .. } = &self.kernel.body else {
            return Ok(());
        };
        let (own, other) = (length(*primary), length(span));
        let equal = self.at_most(&own, &other) && self.at_most(&other, &own);
        ensure!(
            equal,
            "element bounds",
            "#{span} and #{primary} may differ where {span} is touched at the index"
        );
        let element = self.facts.atom(*index).plus(i128::from(offset) - 1);
        let inside = element.is_some_and(|element| {
            self.at_most(&Linear::constant(0), &element) && self.less(&element, &other)
        });
        ensure!(inside, "element bounds", "{span} at index + {offset}");
        Ok(())
    }

    fn block(&self, span: SpanId, stride: u32, slot: Value) -> Check {
        let Body::Map { primary, .. } = &self.kernel.body else {
            return Ok(());
        };
        let stride = i128::from(stride);
        let needed = length(*primary).combine(stride, &Linear::default(), 0);
        let fits = needed.is_some_and(|needed| self.at_most(&needed, &length(span)));
        ensure!(
            fits,
            "block bounds",
            "{stride} * #{primary} may exceed #{span}"
        );
        let inside = self.below(slot, &Linear::constant(stride));
        ensure!(
            inside,
            "block bounds",
            "{slot} may reach past the {stride} elements of {span} that a lane owns"
        );
        Ok(())
    }

    fn at(&self, span: SpanId, index: Value, proof: &Certificate) -> Check {
        self.certificate(proof, Some(index))?;
        let inside = self.below(index, &length(span));
        ensure!(inside, "cursor bounds", "{span} at {index}");
        Ok(())
    }

    fn operand(&self, operand: Operand) -> Linear {
        match operand {
            Operand::Const(n) => Linear::constant(i128::from(n)),
            Operand::Value(value) => self.facts.sum(value),
        }
    }

    /// The slot of a family as a sum; in exact integers, so a slot below a count did not wrap.
    fn slot(&self, slot: Family) -> Option<Linear> {
        let local = self.facts.atom(self.local?);
        let size = i128::from(self.groups?.size);
        match slot {
            Family::Strided { k } => local.combine(1, &self.operand(k), size),
            Family::Blocked { stride, j } => local.combine(stride.into(), &self.operand(j), 1),
        }
    }

    /// A lane's part of a blocked family ends where the next lane's begins.
    fn family(&self, slot: Family) -> Check {
        if let Family::Blocked { stride, j } = slot {
            let end = Linear::constant(i128::from(stride));
            let inside = self.less(&self.operand(j), &end);
            ensure!(
                inside,
                "families",
                "{j:?} may reach past the {stride} slots that a lane owns"
            );
        }
        Ok(())
    }

    fn own(&self, array: ScratchId, slot: Family) -> Check {
        self.family(slot)?;
        let end = Linear::constant(self.count(array));
        let inside = self.slot(slot).is_some_and(|slot| self.less(&slot, &end));
        ensure!(inside, "scratch bounds", "{array} at {slot:?}");
        Ok(())
    }

    fn group_block(&self, span: SpanId, stride: u32, slot: Family) -> Check {
        self.family(slot)?;
        let (Some(groups), Some(slot)) = (self.groups, self.slot(slot)) else {
            return Ok(());
        };
        let stride = i128::from(stride);
        let owned = self.less(&slot, &Linear::constant(stride));
        ensure!(
            owned,
            "block bounds",
            "a slot may reach past the {stride} elements of {span} that a group owns"
        );
        let group = self.facts.atom(groups.group);
        let element = group.combine(stride, &slot, 1);
        let inside = element.is_some_and(|element| self.less(&element, &length(span)));
        ensure!(inside, "block bounds", "{span} at group * {stride} + slot");
        Ok(())
    }

    fn group_slot(&self, span: SpanId, lane: u32) -> Check {
        let (Some(groups), Some(local)) = (self.groups, self.local) else {
            return Ok(());
        };
        let (local, lane_sum) = (self.facts.atom(local), Linear::constant(lane.into()));
        let alone = self.at_most(&local, &lane_sum) && self.at_most(&lane_sum, &local);
        ensure!(
            alone,
            "families",
            "{span} is touched by lanes other than {lane}"
        );
        let inside = self.less(&self.facts.atom(groups.group), &length(span));
        ensure!(inside, "block bounds", "{span} at the group's number");
        Ok(())
    }

    /// Checks that what a certificate names is so. `index` is the value it speaks of, if it speaks
    /// of one.
    fn certificate(&self, proof: &Certificate, index: Option<Value>) -> Check {
        match proof {
            // Guards were checked to be there, and hold everywhere.
            Certificate::Interval | Certificate::Primary | Certificate::Guard { .. } => Ok(()),
            Certificate::Const => {
                let constant = index.is_none_or(|index| {
                    self.kernel.values[index.index()].ty == Scalar::U32
                        && matches!(self.facts.def(index), Def::Const(_))
                });
                ensure!(constant, "certificates", "an index that is no constant");
                Ok(())
            }
            Certificate::Cursor { facts } => {
                for &(value, truth) in facts {
                    ensure!(
                        self.facts.decide(value) == Some(truth),
                        "certificates",
                        "{value} is not known to be {truth}"
                    );
                }
                Ok(())
            }
            Certificate::All(list) => {
                let mut list = list.iter();
                list.try_for_each(|proof| self.certificate(proof, index))
            }
        }
    }
}
