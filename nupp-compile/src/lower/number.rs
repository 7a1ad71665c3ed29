//! Value numbering: equal computations get one value, constants are folded exactly.
//!
//! A computation is found again only where the value is visible: leaving a region forgets what was
//! made in it. Operations are pure and total, read spans never change while a kernel runs, and a
//! folded result is the operation's own meaning, so no bit depends on any of this.

use std::collections::{BTreeMap, HashMap};

use super::state::Lower;
use crate::proof::world::Root;
use nupp_core::eval::scalar::apply;
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{Scalar, SpanId, UniformId, Value};
use nupp_core::ir::kernel::Leaf;
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::Place;

/// A computation whose result depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Const(Scalar, u32),
    Scalar(ScalarOp, Vec<Value>),
    Uniform(UniformId),
    Length(SpanId),
    Element(SpanId, i64, u32),
    At(SpanId, Value, u32),
}

/// What was computed and is visible.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    seen: HashMap<Key, Value>,
    scopes: Vec<Vec<Key>>,
}

impl Numbering {
    /// Enters a region.
    pub(super) fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Leaves a region: its values are no longer visible.
    pub(super) fn close(&mut self) {
        for key in self.scopes.pop().unwrap_or_default() {
            self.seen.remove(&key);
        }
    }

    /// Regions that are open.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    fn find(&self, key: &Key) -> Option<Value> {
        self.seen.get(key).copied()
    }

    fn keep(&mut self, key: Key, value: Value) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(key.clone());
        }
        self.seen.insert(key, value);
    }
}

