//! Where barriers go: before a phase that meets, in some array, what another lane has done to it
//! since the last one.
//!
//! A phase's accesses to an array are its own slots of a family, or any slots. Two of them meet
//! unless both only read, or both are of one family, so that each slot is one lane's, or both are one
//! lane's alone, as after a reduction whose result only the lane that wrote it reads. The same
//! walk serves to decide and to foresee: a loop's head is met by what came before the loop and by
//! what the body leaves, and that is found by walking the body until nothing is added.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::entity::{ScratchId, Value};
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{Groups, Leaf, Node, Phase, SourceRegion};
use crate::ir::op::ScalarOp;
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

/// Which slots, and the one lane that touches them where no other may.
type By = (Reach, Option<u32>);

/// How one array is touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Touch {
    read: BTreeSet<By>,
    write: BTreeSet<By>,
}

fn meet(one: &BTreeSet<By>, other: &BTreeSet<By>) -> bool {
    let apart = |a: &By, b: &By| {
        let one_lane = a.1.is_some() && a.1 == b.1;
        one_lane || (a.0 == b.0 && a.0 != Reach::Any)
    };
    one.iter().any(|a| other.iter().any(|b| !apart(a, b)))
}

/// Accesses of all arrays since the last barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Accesses(BTreeMap<ScratchId, Touch>);

impl Accesses {
    fn read(&mut self, array: ScratchId, reach: Reach, lane: Option<u32>) {
        self.0.entry(array).or_default().read.insert((reach, lane));
    }

    /// A write of these slots, by one lane or by all.
    pub(super) fn write(&mut self, array: ScratchId, reach: Reach, lane: Option<u32>) {
        self.0.entry(array).or_default().write.insert((reach, lane));
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
            .map(|t| t.read.union(&t.write).map(|by| by.0).collect())
            .unwrap_or_default()
    }
}

/// The lane that is alone in a group of this size.
pub(super) fn alone(size: u32) -> Option<u32> {
    (size == 1).then_some(0)
}

/// What is known of lanes outside all phases.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    size: u32,
    /// The controller's constants, which phases see.
    constants: BTreeMap<Value, u32>,
}

impl Known {
    pub(super) fn of(groups: &Groups) -> Known {
        let mut known = Known {
            size: groups.size,
            constants: BTreeMap::new(),
        };
        known.nodes(&groups.nodes);
        known
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => {
                    if let Op::Const(c) = &inst.op {
                        let known = inst.results.iter().map(|&value| (value, c.bits));
                        self.constants.extend(known);
                    }
                }
                Node::Phase(_) | Node::Tree(_) => {}
                Node::Repeat(repeat) => self.nodes(&repeat.body.nodes),
                Node::Select { then, els, .. } => {
                    self.nodes(&then.nodes);
                    self.nodes(&els.nodes);
                }
            }
        }
    }
}

/// What a phase does to scratch.
pub(super) fn accesses(phase: &Phase, known: &Known) -> Accesses {
    let mut gather = Gather {
        local: phase.local,
        known,
        constants: BTreeMap::new(),
        chosen: BTreeMap::new(),
        found: Accesses::default(),
    };
    gather.region(&phase.region, alone(known.size));
    gather.found
}

/// Collects a phase's accesses, with what its conditions say of the lane.
struct Gather<'a> {
    local: Value,
    known: &'a Known,
    constants: BTreeMap<Value, u32>,
    /// The conditions that hold in one lane at most, and which.
    chosen: BTreeMap<Value, u32>,
    found: Accesses,
}

impl Gather<'_> {
    /// Takes in a region that only `lane` comes to, or any lane.
    fn region(&mut self, region: &SourceRegion, lane: Option<u32>) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(c) => {
                    let known = inst.results.iter().map(|&value| (value, c.bits));
                    self.constants.extend(known);
                }
                Op::Scalar(op, args) => {
                    if let Some(lane) = self.choice(*op, args) {
                        let chosen = inst.results.iter().map(|&value| (value, lane));
                        self.chosen.extend(chosen);
                    }
                }
                Op::Leaf(Leaf::Load { place, .. }) => {
                    if let Some((array, reach)) = reach(place) {
                        self.found.read(array, reach, lane);
                    }
                }
                Op::Leaf(Leaf::Store { place, .. }) => {
                    if let Some((array, reach)) = reach(place) {
                        self.found.write(array, reach, lane);
                    }
                }
                Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_) | Leaf::Scatter { .. }) => {}
                Op::If { cond, then, els } => {
                    self.region(then, lane.or(self.chosen.get(cond).copied()));
                    self.region(els, lane);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.region(cond, lane);
                    }
                    self.region(&inner.body, lane);
                }
            }
        }
    }

    /// The one lane in which a condition may hold, where it is of the forms that the verifier of
    /// Device IR narrows lanes by.
    fn choice(&self, op: ScalarOp, args: &[Value]) -> Option<u32> {
        let &[a, b] = args else { return None };
        let constant = |value| {
            let mine = self.constants.get(&value);
            mine.or(self.known.constants.get(&value)).copied()
        };
        if op == ScalarOp::U32Eq && a == self.local {
            constant(b)
        } else if op == ScalarOp::U32Eq && b == self.local {
            constant(a)
        } else if op == ScalarOp::U32Lt && a == self.local {
            alone(constant(b)?)
        } else if op == ScalarOp::BoolAnd {
            let chosen = self.chosen.get(&a).or(self.chosen.get(&b));
            chosen.copied()
        } else {
            None
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
pub(super) fn all(nodes: &[Node], known: &Known) -> Accesses {
    let mut found = Accesses::default();
    for node in nodes {
        match node {
            Node::Inst(_) | Node::Tree(_) => {}
            Node::Phase(phase) => found.join(&accesses(phase, known)),
            Node::Repeat(repeat) => found.join(&all(&repeat.body.nodes, known)),
            Node::Select { then, els, .. } => {
                found.join(&all(&then.nodes, known));
                found.join(&all(&els.nodes, known));
            }
        }
    }
    found
}

/// What is open after these nodes, with barriers where [`Accesses::enter`] puts them.
fn walk(nodes: &[Node], known: &Known, mut open: Accesses) -> Accesses {
    for node in nodes {
        match node {
            Node::Inst(_) | Node::Tree(_) => {}
            Node::Phase(phase) => {
                open.enter(&accesses(phase, known));
            }
            Node::Repeat(repeat) => {
                let head = at_head(&repeat.body.nodes, known, &open);
                open.join(&walk(&repeat.body.nodes, known, head));
            }
            Node::Select { then, els, .. } => {
                let other = walk(&els.nodes, known, open.clone());
                open = walk(&then.nodes, known, open);
                open.join(&other);
            }
        }
    }
    open
}

/// What may be open at the head of a loop of these nodes that is entered with `open`.
pub(super) fn at_head(body: &[Node], known: &Known, open: &Accesses) -> Accesses {
    let mut head = open.clone();
    loop {
        let mut wider = head.clone();
        wider.join(&walk(body, known, head.clone()));
        if wider == head {
            return head;
        }
        head = wider;
    }
}
