//! Replaces accesses of slots by the values that are in them.

use super::Slots;
use super::live::{Joins, joins};
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::device::pass::entry::{Entry, fresh};
use crate::ir::entity::Value;
use crate::ir::flow::{Const, Inst, Loop, LoopKind, Op, ValueInfo};
use crate::ir::value_map::ValueMap;

/// Rewrites the body; afterwards no access of these slots is left.
pub(super) fn replace(module: &mut Module, slots: &Slots) {
    let joins = joins(slots, &module.body);
    let mut replace = Replace {
        slots,
        entry: Entry::of(&module.body),
        values: &mut module.values,
        names: ValueMap::default(),
        now: vec![None; slots.types.len()],
    };
    replace.region(&mut module.body, joins);
    replace.entry.finish(&mut module.body);
}

struct Replace<'a> {
    slots: &'a Slots,
    entry: Entry,
    values: &'a mut Vec<ValueInfo>,
    /// What was loaded from a slot, by the value that was in it.
    names: ValueMap<Value>,
    /// What is in each slot.
    now: Vec<Option<Value>>,
}

impl Replace<'_> {
    fn rename(&self, values: &mut [Value]) {
        for value in values {
            if let Some(&name) = self.names.get(value) {
                *value = name;
            }
        }
    }

    /// What is in a slot. One that was never written holds what an array would: nothing known.
    fn now(&mut self, slot: u32) -> Value {
        if let Some(value) = self.now[slot as usize] {
            return value;
        }
        let ty = self.slots.types[slot as usize];
        let value = self.entry.constant(self.values, Const { ty, bits: 0 });
        self.now[slot as usize] = Some(value);
        value
    }

    fn all_now(&mut self, slots: &[u32]) -> Vec<Value> {
        slots.iter().map(|&slot| self.now(slot)).collect()
    }

    /// New values for slots, which hold them from here on.
    fn fresh(&mut self, slots: &[u32]) -> Vec<Value> {
        let mut made = Vec::with_capacity(slots.len());
        for &slot in slots {
            let value = fresh(self.values, self.slots.types[slot as usize]);
            self.now[slot as usize] = Some(value);
            made.push(value);
        }
        made
    }

    fn region(&mut self, region: &mut DeviceRegion, joins: Vec<Joins>) {
        let mut joins = joins.into_iter();
        let insts = std::mem::take(&mut region.insts);
        for mut inst in insts {
            if self.keeps(&mut inst, &mut joins) {
                region.insts.push(inst);
            }
        }
        self.rename(&mut region.yields);
    }

    /// Rewrites an instruction; says whether it is still there.
    fn keeps(
        &mut self,
        inst: &mut Inst<DeviceLeaf>,
        joins: &mut impl Iterator<Item = Joins>,
    ) -> bool {
        match &mut inst.op {
            Op::Const(_) => {}
            Op::Scalar(_, args) => self.rename(args),
            Op::Leaf(leaf) => {
                for operand in leaf.operands_mut() {
                    self.rename(std::slice::from_mut(operand));
                }
                return !self.access(leaf, &inst.results);
            }
            Op::If { cond, then, els } => {
                self.rename(std::slice::from_mut(cond));
                if let Some(joins) = joins.next() {
                    inst.results.extend(self.branch(then, els, joins));
                }
            }
            Op::Loop(inner) => {
                if let Some(joins) = joins.next() {
                    inst.results.extend(self.turns(inner, joins));
                }
            }
        }
        true
    }

    /// Whether a leaf was an access of a slot.
    fn access(&mut self, leaf: &DeviceLeaf, results: &[Value]) -> bool {
        let Some(slot) = self.slots.slot(leaf) else {
            return false;
        };
        if let DeviceLeaf::PrivateStore { value, .. } = leaf {
            self.now[slot as usize] = Some(*value);
        } else {
            let value = self.now(slot);
            self.names
                .extend(results.iter().map(|&result| (result, value)));
        }
        true
    }

    fn branch(
        &mut self,
        then: &mut DeviceRegion,
        els: &mut DeviceRegion,
        Joins { slots, inner }: Joins,
    ) -> Vec<Value> {
        let before = self.now.clone();
        let [in_then, in_els] = inner;
        self.region(then, in_then);
        let yes = self.all_now(&slots);
        self.now.clone_from(&before);
        self.region(els, in_els);
        for (slot, &yes) in slots.iter().zip(&yes) {
            let no = self.now(*slot);
            let no = self.entry.second(self.values, [yes, no], &mut els.insts);
            els.yields.push(no);
        }
        then.yields.extend(yes);
        // Of what is not handed on, nobody reads what either side wrote.
        self.now = before;
        self.fresh(&slots)
    }

    fn turns(&mut self, inner: &mut Loop<DeviceLeaf>, joins: Joins) -> Vec<Value> {
        self.rename(&mut inner.init);
        let Joins {
            slots,
            inner: [in_cond, in_body],
        } = joins;
        let init = self.all_now(&slots);
        inner.init.extend(init);
        let before = self.now.clone();
        let params = self.fresh(&slots);
        inner.params.extend(params);
        match &mut inner.kind {
            LoopKind::Counted { lo, hi, .. } => {
                self.rename(std::slice::from_mut(lo));
                self.rename(std::slice::from_mut(hi));
            }
            LoopKind::While { cond, .. } => self.region(cond, in_cond),
        }
        self.region(&mut inner.body, in_body);
        let last = self.all_now(&slots);
        inner.body.yields.extend(last);
        self.now = before;
        self.fresh(&slots)
    }
}