impl Lower<'_> {
    /// A constant.
    pub(super) fn constant(&mut self, ty: Scalar, bits: u32) -> Value {
        let key = Key::Const(ty, bits);
        if let Some(value) = self.numbers.find(&key) {
            return value;
        }
        let value = self.world.b.constant(ty, bits);
        self.numbers.keep(key, value);
        value
    }

    /// A truth value.
    pub(super) fn boolean(&mut self, truth: bool) -> Value {
        self.constant(Scalar::Bool, u32::from(truth))
    }

    /// A uint32.
    pub(super) fn u32(&mut self, n: u32) -> Value {
        self.constant(Scalar::U32, n)
    }

    /// A uniform.
    pub(super) fn uniform(&mut self, id: UniformId) -> Value {
        let ty = self.uniforms[id.index()].ty;
        self.leaf(Key::Uniform(id), Leaf::Uniform(id), ty)
    }

    /// A span's length.
    pub(super) fn length(&mut self, id: SpanId) -> Value {
        let value = self.leaf(Key::Length(id), Leaf::Length(id), Scalar::U32);
        self.world.roots.insert(value, Root::Length(id));
        value
    }

    /// Reads one field; a read span's element is read once a region.
    pub(super) fn load(&mut self, place: Place, field: u32, ty: Scalar, shared: bool) -> Value {
        let key = match &place {
            Place::Element { span, offset, .. } if shared => {
                Some(Key::Element(*span, *offset, field))
            }
            Place::At { span, index, .. } if shared => Some(Key::At(*span, *index, field)),
            _ => None,
        };
        let leaf = Leaf::Load {
            place: place.clone(),
            field,
        };
        let value = match key {
            Some(key) => self.leaf(key, leaf, ty),
            None => self.world.b.leaf(leaf, ty),
        };
        self.note_load(value, &place);
        value
    }

    fn leaf(&mut self, key: Key, leaf: Leaf, ty: Scalar) -> Value {
        if let Some(value) = self.numbers.find(&key) {
            return value;
        }
        let value = self.world.b.leaf(leaf, ty);
        self.numbers.keep(key, value);
        value
    }

    /// An operation.
    pub(super) fn op(&mut self, op: ScalarOp, args: &[Value]) -> Value {
        if let Some(value) = self.simplified(op, args) {
            return value;
        }
        let key = Key::Scalar(op, args.to_vec());
        if let Some(value) = self.numbers.find(&key) {
            return value;
        }
        let value = self.world.b.scalar(op, args);
        self.numbers.keep(key, value);
        value
    }

    /// A constant result, or one of the arguments where logic alone says so.
    fn simplified(&mut self, op: ScalarOp, args: &[Value]) -> Option<Value> {
        let constants: Vec<Option<u32>> = args
            .iter()
            .map(|v| self.world.b.as_const(*v).map(|c| c.bits))
            .collect();
        if let Some(bits) = constants.iter().copied().collect::<Option<Vec<u32>>>() {
            let result = apply(op, &bits);
            let is_nan = op.result() == Scalar::F32 && f32::from_bits(result).is_nan();
            return (!is_nan).then(|| self.constant(op.result(), result));
        }
        match (op, constants.as_slice()) {
            (ScalarOp::BoolAnd, [Some(1), None]) | (ScalarOp::BoolOr, [Some(0), None]) => {
                Some(args[1])
            }
            (ScalarOp::BoolAnd, [None, Some(1)]) | (ScalarOp::BoolOr, [None, Some(0)]) => {
                Some(args[0])
            }
            (ScalarOp::BoolNot, _) => match self.world.b.def(args[0]) {
                Def::Scalar(ScalarOp::BoolNot, inner) => Some(inner[0]),
                _ => None,
            },
            _ => None,
        }
    }

    /// `not v`.
    pub(super) fn not(&mut self, v: Value) -> Value {
        self.op(ScalarOp::BoolNot, &[v])
    }

    /// `v - 1` modulo 2^32, by taking the 1 out of the sum that `v` is where there is one: an
    /// authored `s[c + 1]` is the element `c`.
    pub(super) fn minus_one(&mut self, v: Value) -> Value {
        if let Some(value) = self.less_one(v, 16) {
            return value;
        }
        let one = self.u32(1);
        self.op(ScalarOp::U32Sub, &[v, one])
    }

    fn less_one(&mut self, v: Value, depth: u32) -> Option<Value> {
        use ScalarOp as O;
        if depth == 0 {
            return None;
        }
        let def = self.world.b.def(v).clone();
        match def {
            Def::Const(c) if c.bits != 0 => Some(self.constant(c.ty, c.bits.wrapping_sub(1))),
            Def::Scalar(op @ (O::U32Add | O::I32Add), args) => {
                let (a, b) = (args[0], args[1]);
                if let Some(less) = self.less_one(b, depth - 1) {
                    return Some(self.sum(op, a, less));
                }
                let less = self.less_one(a, depth - 1)?;
                Some(self.sum(op, less, b))
            }
            Def::Scalar(op @ (O::U32Sub | O::I32Sub), args) => {
                let less = self.less_one(args[0], depth - 1)?;
                Some(self.op(op, &[less, args[1]]))
            }
            Def::Scalar(op @ (O::U32FromI32 | O::I32FromU32), args) => {
                let less = self.less_one(args[0], depth - 1)?;
                Some(self.op(op, &[less]))
            }
            _ => None,
        }
    }

    fn sum(&mut self, op: ScalarOp, a: Value, b: Value) -> Value {
        let zero = |v: Value| self.world.b.as_const(v).is_some_and(|c| c.bits == 0);
        if zero(b) {
            a
        } else if zero(a) {
            b
        } else {
            self.op(op, &[a, b])
        }
    }

    /// A sum modulo 2^32 as a uint32 value.
    pub(super) fn rebuild(&mut self, terms: &BTreeMap<Value, u32>, constant: u32) -> Value {
        let mut total = None;
        for (&value, &factor) in terms {
            let mut term = value;
            if self.world.b.ty(term) == Scalar::I32 {
                term = self.op(ScalarOp::U32FromI32, &[term]);
            }
            if factor != 1 {
                let by = self.u32(factor);
                term = self.op(ScalarOp::U32Mul, &[term, by]);
            }
            total = Some(match total {
                Some(sum) => self.op(ScalarOp::U32Add, &[sum, term]),
                None => term,
            });
        }
        match total {
            None => self.u32(constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) => {
                let more = self.u32(constant);
                self.op(ScalarOp::U32Add, &[sum, more])
            }
        }
    }
}
