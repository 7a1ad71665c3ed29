//! Accesses of a workgroup kernel: slots of scratch and the elements a group writes.

use std::ops::Range;

use super::access::Wanted;
use super::seq::Index;
use super::state::{Lower, Val};
use crate::proof::cursor::{Bound, Known, Needed, Outcome, search};
use crate::proof::forms::{Form, Owned};
use crate::proof::groups::groups_apart;
use crate::proof::slots::{SlotUse, Touch};
use crate::proof::world::{Modular, Root, Rule};
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{PhaseId, Scalar, ScratchId, Value};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Family, Operand, Place};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{ArrayRef, Expr};
use nupp_front::span::SrcSpan;

impl<'a> Lower<'a> {
    fn size(&self) -> u32 {
        match self.world.rule {
            Rule::Groups { size, .. } => size,
            Rule::Map { .. } => 1,
        }
    }

    /// The family a sum belongs to, by shape: `lane + k * size` or `lane * stride + j`.
    ///
    /// A sum is modulo 2^32 and a family's slots are exact, so a shape whose slots would wrap is
    /// none: `7 - lane` is no row of 2^32 - 1 slots a lane, nor `lane - 1` a turn of 255 lanes.
    fn family(&mut self, mut sum: Modular, lane: Value) -> Option<Family> {
        let size = self.size();
        let wraps = |whole: u64| whole > 1 << 32;
        let stride = sum.take(lane);
        let mut terms = sum.terms.into_iter();
        let (term, more) = (terms.next(), terms.next());
        // A stride above the signed range is a subtraction: `63 - lane`.
        if stride == 0 || i32::try_from(stride).is_err() || more.is_some() {
            return None;
        }
        let turn = |this: &mut Self, value: Value, factor: u32| {
            let counted = matches!(this.world.b.def(value), Def::Counted { .. });
            (factor == 1 && counted && sum.constant == 0).then(|| {
                let terms = [(value, 1)].into_iter().collect();
                Operand::Value(this.rebuild(&terms, 0))
            })
        };
        if stride == 1 {
            let k = match term {
                None if sum.constant.is_multiple_of(size)
                    && !wraps(u64::from(sum.constant) + u64::from(size)) =>
                {
                    Operand::Const(sum.constant / size)
                }
                Some((value, factor)) if factor == size && !self.goes_below_zero(value) => {
                    turn(self, value, 1)?
                }
                _ => return None,
            };
            return Some(Family::Strided { k });
        }
        if wraps(u64::from(stride) * u64::from(size)) {
            return None;
        }
        let j = match term {
            None if sum.constant < stride => Operand::Const(sum.constant),
            Some((value, factor)) => turn(self, value, factor)?,
            None => return None,
        };
        Some(Family::Blocked { stride, j })
    }

    /// Whether a counted variable starts at a negative constant.
    fn goes_below_zero(&self, value: Value) -> bool {
        match self.world.b.def(value) {
            Def::Counted { lo, .. } => self
                .world
                .b
                .as_const(*lo)
                .is_some_and(|lo| lo.ty == Scalar::I32 && (lo.bits as i32) < 0),
            _ => false,
        }
    }

    fn below(&self, v: Value, end: u32) -> Outcome {
        let facts = self.known();
        let known = Known {
            world: &self.world,
            facts: &facts,
            guards: &self.guards,
        };
        search(known, Bound::Below(v, end))
    }

    /// Whether a family's slot is inside the part that belongs to its lane.
    fn own_part(&self, family: Family) -> Outcome {
        match family {
            Family::Blocked {
                stride,
                j: Operand::Value(j),
            } => self.below(j, stride),
            Family::Blocked { .. } | Family::Strided { .. } => Outcome::Proved(Needed::default()),
        }
    }

    /// Whether it is, and below `count`.
    fn family_holds(&self, family: Family, index: Value, count: u32) -> Outcome {
        match self.own_part(family) {
            Outcome::Proved(_) => self.below(index, count),
            other @ (Outcome::Unreachable | Outcome::Missing) => other,
        }
    }

    fn touch(
        &mut self,
        array: ScratchId,
        index: Index<'a>,
        write: bool,
        at: SrcSpan,
    ) -> Option<Place> {
        let Some((lane, local)) = self.lane else {
            let name = self.scratch[array.index()].name.clone();
            let text = format!("scratch `{name}` exists only inside a phase");
            let help = format!(
                "read or write it in `phases:run(function(localIndex) ... {name}[localIndex] ... end)`"
            );
            self.report(Diagnostic::new(Code::ScratchOutsidePhase, at, text).help(help));
            return None;
        };
        let count = self.scratch[array.index()].count;
        let sum = self.world.modular(index.value);
        let family = self.family(sum, lane);
        let named = self.frames.len() > 1 || names(index.authored, local);
        let owned = family.filter(|_| named || !write);
        // A turn that may reach past the lane's part is in the next lane's.
        let owned = owned.filter(|family| self.own_part(*family) != Outcome::Missing);
        let touched = SlotUse {
            phase: PhaseId(self.phases - 1),
            phase_at: self.phase_places.last().copied().unwrap_or(at),
            array,
            write,
            touch: owned.map_or(Touch::Any, Touch::Own),
            index: index.value,
            facts: self.known(),
            at,
            calls: self.frames.iter().filter_map(|f| f.call).collect(),
            text: self.slot_text(array, index.authored),
            better: self.row_of_slot(index).map(|row| row.help()),
            hides: self.hiding(index.authored).map(|(name, number)| {
                let note = format!("the slot's `{}` is this one, and hides {number}", name.text);
                (name.at, note)
            }),
            lane: self.kernel.func.locals[local.index()].name.text.clone(),
        };
        self.slot_uses.push(touched);
        if let Some(slot) = owned {
            match self.family_holds(slot, index.value, count) {
                Outcome::Proved(_) => return Some(Place::Own { array, slot }),
                Outcome::Unreachable => return None,
                Outcome::Missing => {}
            }
        }
        let bound = Bound::Below(index.value, count);
        let proof = self.prove(bound, |this| this.refuse_slot(array, index, at))?;
        Some(Place::Slot {
            array,
            index: index.value,
            proof,
        })
    }

