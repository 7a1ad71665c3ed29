//! Computes once what is computed again where it is visible, and keeps operands apart.
//!
//! Unrolled turns repeat addresses, loads and hidden operands; compilers of drivers find that out
//! only in time that grows faster than the code. A read of workgroup memory is the same as an
//! earlier one while no lane can have written between: up to the next store to the array, the next
//! barrier, the next turn. Where values turn out to be the same, a float operation may have one of
//! them twice, and would be rewritten by a compiler that sees it (`x - x`, `x < x`): the second
//! passes through the other unknown word then, as in the lowering.

use std::collections::HashMap;

use super::entry::{Entry, fresh};
use crate::artifact::UniformLayout;
use crate::device::ir::{Builtin, DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Const, Inst, Loop, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;
use crate::ir::value_map::ValueMap;

/// Rewrites the body of a module.
pub fn share_values(module: &mut Module) {
    let written = module.buffers.iter().map(|decl| decl.write).collect();
    let mut share = Share {
        entry: Entry::of(&module.body),
        values: &mut module.values,
        written,
        epochs: vec![0; module.workgroup.len()],
        last_epoch: 0,
        names: ValueMap::default(),
        made: HashMap::new(),
        log: Vec::new(),
        defs: ValueMap::default(),
    };
    share.region(&mut module.body);
    share.entry.finish(&mut module.body);
}

/// What decides that two values are the same.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Const(Const),
    Scalar(ScalarOp, Vec<Value>),
    Builtin(u8),
    Word(u32),
    Buffer(u32, Value),
    /// Array, index, and the state of the array.
    Shared(u32, Value, u32),
    Call(FuncId, Vec<Value>),
}

struct Share<'a> {
    entry: Entry,
    values: &'a mut Vec<ValueInfo>,
    /// Which buffers the module writes.
    written: Vec<bool>,
    /// The state of each workgroup array; it changes wherever the contents may.
    epochs: Vec<u32>,
    last_epoch: u32,
    names: ValueMap<Value>,
    /// What is visible here.
    made: HashMap<Key, Value>,
    log: Vec<Key>,
    defs: ValueMap<(ScalarOp, Vec<Value>)>,
}

