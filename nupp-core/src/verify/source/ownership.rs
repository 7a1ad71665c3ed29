//! Checks that no two lanes meet in one element: all accesses of a written span have one form, all
//! writes of an array in a phase follow one family, and a phase reads an array that it writes only
//! at slots of that family.
//!
//! Whether a slot lies inside its array, or inside the part of the span that belongs to the lane,
//! is checked in `places`.

use super::ensure;
use crate::ir::entity::{ScratchId, SpanId};
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{Access, Body, Kernel, Leaf, Node, SourceInst, SourceRegion};
use crate::ir::place::{Family, Place};
use crate::verify::VerifyError;

type Check = Result<(), VerifyError>;

/// A family without the slot inside it: two accesses of one kind by different lanes never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// `local + k * size`.
    Strided,
    /// `local * stride + j`.
    Blocked(u32),
}

/// The kind of a family.
pub fn family_kind(family: Family) -> FamilyKind {
    match family {
        Family::Strided { .. } => FamilyKind::Strided,
        Family::Blocked { stride, .. } => FamilyKind::Blocked(stride),
    }
}

/// How a written span is touched, everywhere in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Element,
    Block(u32),
    GroupBlock(u32, FamilyKind),
    GroupSlot(u32),
    Scatter,
}

pub fn check(kernel: &Kernel) -> Check {
    let mut owners = Owners {
        kernel,
        forms: vec![None; kernel.spans.len()],
        scattered: vec![false; kernel.spans.len()],
        phase: Vec::new(),
    };
    match &kernel.body {
        Body::Map { region, .. } => owners.region(region),
        Body::Groups(groups) => {
            owners.phase = vec![Touched::default(); groups.scratch.len()];
            owners.nodes(&groups.nodes)
        }
    }
}

/// What the current phase does with an array.
#[derive(Clone, Default)]
struct Touched {
    written: Option<FamilyKind>,
    owned: Vec<FamilyKind>,
    anywhere: bool,
}

struct Owners<'a> {
    kernel: &'a Kernel,
    forms: Vec<Option<Form>>,
    /// Whether a scatter into the span was passed on the way here.
    scattered: Vec<bool>,
    phase: Vec<Touched>,
}

impl Owners<'_> {
    fn nodes(&mut self, nodes: &[Node]) -> Check {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst)?,
                // A tree has its arrays to itself, between two meetings of the group.
                Node::Tree(_) => {}
                Node::Phase(phase) => {
                    self.phase.fill(Touched::default());
                    self.region(&phase.region)?;
                    self.end_phase()?;
                }
                Node::Repeat(repeat) => self.nodes(&repeat.body.nodes)?,
                Node::Select { then, els, .. } => {
                    self.choice(
                        |this| this.nodes(&then.nodes),
                        |this| this.nodes(&els.nodes),
                    )?;
                }
            }
        }
        Ok(())
    }

    fn end_phase(&self) -> Check {
        for (i, touched) in self.phase.iter().enumerate() {
            let Some(written) = touched.written else {
                continue;
            };
            ensure!(
                !touched.anywhere,
                "cross-lane read",
                "a phase writes s{i} and reads it at a slot that may be another lane's"
            );
            ensure!(
                touched.owned.iter().all(|&kind| kind == written),
                "cross-lane read",
                "a phase writes s{i} in one family and touches it in another"
            );
        }
        Ok(())
    }

    fn region(&mut self, region: &SourceRegion) -> Check {
        let mut insts = region.insts.iter();
        insts.try_for_each(|inst| self.instruction(inst))
    }

    fn instruction(&mut self, inst: &SourceInst) -> Check {
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => Ok(()),
            Op::Leaf(leaf) => self.leaf(leaf),
            Op::If { then, els, .. } => {
                self.choice(|this| this.region(then), |this| this.region(els))
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &inner.kind {
                    self.region(cond)?;
                }
                self.region(&inner.body)
            }
        }
    }

    /// Walks the two sides of a choice: only one of them runs, so each may scatter once.
    fn choice(
        &mut self,
        then: impl FnOnce(&mut Self) -> Check,
        els: impl FnOnce(&mut Self) -> Check,
    ) -> Check {
        let before = self.scattered.clone();
        then(self)?;
        let after = std::mem::replace(&mut self.scattered, before);
        els(self)?;
        for (here, there) in self.scattered.iter_mut().zip(after) {
            *here |= there;
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &Leaf) -> Check {
        match leaf {
            Leaf::Uniform(_) | Leaf::Length(_) => Ok(()),
            Leaf::Load { place, .. } => self.place(place, false),
            Leaf::Store { place, .. } => self.place(place, true),
            Leaf::Scatter { span, .. } => {
                let again = std::mem::replace(&mut self.scattered[span.index()], true);
                let form = self.forms[span.index()];
                ensure!(
                    !again && matches!(form, None | Some(Form::Scatter)),
                    "declared scatter",
                    "{span} has another access beside a scatter"
                );
                self.form(*span, Form::Scatter)
            }
        }
    }

    fn form(&mut self, span: SpanId, form: Form) -> Check {
        let slot = &mut self.forms[span.index()];
        let first = *slot.get_or_insert(form);
        ensure!(
            first == form,
            "write form",
            "{span} is touched as {first:?} and as {form:?}"
        );
        Ok(())
    }

    fn place(&mut self, place: &Place, write: bool) -> Check {
        match *place {
            Place::Element { span, .. } => match self.kernel.spans[span.index()].access {
                Access::Read => Ok(()),
                Access::Write => self.form(span, Form::Element),
            },
            // Only read spans are touched so.
            Place::At { .. } => Ok(()),
            Place::Block { span, stride, .. } => self.form(span, Form::Block(stride)),
            Place::GroupBlock {
                span, stride, slot, ..
            } => self.form(span, Form::GroupBlock(stride, family_kind(slot))),
            Place::GroupSlot { span, lane, .. } => self.form(span, Form::GroupSlot(lane)),
            Place::Own { array, slot } => self.own(array, family_kind(slot), write),
            Place::Slot { array, .. } => {
                self.phase[array.index()].anywhere = true;
                Ok(())
            }
        }
    }

    fn own(&mut self, array: ScratchId, kind: FamilyKind, write: bool) -> Check {
        let touched = &mut self.phase[array.index()];
        touched.owned.push(kind);
        if write {
            let first = *touched.written.get_or_insert(kind);
            ensure!(
                first == kind,
                "families",
                "a phase writes {array} as {first:?} and as {kind:?}"
            );
        }
        Ok(())
    }
}
