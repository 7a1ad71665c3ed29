//! Where scratch arrays live on the device, and what they start as.
//!
//! An array that only owners ever touch becomes a private array of the lane, indexed by the part of
//! the slot that is the lane's own: `k` of `local + k * size`, `j` of `local * stride + j`. All
//! others are workgroup arrays. A struct's fields are an array each. Slots of workgroup arrays are
//! filled by lanes that own them where all accesses agree on an owner, so that no barrier follows.

use std::collections::BTreeSet;

use super::Lowering;
use super::barriers::{self, Accesses, Reach};
use crate::device::ir::{ArrayDecl, DeviceLeaf, DeviceRegion};
use crate::ir::entity::{Scalar, ScratchId, Value};
use crate::ir::flow::{Const, LoopKind};
use crate::ir::kernel::{Groups, ScratchDecl};

/// What is decided of scratch before a kernel is lowered.
#[derive(Clone, Debug, Default)]
pub(super) struct ScratchPlan {
    /// For each authored array, whether it may be private.
    pub private: Vec<bool>,
    /// The workgroup arrays that are filled with their initial value.
    pub filled: BTreeSet<ScratchId>,
}

/// Where a scratch array lives, by the device array of its first field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Nobody touches it.
    Nowhere,
    /// In workgroup memory.
    Workgroup(u32),
    /// In the lane.
    Private(u32),
}

/// How a slot is named where its array lives.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// A workgroup array's element.
    Workgroup(u32, Value),
    /// A private array's element.
    Private(u32, Value),
}

impl Cell {
    pub(super) fn load(self) -> DeviceLeaf {
        match self {
            Cell::Workgroup(array, index) => DeviceLeaf::SharedLoad { array, index },
            Cell::Private(array, index) => DeviceLeaf::PrivateLoad { array, index },
        }
    }

    pub(super) fn store(self, value: Value) -> DeviceLeaf {
        match self {
            Cell::Workgroup(array, index) => DeviceLeaf::SharedStore {
                array,
                index,
                value,
            },
            Cell::Private(array, index) => DeviceLeaf::PrivateStore {
                array,
                index,
                value,
            },
        }
    }
}

/// A float is the uint32 of its bits.
fn device_type(ty: Scalar) -> Scalar {
    if ty == Scalar::I32 {
        Scalar::I32
    } else {
        Scalar::U32
    }
}