    /// `tile[localIndex + 1]`, as written.
    pub(super) fn slot_text(&self, array: ScratchId, index: &Expr) -> String {
        format!("{}[{}]", self.array_name(array), self.names().expr(index))
    }

    /// Reads fields of a slot.
    pub(super) fn read_slot(
        &mut self,
        array: ArrayRef,
        index: &'a Expr,
        fields: Range<u32>,
        at: SrcSpan,
    ) -> Val {
        let array = self.array(array);
        let index = self.index(index);
        let types = self.elem_fields(self.scratch[array.index()].elem);
        let place = self.touch(array, index, false, at);
        self.load_fields(place.as_ref(), fields, &types, false)
    }

    /// Writes consecutive fields of a slot.
    pub(super) fn write_slot(
        &mut self,
        array: ArrayRef,
        index: Index<'a>,
        first: u32,
        values: &[Value],
        at: SrcSpan,
    ) {
        let array = self.array(array);
        let Some(place) = self.touch(array, index, true, at) else {
            return;
        };
        self.store_fields(&place, first, values);
    }

    /// An element of a written span in a phase: `group * T + slot`, or `group` by one lane.
    pub(super) fn group_place(&mut self, want: Wanted<'a>) -> Option<Place> {
        let Some((lane, _)) = self.lane else {
            self.refuse_controller_read(want);
            return None;
        };
        let index = self.minus_one(want.index.value);
        let mut sum = self.world.modular(index);
        let mut values = sum.terms.keys().copied();
        let group = values.find(|v| self.world.roots.get(v) == Some(&Root::Group));
        let stride = group.map_or(0, |group| sum.take(group));
        if stride == 1
            && sum.terms.is_empty()
            && sum.constant == 0
            && let Some(only) = self.only_lane(lane)
        {
            return self.group_slot(want, index, only);
        }
        let family = if stride == 0 {
            None
        } else {
            self.family(sum, lane)
        };
        let Some(slot) = family else {
            self.refuse_elsewhere(want);
            return None;
        };
        let owned = match slot {
            Family::Strided { .. } => Owned::Strided,
            Family::Blocked { stride, .. } => Owned::Blocked(stride),
        };
        self.note_use(want, Form::GroupBlock { stride, owned });
        let group = group?;
        let base = self.rebuild(&[(group, stride)].into_iter().collect(), 0);
        let inner = self.op(ScalarOp::U32Sub, &[index, base]);
        let inner = self.settle(inner);
        match self.family_holds(slot, inner, stride) {
            Outcome::Proved(_) => {}
            Outcome::Unreachable => return None,
            Outcome::Missing => {
                self.refuse_block_slot(want, stride);
                return None;
            }
        }
        let bound = Bound::Element(index, 0, want.span);
        let apart = groups_apart(&self.world, &self.premises(false), (group, base), stride);
        let proof = self.prove(bound, |this| {
            this.refuse_cursor(want, index);
            if !apart {
                this.also_below(stride);
            }
        })?;
        if !apart {
            self.refuse_group_wrap(want, stride);
            return None;
        }
        Some(Place::GroupBlock {
            span: want.span,
            stride,
            slot,
            proof,
        })
    }

    /// A value rebuilt from its own sum, so that what cancels is gone.
    fn settle(&mut self, v: Value) -> Value {
        let sum = self.world.modular(v);
        self.rebuild(&sum.terms, sum.constant)
    }

    fn group_slot(&mut self, want: Wanted<'a>, index: Value, lane: u32) -> Option<Place> {
        self.note_use(want, Form::GroupSlot { lane });
        let bound = Bound::Element(index, 0, want.span);
        let proof = self.prove(bound, |this| this.refuse_cursor(want, index))?;
        Some(Place::GroupSlot {
            span: want.span,
            lane,
            proof,
        })
    }

    /// The constant that a dominating `localIndex == constant` says the lane is.
    fn only_lane(&self, lane: Value) -> Option<u32> {
        let mut open: Vec<(Value, bool)> = self.known();
        while let Some((value, truth)) = open.pop() {
            match self.world.b.def(value) {
                Def::Scalar(ScalarOp::BoolNot, args) => open.push((args[0], !truth)),
                Def::Scalar(ScalarOp::BoolAnd, args) if truth => {
                    open.extend([(args[0], true), (args[1], true)]);
                }
                Def::Scalar(ScalarOp::BoolOr, args) if !truth => {
                    open.extend([(args[0], false), (args[1], false)]);
                }
                Def::Scalar(ScalarOp::U32Eq, args) if truth => {
                    for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                        if a == lane
                            && let Some(c) = self.world.b.as_const(b)
                        {
                            return Some(c.bits);
                        }
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Whether an expression names a local.
fn names(e: &Expr, local: nupp_front::hir::LocalId) -> bool {
    let mut found = Vec::new();
    super::exits::locals_of(e, &mut found);
    found.contains(&local)
}