impl Share<'_> {
    fn rename(&self, values: &mut [Value]) {
        for value in values {
            if let Some(&name) = self.names.get(value) {
                *value = name;
            }
        }
    }

    fn region(&mut self, region: &mut DeviceRegion) {
        let mark = self.log.len();
        self.insts(&mut region.insts);
        self.rename(&mut region.yields);
        self.forget(mark);
    }

    fn forget(&mut self, mark: usize) {
        for key in self.log.drain(mark..) {
            self.made.remove(&key);
        }
    }

    fn insts(&mut self, insts: &mut Vec<Inst<DeviceLeaf>>) {
        let before = std::mem::take(insts);
        for mut inst in before {
            self.inst(&mut inst);
            if let Op::Scalar(op, args) = &mut inst.op {
                self.keep_apart(*op, args, insts);
            }
            let (Some(key), &[result]) = (self.key(&inst.op), inst.results.as_slice()) else {
                insts.push(inst);
                continue;
            };
            if let Some(&same) = self.made.get(&key) {
                self.names.insert(result, same);
                continue;
            }
            self.remember(key, result);
            insts.push(inst);
        }
    }

    fn remember(&mut self, key: Key, result: Value) {
        if let Key::Scalar(op, args) = &key {
            self.defs.insert(result, (*op, args.clone()));
        }
        self.made.insert(key.clone(), result);
        self.log.push(key);
    }

    fn inst(&mut self, inst: &mut Inst<DeviceLeaf>) {
        match &mut inst.op {
            Op::Const(_) => {}
            Op::Scalar(_, args) => self.rename(args),
            Op::Leaf(leaf) => {
                for operand in leaf.operands_mut() {
                    self.rename(std::slice::from_mut(operand));
                }
                self.effect(leaf);
            }
            Op::If { cond, then, els } => {
                self.rename(std::slice::from_mut(cond));
                self.region(then);
                self.region(els);
            }
            Op::Loop(inner) => self.turns(inner),
        }
    }

    fn turns(&mut self, inner: &mut Loop<DeviceLeaf>) {
        self.rename(&mut inner.init);
        // A turn starts with what the one before has left.
        self.effects(&inner.body);
        let mark = self.log.len();
        match &mut inner.kind {
            LoopKind::Counted { lo, hi, .. } => {
                self.rename(std::slice::from_mut(lo));
                self.rename(std::slice::from_mut(hi));
            }
            LoopKind::While { cond, .. } => {
                // What the condition defines stays visible in the body.
                self.insts(&mut cond.insts);
                self.rename(&mut cond.yields);
            }
        }
        self.region(&mut inner.body);
        self.forget(mark);
    }

    fn effects(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(_) | Op::Scalar(..) => {}
                Op::Leaf(leaf) => self.effect(leaf),
                Op::If { then, els, .. } => {
                    self.effects(then);
                    self.effects(els);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.effects(cond);
                    }
                    self.effects(&inner.body);
                }
            }
        }
    }

    fn effect(&mut self, leaf: &DeviceLeaf) {
        self.last_epoch += 1;
        match leaf {
            DeviceLeaf::SharedStore { array, .. } => {
                if let Some(epoch) = self.epochs.get_mut(*array as usize) {
                    *epoch = self.last_epoch;
                }
            }
            DeviceLeaf::Barrier => self.epochs.fill(self.last_epoch),
            DeviceLeaf::Builtin(_)
            | DeviceLeaf::UniformWord(_)
            | DeviceLeaf::BufferLoad { .. }
            | DeviceLeaf::BufferStore { .. }
            | DeviceLeaf::BufferMax { .. }
            | DeviceLeaf::SharedLoad { .. }
            | DeviceLeaf::PrivateLoad { .. }
            | DeviceLeaf::PrivateStore { .. }
            | DeviceLeaf::Call { .. } => {}
        }
    }

    fn key(&self, op: &Op<DeviceLeaf>) -> Option<Key> {
        match op {
            Op::Const(c) => Some(Key::Const(*c)),
            Op::Scalar(op, args) => Some(Key::Scalar(*op, args.clone())),
            Op::Leaf(leaf) => self.leaf_key(leaf),
            Op::If { .. } | Op::Loop(_) => None,
        }
    }

    fn leaf_key(&self, leaf: &DeviceLeaf) -> Option<Key> {
        match leaf {
            DeviceLeaf::Builtin(Builtin::WorkgroupX) => Some(Key::Builtin(0)),
            DeviceLeaf::Builtin(Builtin::WorkgroupY) => Some(Key::Builtin(1)),
            DeviceLeaf::Builtin(Builtin::LocalIndex) => Some(Key::Builtin(2)),
            DeviceLeaf::UniformWord(word) => Some(Key::Word(*word)),
            DeviceLeaf::BufferLoad { buffer, index } => {
                let fixed = self.written.get(*buffer as usize) == Some(&false);
                fixed.then_some(Key::Buffer(*buffer, *index))
            }
            DeviceLeaf::SharedLoad { array, index } => {
                let epoch = self.epochs.get(*array as usize)?;
                Some(Key::Shared(*array, *index, *epoch))
            }
            DeviceLeaf::Call { func, args } => Some(Key::Call(*func, args.clone())),
            DeviceLeaf::BufferStore { .. }
            | DeviceLeaf::BufferMax { .. }
            | DeviceLeaf::SharedStore { .. }
            | DeviceLeaf::PrivateLoad { .. }
            | DeviceLeaf::PrivateStore { .. }
            | DeviceLeaf::Barrier => None,
        }
    }

    /// Hides an operand of a hardware operation that repeats an earlier one.
    fn keep_apart(&mut self, op: ScalarOp, args: &mut [Value], insts: &mut Vec<Inst<DeviceLeaf>>) {
        if op.args().len() < 2 || !op.args().iter().all(|ty| *ty == Scalar::F32) {
            return;
        }
        for n in 1..args.len() {
            if args[..n].contains(&args[n]) {
                args[n] = self.hidden_again(args[n], insts);
            }
        }
    }

    /// The same float through the second unknown word.
    fn hidden_again(&mut self, float: Value, insts: &mut Vec<Inst<DeviceLeaf>>) -> Value {
        let Some((ScalarOp::F32FromBits, from)) = self.defs.get(&float) else {
            return float;
        };
        let (q, q2) = (
            self.entry.word(self.values, UniformLayout::Q),
            self.entry.word(self.values, UniformLayout::Q2),
        );
        let mut bits = from[0];
        if let Some((ScalarOp::U32Xor, args)) = self.defs.get(&bits)
            && let &[plain, word] = args.as_slice()
        {
            if word == q2 {
                return float;
            }
            if word == q {
                bits = plain;
            }
        }
        let hidden = self.make(ScalarOp::U32Xor, vec![bits, q2], insts);
        self.make(ScalarOp::F32FromBits, vec![hidden], insts)
    }

    fn make(&mut self, op: ScalarOp, args: Vec<Value>, insts: &mut Vec<Inst<DeviceLeaf>>) -> Value {
        let key = Key::Scalar(op, args.clone());
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let value = fresh(self.values, op.result());
        insts.push(Inst {
            results: vec![value],
            op: Op::Scalar(op, args),
        });
        self.remember(key, value);
        value
    }
}