impl Lowering<'_> {
    /// Gives every array its home; fills those that need it and says what that did.
    pub(super) fn scratch_arrays(&mut self, groups: &Groups, local: Value) -> Accesses {
        let all = barriers::all(&groups.nodes, &self.known);
        let mut filled = Accesses::default();
        for (n, decl) in groups.scratch.iter().enumerate() {
            let array = ScratchId(n as u32);
            match self.declare(groups.size, decl, array, &all) {
                Home::Nowhere => {}
                Home::Private(first) => {
                    let len = self.private[first as usize].len;
                    let start = self.uint(0);
                    self.fill_turns(array, decl, start, len, 1);
                }
                Home::Workgroup(_) if !self.plan.filled.contains(&array) => {}
                Home::Workgroup(_) => {
                    let reach = fill_reach(groups.size, decl, &all, array);
                    filled.write(array, reach, barriers::alone(groups.size));
                    self.fill(decl, array, local, groups.size, reach);
                }
            }
        }
        filled
    }

    fn declare(&mut self, size: u32, decl: &ScratchDecl, array: ScratchId, all: &Accesses) -> Home {
        let reaches = all.reaches(array);
        let may = self.plan.private.get(array.index()) == Some(&true);
        let own = match (reaches.first(), reaches.len()) {
            (Some(Reach::Strided), 1) if may => Some(decl.count.div_ceil(size)),
            (Some(&Reach::Blocked(stride)), 1) if may => Some(stride.min(decl.count)),
            _ => None,
        };
        let home = match own {
            _ if reaches.is_empty() => Home::Nowhere,
            Some(len) => {
                let first = self.private.len() as u32;
                let arrays = self.arrays(decl, len);
                self.private.extend(arrays);
                Home::Private(first)
            }
            None => {
                let first = self.workgroup.len() as u32;
                let arrays = self.arrays(decl, decl.count);
                self.workgroup.extend(arrays);
                Home::Workgroup(first)
            }
        };
        self.homes.push(home);
        home
    }

    fn arrays(&self, decl: &ScratchDecl, len: u32) -> Vec<ArrayDecl> {
        let fields = self.kernel.elem_fields(decl.elem);
        let many = fields.len() > 1;
        let named = |n: usize| match many {
            true => format!("{}_{n}", decl.name),
            false => decl.name.clone(),
        };
        let arrays = fields.into_iter().enumerate();
        arrays
            .map(|(n, ty)| ArrayDecl {
                name: named(n),
                ty: device_type(ty),
                len,
            })
            .collect()
    }

    /// A field of a slot; `index` is that of the array's home.
    pub(super) fn cell(&self, array: ScratchId, field: u32, index: Value) -> Cell {
        match self.homes.get(array.index()) {
            Some(Home::Private(first)) => Cell::Private(first + field, index),
            Some(Home::Workgroup(first)) => Cell::Workgroup(first + field, index),
            // Nobody asks for a slot of an array that nobody touches.
            Some(Home::Nowhere) | None => Cell::Workgroup(field, index),
        }
    }

    fn fill(
        &mut self,
        decl: &ScratchDecl,
        array: ScratchId,
        local: Value,
        size: u32,
        reach: Reach,
    ) {
        match reach {
            Reach::Blocked(stride) => {
                let base = self.u(local);
                let base = self.scaled(base, stride).v;
                self.fill_turns(array, decl, base, stride, 1);
            }
            Reach::Strided | Reach::Any => self.fill_strided(array, decl, local, size),
        }
    }

    fn fill_strided(&mut self, array: ScratchId, decl: &ScratchDecl, local: Value, size: u32) {
        let (turns, rest) = (decl.count / size, decl.count % size);
        self.fill_turns(array, decl, local, turns, size);
        if rest > 0 {
            let (limit, past) = (self.uint(rest), self.uint(turns * size));
            let inside = self.u(local).lt(self.u(limit));
            self.ctx.borrow_mut().open();
            let slot = if turns == 0 {
                local
            } else {
                (self.u(local) + self.u(past)).v
            };
            self.fill_slot(array, &decl.initial, slot);
            let then = self.ctx.borrow_mut().close(Vec::new());
            self.ctx
                .borrow_mut()
                .if_(inside.v, then, DeviceRegion::default());
        }
    }

    /// Fills `base + k * step` for each k below `turns`.
    fn fill_turns(
        &mut self,
        array: ScratchId,
        decl: &ScratchDecl,
        base: Value,
        turns: u32,
        step: u32,
    ) {
        if turns == 1 {
            self.fill_slot(array, &decl.initial, base);
        } else if turns > 1 {
            let (lo, hi) = (self.uint(0), self.uint(turns - 1));
            let k = self.ctx.borrow_mut().counted_var(lo, hi);
            self.ctx.borrow_mut().open();
            let skipped = self.scaled(self.u(k), step);
            self.fill_slot(array, &decl.initial, (self.u(base) + skipped).v);
            let mut builder = self.ctx.borrow_mut();
            let body = builder.close(Vec::new());
            let kind = LoopKind::Counted { var: k, lo, hi };
            builder.loop_(kind, Vec::new(), Vec::new(), body, false);
        }
    }

    fn fill_slot(&mut self, array: ScratchId, initial: &[Const], index: Value) {
        for (field, c) in initial.iter().enumerate() {
            let value = self.constant(device_type(c.ty), c.bits);
            let cell = self.cell(array, field as u32, index);
            self.ctx.borrow_mut().effect(cell.store(value));
        }
    }
}

/// By which lanes an array is filled: its owners, where it is only ever touched by them.
fn fill_reach(size: u32, decl: &ScratchDecl, all: &Accesses, array: ScratchId) -> Reach {
    let reaches = all.reaches(array);
    match reaches.first() {
        Some(&Reach::Blocked(stride)) if reaches.len() == 1 && stride * size == decl.count => {
            Reach::Blocked(stride)
        }
        _ => Reach::Strided,
    }
}
