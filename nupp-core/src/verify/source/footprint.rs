//! What a workgroup kernel's scratch takes: bytes of registers a lane for arrays that only their
//! owners touch, bytes of workgroup memory for all others and for scans.
//!
//! The sums depend on the source alone, so no level of optimisation changes what is accepted.

use super::ensure;
use super::ownership::{FamilyKind, family_kind};
use crate::ir::entity::ScratchId;
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{
    Body, Elem, Groups, Kernel, Leaf, Node, SourceInst, SourceRegion, TreeKind,
};
use crate::ir::place::Place;
use crate::limits::{MAX_REGISTER_BYTES, MAX_SCRATCH_BYTES};
use crate::verify::VerifyError;

/// What scratch takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Workgroup memory, in bytes a group: arrays that lanes share, and for each element type a
    /// second array for the largest scan that has none of the author's.
    pub scratch_bytes: u64,
    /// Arrays that may live in registers, in bytes a lane.
    pub register_bytes: u64,
    /// For each scratch array, whether it may live in registers.
    pub private: Vec<bool>,
}

/// The footprint of a kernel; nothing for a map. Every number in the kernel must be in its table.
pub fn footprint(kernel: &Kernel) -> Footprint {
    match &kernel.body {
        Body::Map { .. } => Footprint::default(),
        Body::Groups(groups) => measure(kernel, groups),
    }
}

pub fn check(kernel: &Kernel) -> Result<(), VerifyError> {
    let sums = footprint(kernel);
    ensure!(
        sums.scratch_bytes <= u64::from(MAX_SCRATCH_BYTES),
        "footprint",
        "{} bytes of scratch a group",
        sums.scratch_bytes
    );
    ensure!(
        sums.register_bytes <= u64::from(MAX_REGISTER_BYTES),
        "footprint",
        "{} bytes of scratch a lane",
        sums.register_bytes
    );
    Ok(())
}

/// How an array is touched in the whole kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Never,
    Family(FamilyKind),
    Shared,
}

fn measure(kernel: &Kernel, groups: &Groups) -> Footprint {
    let mut uses = Uses {
        of: vec![Use::Never; groups.scratch.len()],
        scans: Vec::new(),
        groups,
    };
    uses.nodes(&groups.nodes);
    let mut sums = Footprint {
        scratch_bytes: uses.scans.iter().map(|(_, bytes)| bytes).sum(),
        ..Footprint::default()
    };
    for (decl, used) in groups.scratch.iter().zip(&uses.of) {
        let slot = 4 * u64::from(kernel.elem_words(decl.elem));
        let count = u64::from(decl.count);
        let mine = match used {
            Use::Never => Some(0),
            Use::Shared => None,
            Use::Family(FamilyKind::Strided) => Some(count.div_ceil(u64::from(groups.size))),
            Use::Family(FamilyKind::Blocked(stride)) => Some(count.min(u64::from(*stride))),
        };
        match mine {
            Some(slots) => sums.register_bytes += slots * slot,
            None => sums.scratch_bytes += count * slot,
        }
        sums.private.push(mine.is_some());
    }
    sums
}

struct Uses<'a> {
    of: Vec<Use>,
    /// Bytes of the largest scan of each element type.
    scans: Vec<(Elem, u64)>,
    groups: &'a Groups,
}

impl Uses<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(_) => {}
                Node::Phase(phase) => self.region(&phase.region),
                Node::Tree(tree) => {
                    self.of[tree.array.index()] = Use::Shared;
                    match tree.kind {
                        TreeKind::Reduce => {}
                        TreeKind::InclusiveScan {
                            temporary: Some(other),
                        } => self.of[other.index()] = Use::Shared,
                        TreeKind::InclusiveScan { temporary: None } | TreeKind::ExclusiveScan => {
                            self.scan(tree.array);
                        }
                    }
                }
                Node::Repeat(repeat) => self.nodes(&repeat.body.nodes),
                Node::Select { then, els, .. } => {
                    self.nodes(&then.nodes);
                    self.nodes(&els.nodes);
                }
            }
        }
    }

    /// A scan that needs an array of the compiler's own.
    fn scan(&mut self, array: ScratchId) {
        let decl = &self.groups.scratch[array.index()];
        let own = 4 * u64::from(decl.count);
        match self.scans.iter_mut().find(|(elem, _)| *elem == decl.elem) {
            Some((_, bytes)) => *bytes = own.max(*bytes),
            None => self.scans.push((decl.elem, own)),
        }
    }

    fn region(&mut self, region: &SourceRegion) {
        region.insts.iter().for_each(|inst| self.instruction(inst));
    }

    fn instruction(&mut self, inst: &SourceInst) {
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(Leaf::Load { place, .. } | Leaf::Store { place, .. }) => self.place(place),
            Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_) | Leaf::Scatter { .. }) => {}
            Op::If { then, els, .. } => {
                self.region(then);
                self.region(els);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &inner.kind {
                    self.region(cond);
                }
                self.region(&inner.body);
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match *place {
            Place::Own { array, slot } => {
                let used = &mut self.of[array.index()];
                let family = Use::Family(family_kind(slot));
                if *used == Use::Never {
                    *used = family;
                } else if *used != family {
                    *used = Use::Shared;
                }
            }
            Place::Slot { array, .. } => self.of[array.index()] = Use::Shared,
            Place::Element { .. }
            | Place::Block { .. }
            | Place::At { .. }
            | Place::GroupBlock { .. }
            | Place::GroupSlot { .. } => {}
        }
    }
}
