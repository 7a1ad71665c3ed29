//! Turns private arrays into values.
//!
//! Takes a module whose private arrays hold what a lane alone may touch. Loops over their slots are
//! unrolled; an array whose every index is a constant by then has its slots carried by the values
//! that are stored in them, through results of choices and parameters of loops where they meet. So
//! no driver has to find out that it needs no memory. Arrays of which some index stays unknown
//! remain arrays of the lane. `register_bytes` counts both.

use std::collections::BTreeSet;

use super::share_values::share_values;
use super::unroll_slots::unroll_slots;
use crate::device::carried::Carried;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Const, LoopKind, Op};
use crate::ir::value_map::ValueMap;

mod live;
mod replace;

/// Replaces the private arrays of a module as far as that can be; `carried` says which functions are
/// guarded operations.
pub fn promote_private(module: &mut Module, carried: &[(FuncId, Carried)]) {
    if module.private.is_empty() {
        return;
    }
    let mut kept = BTreeSet::new();
    let slots = loop {
        let (values, body) = unroll_slots(module, carried, &kept);
        let slots = Slots::of(module, &body);
        let more: BTreeSet<u32> = slots.indexed().collect();
        if more.is_subset(&kept) {
            module.values = values;
            module.body = body;
            break slots;
        }
        // What cannot be had is not unrolled for, so that others may use what that would cost.
        kept.extend(more);
    };
    replace::replace(module, &slots);
    renumber(module, &slots);
    share_values(module);
}

/// The slots that become values, numbered through all their arrays.
struct Slots {
    /// The first slot of each array; nothing where the array stays.
    first: Vec<Option<u32>>,
    /// The type of each slot.
    types: Vec<Scalar>,
    constants: ValueMap<u32>,
}

impl Slots {
    fn of(module: &Module, body: &DeviceRegion) -> Slots {
        let mut uses = Uses {
            module,
            constants: ValueMap::default(),
            stay: vec![false; module.private.len()],
        };
        uses.region(body, false);
        let (mut first, mut types) = (Vec::new(), Vec::new());
        for (decl, stays) in module.private.iter().zip(&uses.stay) {
            if *stays {
                first.push(None);
            } else {
                first.push(Some(types.len() as u32));
                types.extend((0..decl.len).map(|_| decl.ty));
            }
        }
        Slots {
            first,
            types,
            constants: uses.constants,
        }
    }

    /// The arrays that stay.
    fn indexed(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(&self.first);
        numbered.filter_map(|(n, first)| first.is_none().then_some(n))
    }

    /// The slot that an access means.
    fn slot(&self, leaf: &DeviceLeaf) -> Option<u32> {
        let (DeviceLeaf::PrivateLoad { array, index }
        | DeviceLeaf::PrivateStore { array, index, .. }) = leaf
        else {
            return None;
        };
        let first = (*self.first.get(*array as usize)?)?;
        Some(first + self.constants.get(index)?)
    }
}

/// Finds the arrays with an index that is no constant, or a store where loops have no place to
/// hand it on.
struct Uses<'a> {
    module: &'a Module,
    constants: ValueMap<u32>,
    stay: Vec<bool>,
}

impl Uses<'_> {
    fn region(&mut self, region: &DeviceRegion, in_condition: bool) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(Const { bits, .. }) => {
                    let defined = inst.results.iter().map(|&value| (value, *bits));
                    self.constants.extend(defined);
                }
                Op::Leaf(DeviceLeaf::PrivateLoad { array, index }) => {
                    self.access(*array, *index, true);
                }
                Op::Leaf(DeviceLeaf::PrivateStore { array, index, .. }) => {
                    self.access(*array, *index, !in_condition);
                }
                Op::Scalar(..) | Op::Leaf(_) => {}
                Op::If { then, els, .. } => {
                    self.region(then, in_condition);
                    self.region(els, in_condition);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.region(cond, true);
                    }
                    self.region(&inner.body, in_condition);
                }
            }
        }
    }

    fn access(&mut self, array: u32, index: Value, may: bool) {
        let Some(decl) = self.module.private.get(array as usize) else {
            return;
        };
        let inside = self.constants.get(&index).is_some_and(|&n| n < decl.len);
        if !inside || !may {
            self.stay[array as usize] = true;
        }
    }
}

/// Leaves only the arrays that stay.
fn renumber(module: &mut Module, slots: &Slots) {
    let stay: Vec<u32> = slots.indexed().collect();
    let mut position = 0;
    module.private.retain(|_| {
        position += 1;
        slots.first[position - 1].is_none()
    });
    walk(&mut module.body, &|leaf| {
        if let DeviceLeaf::PrivateLoad { array, .. } | DeviceLeaf::PrivateStore { array, .. } = leaf
        {
            *array = stay.iter().take_while(|&n| n < array).count() as u32;
        }
    });
}

fn walk(region: &mut DeviceRegion, change: &dyn Fn(&mut DeviceLeaf)) {
    for inst in &mut region.insts {
        match &mut inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(leaf) => change(leaf),
            Op::If { then, els, .. } => {
                walk(then, change);
                walk(els, change);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &mut inner.kind {
                    walk(cond, change);
                }
                walk(&mut inner.body, change);
            }
        }
    }
}
