//! Finds phases that are straight code over consecutive elements once it is known that their
//! conditions hold in all lanes of the group, as they do in every group but the last: a plain loop
//! without a branch and without a check, which rustc vectorises.
//!
//! What must be known is listed with the phase. The printer asks for it once a group, and prints the
//! general form beside for the groups where it does not hold.

use super::liveness::{self, Live};
use nupp_core::ir::entity::{Scalar, ScratchId, SpanId, Value};
use nupp_core::ir::flow::{Op, Region};
use nupp_core::ir::kernel::{Access, Elem, Groups, Kernel, Leaf, Phase, SourceInst};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Family, Operand, Place};
use std::collections::{BTreeMap, BTreeSet};

/// A phase with all conditions taken for true.
#[derive(Debug, Default)]
pub struct Whole<'k> {
    /// Its instructions in order, without the choices.
    pub insts: Vec<&'k SourceInst>,
    /// What a choice gives, and the value that it is.
    pub aliases: Vec<(Value, Value)>,
    /// A value that steps by one from lane to lane, and what it must stay below without wrapping.
    pub below: Vec<(Value, Value)>,
    /// Conditions that are the same in all lanes.
    pub uniform: Vec<Value>,
    /// Read spans and the stepping index at which each lane reads.
    pub reads: Vec<(SpanId, Value)>,
    /// Written spans of which each lane has one element of the group's.
    pub writes: Vec<SpanId>,
    /// The values that are needed under these conditions.
    pub needed: BTreeSet<Value>,
}

/// What decides over values: from the kernel, and from the printer.
struct Search<'k, 'f> {
    kernel: &'f Kernel,
    size: u32,
    live: &'f Live,
    steps: &'f dyn Fn(Value) -> bool,
    defs: BTreeMap<Value, (ScalarOp, &'k [Value])>,
    found: Whole<'k>,
}

/// The phase in that form, if it has it and gains by it.
pub fn whole<'k>(
    kernel: &Kernel,
    groups: &Groups,
    phase: &'k Phase,
    live: &Live,
    steps: &dyn Fn(Value) -> bool,
) -> Option<Whole<'k>> {
    let mut search = Search {
        kernel,
        size: groups.size,
        live,
        steps,
        defs: BTreeMap::new(),
        found: Whole::default(),
    };
    search.region(&phase.region)?;
    let gains = !search.found.reads.is_empty() || !search.found.writes.is_empty();
    if !gains {
        return None;
    }
    search.need();
    Some(search.found)
}

