//! Builds regions value by value, for kernels written by hand, for the front end, and for the
//! lowering to a device.
//!
//! The builder keeps how each value was defined, so that a proof can look through it. It gives
//! every value the scope `Lane`; `ir::scope` assigns the least scopes once a kernel is whole.

use super::entity::{Scalar, Scope, Value};
use super::flow::{Const, Inst, Loop, LoopKind, Op, Region, ValueInfo};
use super::op::ScalarOp;

/// How a value is defined.
#[derive(Clone, Debug, PartialEq)]
pub enum Def {
    /// From outside: a map's index, a group or lane number, a function's parameter.
    External,
    /// A constant.
    Const(Const),
    /// A scalar operation.
    Scalar(ScalarOp, Vec<Value>),
    /// A leaf.
    Leaf,
    /// A result of an `if`: the condition and what each side yields.
    If {
        /// The condition.
        cond: Value,
        /// What it is when the condition is true.
        then: Value,
        /// What it is when the condition is false.
        els: Value,
    },
    /// A parameter of a loop, and what it starts as.
    LoopParam {
        /// Its first value.
        init: Value,
    },
    /// The variable of a counted loop.
    Counted {
        /// First value.
        lo: Value,
        /// Last value.
        hi: Value,
    },
    /// A result of a loop: what the parameter started as.
    LoopResult {
        /// The parameter's first value.
        init: Value,
    },
}

/// Builds nested regions.
#[derive(Debug)]
pub struct Builder<L> {
    /// What is known of each value.
    pub values: Vec<ValueInfo>,
    /// How each value is defined.
    pub defs: Vec<Def>,
    open: Vec<Vec<Inst<L>>>,
}

impl<L> Default for Builder<L> {
    fn default() -> Self {
        Builder {
            values: Vec::new(),
            defs: Vec::new(),
            open: vec![Vec::new()],
        }
    }
}

impl<L> Builder<L> {
    /// A builder with one open region.
    pub fn new() -> Self {
        Self::default()
    }

    fn define(&mut self, ty: Scalar, def: Def) -> Value {
        let value = Value(self.values.len() as u32);
        self.values.push(ValueInfo {
            ty,
            scope: Scope::Lane,
        });
        self.defs.push(def);
        value
    }

    /// Appends an instruction to the innermost open region.
    pub fn push(&mut self, results: Vec<Value>, op: Op<L>) {
        match self.open.last_mut() {
            Some(insts) => insts.push(Inst { results, op }),
            None => self.open.push(vec![Inst { results, op }]),
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.values[value.index()].ty
    }

    /// How a value is defined.
    pub fn def(&self, value: Value) -> &Def {
        &self.defs[value.index()]
    }

    /// The constant that a value is, if it is one.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        match self.def(value) {
            Def::Const(c) => Some(*c),
            _ => None,
        }
    }

    /// A value that comes from outside the instructions.
    pub fn external(&mut self, ty: Scalar) -> Value {
        self.define(ty, Def::External)
    }

    /// A constant.
    pub fn constant(&mut self, ty: Scalar, bits: u32) -> Value {
        let c = Const { ty, bits };
        let value = self.define(ty, Def::Const(c));
        self.push(vec![value], Op::Const(c));
        value
    }

    /// A uint32 constant.
    pub fn u32(&mut self, n: u32) -> Value {
        self.constant(Scalar::U32, n)
    }

    /// An int32 constant.
    pub fn i32(&mut self, n: i32) -> Value {
        self.constant(Scalar::I32, n as u32)
    }

    /// A float constant.
    pub fn f32(&mut self, x: f32) -> Value {
        self.constant(Scalar::F32, x.to_bits())
    }

    /// A boolean constant.
    pub fn bool(&mut self, b: bool) -> Value {
        self.constant(Scalar::Bool, u32::from(b))
    }

    /// A scalar operation.
    pub fn scalar(&mut self, op: ScalarOp, args: &[Value]) -> Value {
        let value = self.define(op.result(), Def::Scalar(op, args.to_vec()));
        self.push(vec![value], Op::Scalar(op, args.to_vec()));
        value
    }

    /// A leaf that gives a value.
    pub fn leaf(&mut self, leaf: L, ty: Scalar) -> Value {
        let value = self.define(ty, Def::Leaf);
        self.push(vec![value], Op::Leaf(leaf));
        value
    }

    /// A leaf that gives none.
    pub fn effect(&mut self, leaf: L) {
        self.push(Vec::new(), Op::Leaf(leaf));
    }

    /// Opens a region; what is built next goes into it.
    pub fn open(&mut self) {
        self.open.push(Vec::new());
    }

    /// Closes the innermost region.
    pub fn close(&mut self, yields: Vec<Value>) -> Region<L> {
        Region {
            insts: self.open.pop().unwrap_or_default(),
            yields,
        }
    }

    /// Takes what the innermost open region holds so far and leaves it open and empty: how a
    /// controller's instructions become nodes before a phase.
    pub fn take_insts(&mut self) -> Vec<Inst<L>> {
        self.open.last_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The results of a choice whose sides yield these, one a pair; whoever asks appends the choice.
    pub fn if_results(&mut self, cond: Value, then: &[Value], els: &[Value]) -> Vec<Value> {
        let pairs = then.iter().zip(els);
        pairs
            .map(|(&then, &els)| {
                let ty = self.ty(then);
                self.define(ty, Def::If { cond, then, els })
            })
            .collect()
    }

    /// An `if` over two closed regions, which yield alike.
    pub fn if_(&mut self, cond: Value, then: Region<L>, els: Region<L>) -> Vec<Value> {
        let results = self.if_results(cond, &then.yields, &els.yields);
        self.push(results.clone(), Op::If { cond, then, els });
        results
    }

    /// The parameters of a loop that starts with these values.
    pub fn loop_params(&mut self, init: &[Value]) -> Vec<Value> {
        init.iter()
            .map(|&init| {
                let ty = self.ty(init);
                self.define(ty, Def::LoopParam { init })
            })
            .collect()
    }

    /// The variable of a counted loop.
    pub fn counted_var(&mut self, lo: Value, hi: Value) -> Value {
        let ty = self.ty(lo);
        self.define(ty, Def::Counted { lo, hi })
    }

    /// The values of a loop's parameters after it.
    pub fn loop_results(&mut self, init: &[Value]) -> Vec<Value> {
        init.iter()
            .map(|&init| {
                let ty = self.ty(init);
                self.define(ty, Def::LoopResult { init })
            })
            .collect()
    }

    /// A loop whose parts were built with `loop_params`, `counted_var`, `open` and `close`; gives
    /// the parameters' last values.
    pub fn loop_(
        &mut self,
        kind: LoopKind<L>,
        params: Vec<Value>,
        init: Vec<Value>,
        body: Region<L>,
        breaks: bool,
    ) -> Vec<Value> {
        let results = self.loop_results(&init);
        let whole = Loop {
            kind,
            params,
            init,
            body,
            breaks,
        };
        self.push(results.clone(), Op::Loop(Box::new(whole)));
        results
    }

    /// Ends the outermost region and hands over the tables.
    pub fn finish(mut self, yields: Vec<Value>) -> (Vec<ValueInfo>, Region<L>) {
        let region = self.close(yields);
        (self.values, region)
    }
}
