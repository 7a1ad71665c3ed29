//! Where barriers go: before a phase that meets, in some array, what another lane has done to it
//! since the last one.
//!
//! A phase's accesses to an array are its own slots of a family, or any slots. Two of them meet
//! unless both only read, or both are of one family, so that each slot is one lane's. The same
//! walk serves to decide and to foresee: a loop's head is met by what came before the loop and by
//! what the body leaves, and that is found by walking the body until nothing is added.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::entity::ScratchId;
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{Leaf, Node, SourceRegion};
use crate::ir::place::{Family, Place};

/// Which slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// The lane's, by the size of the group.
    Strided,
    /// The lane's, in a row of this many.
    Blocked(u32),
    /// Any.
    Any,
}

impl From<&Family> for Reach {
    fn from(family: &Family) -> Self {
        match family {
            Family::Strided { .. } => Reach::Strided,
            Family::Blocked { stride, .. } => Reach::Blocked(*stride),
        }
    }
}

/// How one array is touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Touch {
    read: BTreeSet<Reach>,
    write: BTreeSet<Reach>,
}

fn meet(one: &BTreeSet<Reach>, other: &BTreeSet<Reach>) -> bool {
    one.iter()
        .any(|a| other.iter().any(|b| a != b || *a == Reach::Any))
}

/// Accesses of all arrays since the last barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Accesses(BTreeMap<ScratchId, Touch>);

impl Accesses {
    pub(super) fn read(&mut self, array: ScratchId, reach: Reach) {
        self.0.entry(array).or_default().read.insert(reach);
    }

    pub(super) fn write(&mut self, array: ScratchId, reach: Reach) {
        self.0.entry(array).or_default().write.insert(reach);
    }

    pub(super) fn join(&mut self, other: &Accesses) {
        for (array, touch) in &other.0 {
            let mine = self.0.entry(*array).or_default();
            mine.read.extend(&touch.read);
            mine.write.extend(&touch.write);
        }
    }

    pub(super) fn meets(&self, next: &Accesses) -> bool {
        next.0.iter().any(|(array, later)| {
            self.0.get(array).is_some_and(|earlier| {
                meet(&earlier.write, &later.write)
                    || meet(&earlier.write, &later.read)
                    || meet(&earlier.read, &later.write)
            })
        })
    }

    /// Takes a phase in; says whether a barrier comes before it.
    pub(super) fn enter(&mut self, phase: &Accesses) -> bool {
        let barrier = self.meets(phase);
        if barrier {
            self.0.clear();
        }
        self.join(phase);
        barrier
    }

    /// The families by which an array is touched.
    pub(super) fn reaches(&self, array: ScratchId) -> BTreeSet<Reach> {
        let touch = self.0.get(&array);
        touch
            .map(|t| t.read.union(&t.write).copied().collect())
            .unwrap_or_default()
    }
}

/// What a phase does to scratch.
pub(super) fn accesses(region: &SourceRegion) -> Accesses {
    let mut found = Accesses::default();
    gather(region, &mut found);
    found
}

fn gather(region: &SourceRegion, found: &mut Accesses) {
    for inst in &region.insts {
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(Leaf::Load { place, .. }) => {
                if let Some((array, reach)) = reach(place) {
                    found.read(array, reach);
                }
            }
            Op::Leaf(Leaf::Store { place, .. }) => {
                if let Some((array, reach)) = reach(place) {
                    found.write(array, reach);
                }
            }
            Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_) | Leaf::Scatter { .. }) => {}
            Op::If { then, els, .. } => {
                gather(then, found);
                gather(els, found);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &inner.kind {
                    gather(cond, found);
                }
                gather(&inner.body, found);
            }
        }
    }
}

fn reach(place: &Place) -> Option<(ScratchId, Reach)> {
    match place {
        Place::Own { array, slot } => Some((*array, slot.into())),
        Place::Slot { array, .. } => Some((*array, Reach::Any)),
        Place::Element { .. }
        | Place::Block { .. }
        | Place::At { .. }
        | Place::GroupBlock { .. }
        | Place::GroupSlot { .. } => None,
    }
}

/// All that these nodes ever do to scratch.
pub(super) fn all(nodes: &[Node]) -> Accesses {
    let mut found = Accesses::default();
    for node in nodes {
        match node {
            Node::Inst(_) | Node::Tree(_) => {}
            Node::Phase(phase) => found.join(&accesses(&phase.region)),
            Node::Repeat(repeat) => found.join(&all(&repeat.body.nodes)),
            Node::Select { then, els, .. } => {
                found.join(&all(&then.nodes));
                found.join(&all(&els.nodes));
            }
        }
    }
    found
}

/// What is open after these nodes, with barriers where [`Accesses::enter`] puts them.
fn walk(nodes: &[Node], mut open: Accesses) -> Accesses {
    for node in nodes {
        match node {
            Node::Inst(_) | Node::Tree(_) => {}
            Node::Phase(phase) => {
                open.enter(&accesses(&phase.region));
            }
            Node::Repeat(repeat) => {
                let head = at_head(&repeat.body.nodes, &open);
                open.join(&walk(&repeat.body.nodes, head));
            }
            Node::Select { then, els, .. } => {
                let other = walk(&els.nodes, open.clone());
                open = walk(&then.nodes, open);
                open.join(&other);
            }
        }
    }
    open
}

/// What may be open at the head of a loop of these nodes that is entered with `open`.
pub(super) fn at_head(body: &[Node], open: &Accesses) -> Accesses {
    let mut head = open.clone();
    loop {
        let mut wider = head.clone();
        wider.join(&walk(body, head.clone()));
        if wider == head {
            return head;
        }
        head = wider;
    }
}