impl<'k> Search<'k, '_> {
    fn is_lane(&self, value: Value) -> bool {
        self.kernel.values[value.index()].scope == nupp_core::ir::entity::Scope::Lane
    }

    fn region(&mut self, region: &'k Region<Leaf>) -> Option<()> {
        for inst in region.insts.iter().filter(|inst| self.live.inst(inst)) {
            match &inst.op {
                Op::Const(_) => {}
                Op::Scalar(op, args) => {
                    if matches!(op, ScalarOp::Math(_)) {
                        return None;
                    }
                    for &result in &inst.results {
                        self.defs.insert(result, (*op, args));
                    }
                }
                Op::Leaf(leaf) => self.leaf(leaf)?,
                Op::If { cond, then, els } => {
                    if els.insts.iter().any(liveness::inst_stores) {
                        return None;
                    }
                    self.holds(*cond)?;
                    self.region(then)?;
                    let pairs = inst
                        .results
                        .iter()
                        .copied()
                        .zip(then.yields.iter().copied());
                    self.found.aliases.extend(pairs);
                    continue;
                }
                Op::Loop(_) => return None,
            }
            self.found.insts.push(inst);
        }
        Some(())
    }

    /// Takes a condition for true.
    fn holds(&mut self, cond: Value) -> Option<()> {
        if !self.is_lane(cond) {
            self.found.uniform.push(cond);
            return Some(());
        }
        let (op, args) = *self.defs.get(&cond)?;
        match (op, args) {
            (ScalarOp::BoolAnd, &[a, b]) => {
                self.holds(a)?;
                self.holds(b)
            }
            (ScalarOp::U32Lt, &[a, b]) if (self.steps)(a) && !self.is_lane(b) => {
                if !self.found.below.contains(&(a, b)) {
                    self.found.below.push((a, b));
                }
                Some(())
            }
            _ => None,
        }
    }

    fn leaf(&mut self, leaf: &'k Leaf) -> Option<()> {
        match leaf {
            Leaf::Uniform(_) | Leaf::Length(_) => Some(()),
            Leaf::Load { place, .. } => self.load(place),
            Leaf::Store { place, .. } => match place {
                Place::GroupBlock { .. } => self.load(place),
                Place::Own { .. } => Some(()),
                Place::Element { .. }
                | Place::Block { .. }
                | Place::At { .. }
                | Place::GroupSlot { .. }
                | Place::Slot { .. } => None,
            },
            Leaf::Scatter { .. } => None,
        }
    }

    fn load(&mut self, place: &'k Place) -> Option<()> {
        match place {
            Place::At { index, .. } if !self.is_lane(*index) => Some(()),
            Place::At { span, index, .. } => {
                let read = self.kernel.spans[span.index()].access == Access::Read;
                if !read || !(self.steps)(*index) {
                    return None;
                }
                if !self.found.reads.contains(&(*span, *index)) {
                    self.found.reads.push((*span, *index));
                }
                Some(())
            }
            Place::GroupBlock {
                span, stride, slot, ..
            } => {
                let own = Family::Strided {
                    k: Operand::Const(0),
                };
                if *slot != own || *stride < self.size {
                    return None;
                }
                if !self.found.writes.contains(span) {
                    self.found.writes.push(*span);
                }
                Some(())
            }
            Place::Own { .. } => Some(()),
            Place::Slot { index, .. } => (!self.is_lane(*index)).then_some(()),
            Place::Element { .. } | Place::Block { .. } | Place::GroupSlot { .. } => None,
        }
    }

    /// Marks what stores and conditions need, backwards.
    fn need(&mut self) {
        let mut needed: BTreeSet<Value> = self.found.uniform.iter().copied().collect();
        for &(a, b) in &self.found.below {
            needed.insert(b);
            self.need_first(a, &mut needed);
        }
        for &(_, index) in &self.found.reads {
            self.need_first(index, &mut needed);
        }
        let alias = |v: Value| {
            let found = self.found.aliases.iter().find(|(result, _)| *result == v);
            found.map(|(_, value)| *value)
        };
        // Choices may give what choices give, so the whole is gone through until nothing changes.
        loop {
            let before = needed.len();
            for value in needed.clone() {
                needed.extend(alias(value));
            }
            for inst in self.found.insts.iter().rev() {
                let wanted = inst.results.iter().any(|v| needed.contains(v));
                match &inst.op {
                    Op::Scalar(_, args) if wanted => needed.extend(args),
                    Op::Leaf(Leaf::Load { place, .. }) if wanted => {
                        self.need_place(place, &mut needed)
                    }
                    Op::Leaf(Leaf::Store { place, value, .. }) => {
                        needed.insert(*value);
                        self.need_place(place, &mut needed);
                    }
                    Op::Scalar(..) | Op::Leaf(_) | Op::Const(_) | Op::If { .. } | Op::Loop(_) => {}
                }
            }
            if needed.len() == before {
                break;
            }
        }
        self.found.needed = needed;
    }

    fn need_place(&self, place: &Place, needed: &mut BTreeSet<Value>) {
        match place {
            Place::At { index, .. } | Place::Slot { index, .. } => {
                if !self.is_lane(*index) {
                    needed.insert(*index);
                }
            }
            Place::Own { slot, .. } | Place::GroupBlock { slot, .. } => match slot {
                Family::Strided { k } | Family::Blocked { j: k, .. } => {
                    if let Operand::Value(value) = k {
                        needed.insert(*value);
                    }
                }
            },
            Place::Element { .. } | Place::Block { .. } | Place::GroupSlot { .. } => {}
        }
    }

    /// The values that are the same in all lanes of which a stepping value's first one is made.
    fn need_first(&self, value: Value, needed: &mut BTreeSet<Value>) {
        if !self.is_lane(value) {
            needed.insert(value);
        } else if let Some((_, args)) = self.defs.get(&value) {
            for &arg in *args {
                self.need_first(arg, needed);
            }
        }
    }
}

impl Whole<'_> {
    /// Where the phase does nothing but copy one element a lane from a span into an array that has
    /// a slot a lane: both, and the index.
    pub fn copy(&self, groups: &Groups) -> Option<(ScratchId, SpanId, Value)> {
        let acts = |inst: &&&SourceInst| {
            liveness::inst_stores(inst) || matches!(inst.op, Op::Leaf(Leaf::Load { .. }))
        };
        let acting: Vec<_> = self.insts.iter().filter(acts).collect();
        let [load, store] = acting.as_slice() else {
            return None;
        };
        let (
            Op::Leaf(Leaf::Load { place, .. }),
            Op::Leaf(Leaf::Store {
                place: to, value, ..
            }),
        ) = (&load.op, &store.op)
        else {
            return None;
        };
        let mut value = *value;
        while let Some((_, from)) = self.aliases.iter().find(|(result, _)| *result == value) {
            value = *from;
        }
        let own = Family::Strided {
            k: Operand::Const(0),
        };
        match (place, to) {
            (Place::At { span, index, .. }, Place::Own { array, slot })
                if load.results.first() == Some(&value)
                    && *slot == own
                    && self.reads.contains(&(*span, *index)) =>
            {
                let decl = &groups.scratch[array.index()];
                let plain = matches!(
                    decl.elem,
                    Elem::Scalar(Scalar::F32 | Scalar::I32 | Scalar::U32)
                );
                (plain && decl.count == groups.size).then_some((*array, *span, *index))
            }
            _ => None,
        }
    }
}
