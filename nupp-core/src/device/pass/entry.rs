//! What a module's body defines before everything else, and additions to it.
//!
//! A pass that needs a constant or a word of the uniform block takes the one that is there, or has
//! it defined at the very start, from where it is visible everywhere. `finish` puts the additions
//! in; until then they are not part of the body.

use std::collections::HashMap;

use crate::artifact::UniformLayout;
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::ir::entity::{Scalar, Scope, Value};
use crate::ir::flow::{Const, Inst, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;
use crate::ir::value_map::ValueMap;

/// A body's constants, and what is to be put before it.
pub(super) struct Entry {
    known: ValueMap<Const>,
    constants: HashMap<(Scalar, u32), Value>,
    words: HashMap<u32, Value>,
    added: Vec<Inst<DeviceLeaf>>,
}

/// A new value of this type; scopes are assigned when the module is whole.
pub(super) fn fresh(values: &mut Vec<ValueInfo>, ty: Scalar) -> Value {
    let scope = Scope::Lane;
    values.push(ValueInfo { ty, scope });
    Value(values.len() as u32 - 1)
}

impl Entry {
    pub(super) fn of(body: &DeviceRegion) -> Entry {
        let mut entry = Entry {
            known: ValueMap::default(),
            constants: HashMap::new(),
            words: HashMap::new(),
            added: Vec::new(),
        };
        entry.learn(body);
        // What comes first is visible everywhere after it, and passes change nothing before it.
        for inst in &body.insts {
            match (&inst.op, inst.results.as_slice()) {
                (Op::Const(c), &[value]) => {
                    entry.constants.entry((c.ty, c.bits)).or_insert(value);
                }
                (Op::Leaf(DeviceLeaf::UniformWord(word)), &[value]) => {
                    entry.words.entry(*word).or_insert(value);
                }
                (Op::Scalar(..), _) => {}
                _ => break,
            }
        }
        entry
    }

    fn learn(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(c) => {
                    let defined = inst.results.iter().map(|&value| (value, *c));
                    self.known.extend(defined);
                }
                Op::Scalar(..) | Op::Leaf(_) => {}
                Op::If { then, els, .. } => {
                    self.learn(then);
                    self.learn(els);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.learn(cond);
                    }
                    self.learn(&inner.body);
                }
            }
        }
    }

    /// The constant that a value is.
    pub(super) fn known(&self, value: Value) -> Option<Const> {
        self.known.get(&value).copied()
    }

    /// A constant as a value.
    pub(super) fn constant(&mut self, values: &mut Vec<ValueInfo>, c: Const) -> Value {
        if let Some(&value) = self.constants.get(&(c.ty, c.bits)) {
            return value;
        }
        let value = fresh(values, c.ty);
        self.add(value, Op::Const(c));
        self.constants.insert((c.ty, c.bits), value);
        self.known.insert(value, c);
        value
    }

    /// A word of the uniform block as a value.
    pub(super) fn word(&mut self, values: &mut Vec<ValueInfo>, word: u32) -> Value {
        if let Some(&value) = self.words.get(&word) {
            return value;
        }
        let value = fresh(values, Scalar::U32);
        self.add(value, Op::Leaf(DeviceLeaf::UniformWord(word)));
        self.words.insert(word, value);
        value
    }

    /// What a choice hands on second: where it would be between two constants, which drivers in
    /// use miscompile, the second one unknown to the compiler.
    pub(super) fn second(
        &mut self,
        values: &mut Vec<ValueInfo>,
        [first, second]: [Value; 2],
        insts: &mut Vec<Inst<DeviceLeaf>>,
    ) -> Value {
        let (Some(_), Some(c)) = (self.known(first), self.known(second)) else {
            return second;
        };
        if c.ty == Scalar::Bool || first == second {
            return second;
        }
        let bits = Const {
            ty: Scalar::U32,
            ..c
        };
        let bits = self.constant(values, bits);
        let q = self.word(values, UniformLayout::Q);
        let mut push = |op: ScalarOp, args: Vec<Value>| {
            let value = fresh(values, op.result());
            insts.push(Inst {
                results: vec![value],
                op: Op::Scalar(op, args),
            });
            value
        };
        let hidden = push(ScalarOp::U32Xor, vec![bits, q]);
        match c.ty {
            Scalar::I32 => push(ScalarOp::I32FromU32, vec![hidden]),
            Scalar::F32 => push(ScalarOp::F32FromBits, vec![hidden]),
            Scalar::U32 | Scalar::Bool => hidden,
        }
    }

    fn add(&mut self, value: Value, op: Op<DeviceLeaf>) {
        self.added.push(Inst {
            results: vec![value],
            op,
        });
    }

    /// Puts the additions before everything else.
    pub(super) fn finish(self, body: &mut DeviceRegion) {
        body.insts.splice(0..0, self.added);
    }
}
