//! Walks a region of Device IR in order and tells a target what to write.
//!
//! Results of an `if` and parameters of a loop go through variables of the function, and a loop's
//! decision is taken in its body: targets have no values that join paths, and no code after a
//! `continue`. Each value is handed on by the name it was given where it was defined, so that
//! assigning all parameters one after the other is the simultaneous assignment that the
//! representation means. Assumes a verified module.

use super::expand::{Operand, Sink, expand};
use super::prim::Prim;
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Const, Inst, Loop, LoopKind, Op, ValueInfo};

/// What regions are written to.
pub trait Target: Sink {
    /// A variable of the function.
    type Var: Clone;
    /// Gives a rendered value the name of the value that it is.
    fn define(&mut self, value: Value, ty: Scalar, rendered: Self::V) -> Self::V;
    /// A constant.
    fn constant(&mut self, constant: Const) -> Self::V;
    /// A leaf whose operands are rendered, in the order of its fields.
    fn leaf(&mut self, leaf: &DeviceLeaf, operands: &[Self::V]) -> Option<Self::V>;
    /// A variable that will hold `value`, and what it starts as.
    fn variable(&mut self, value: Value, ty: Scalar, init: Option<&Self::V>) -> Self::Var;
    /// What a variable holds now.
    fn load(&mut self, var: &Self::Var, ty: Scalar) -> Self::V;
    /// Assigns a variable.
    fn store(&mut self, var: &Self::Var, rendered: &Self::V);
    /// Opens what runs where `cond` is true; `has_else` says whether `begin_else` follows.
    fn begin_if(&mut self, cond: &Self::V, has_else: bool);
    /// Opens what runs where it is false.
    fn begin_else(&mut self);
    /// Closes the condition.
    fn end_if(&mut self);
    /// Opens a loop that only `break_where` leaves.
    fn begin_loop(&mut self);
    /// Leaves the innermost loop where `cond` is `when`.
    fn break_where(&mut self, cond: &Self::V, when: bool);
    /// Closes the loop.
    fn end_loop(&mut self);
}

/// A walk through the regions of one module.
pub struct Walk<'m, T: Target> {
    /// What is written to.
    pub target: T,
    values: &'m [ValueInfo],
    operands: Vec<Option<Operand<T::V>>>,
}

impl<'m, T: Target> Walk<'m, T> {
    /// A walk in which no value is defined yet.
    pub fn new(target: T, values: &'m [ValueInfo]) -> Self {
        Walk {
            target,
            values,
            operands: vec![None; values.len()],
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.values[value.index()].ty
    }

    /// What a defined value is rendered as.
    pub fn rendered(&self, value: Value) -> T::V {
        self.operand(value).value
    }

    /// Says what a value from outside is rendered as.
    pub fn external(&mut self, value: Value, rendered: T::V) {
        self.operands[value.index()] = Some(Operand {
            value: rendered,
            known: None,
        });
    }

    /// Writes the instructions of a region; its yields are the caller's to use.
    pub fn region(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            self.inst(inst);
        }
    }

    fn operand(&self, value: Value) -> Operand<T::V> {
        self.operands[value.index()]
            .clone()
            .expect("a verified region uses values after their definition")
    }

    fn known(&self, value: Value) -> Option<u32> {
        self.operand(value).known
    }

    fn define(&mut self, value: Value, rendered: T::V) {
        let rendered = self.target.define(value, self.ty(value), rendered);
        self.external(value, rendered);
    }

    fn inst(&mut self, inst: &Inst<DeviceLeaf>) {
        match &inst.op {
            Op::Const(constant) => {
                let rendered = self.target.constant(*constant);
                let result = inst.results[0];
                self.define(result, rendered);
                if let Some(operand) = &mut self.operands[result.index()] {
                    operand.known = Some(constant.bits);
                }
            }
            Op::Scalar(op, args) => {
                let args: Vec<_> = args.iter().map(|&arg| self.operand(arg)).collect();
                let rendered = expand(&mut self.target, *op, &args);
                self.define(inst.results[0], rendered);
            }
            Op::Leaf(leaf) => self.leaf(leaf, &inst.results),
            Op::If { cond, then, els } => self.branch(*cond, then, els, &inst.results),
            Op::Loop(l) => self.repeat(l, &inst.results),
        }
    }

    fn leaf(&mut self, leaf: &DeviceLeaf, results: &[Value]) {
        let operands: Vec<T::V> = leaf
            .operands()
            .into_iter()
            .map(|value| self.rendered(value))
            .collect();
        let rendered = self.target.leaf(leaf, &operands);
        if let (Some(rendered), Some(&result)) = (rendered, results.first()) {
            self.define(result, rendered);
        }
    }

    fn branch(&mut self, cond: Value, then: &DeviceRegion, els: &DeviceRegion, results: &[Value]) {
        let vars: Vec<T::Var> = results
            .iter()
            .map(|&result| self.target.variable(result, self.ty(result), None))
            .collect();
        let cond = self.rendered(cond);
        let has_else = !els.insts.is_empty() || !results.is_empty();
        self.target.begin_if(&cond, has_else);
        self.region(then);
        self.assign(&vars, &then.yields);
        if has_else {
            self.target.begin_else();
            self.region(els);
            self.assign(&vars, &els.yields);
        }
        self.target.end_if();
        self.load(&vars, results);
    }

    fn assign(&mut self, vars: &[T::Var], values: &[Value]) {
        for (var, &value) in vars.iter().zip(values) {
            let rendered = self.rendered(value);
            self.target.store(var, &rendered);
        }
    }

    fn load(&mut self, vars: &[T::Var], values: &[Value]) {
        for (var, &value) in vars.iter().zip(values) {
            let rendered = self.target.load(var, self.ty(value));
            self.define(value, rendered);
        }
    }

    fn variable(&mut self, value: Value, init: Value) -> T::Var {
        let init = self.rendered(init);
        self.target.variable(value, self.ty(value), Some(&init))
    }

    fn repeat(&mut self, l: &Loop<DeviceLeaf>, results: &[Value]) {
        let vars: Vec<T::Var> = l
            .params
            .iter()
            .zip(&l.init)
            .map(|(&param, &init)| self.variable(param, init))
            .collect();
        match &l.kind {
            LoopKind::Counted { var, lo, hi } => self.counted(l, &vars, *var, *lo, *hi),
            LoopKind::While { cond, class: _ } => {
                self.target.begin_loop();
                self.load(&vars, &l.params);
                self.region(cond);
                let go_on = self.rendered(cond.yields[0]);
                self.target.break_where(&go_on, false);
                self.turn(l, &vars);
                self.target.end_loop();
            }
        }
        self.load(&vars, results);
    }

    /// The bounds are compared once before the loop, and the last turn leaves before the variable
    /// moves on: nothing overflows where `hi` is the greatest value of the type.
    fn counted(&mut self, l: &Loop<DeviceLeaf>, vars: &[T::Var], var: Value, lo: Value, hi: Value) {
        let int = Int::of(self.ty(var));
        let (low, high) = (self.rendered(lo), self.rendered(hi));
        let runs = match (self.known(lo), self.known(hi)) {
            (Some(lo), Some(hi)) => int.at_most(lo, hi),
            _ => false,
        };
        if !runs {
            let any = self.target.apply(int.le(), &[low.clone(), high.clone()]);
            self.target.begin_if(&any, false);
        }
        let counter = self.variable(var, lo);
        self.target.begin_loop();
        self.load(std::slice::from_ref(&counter), &[var]);
        self.load(vars, &l.params);
        self.turn(l, vars);
        let now = self.rendered(var);
        let last = self.target.apply(int.eq(), &[now.clone(), high]);
        self.target.break_where(&last, true);
        let one = int.one(&mut self.target);
        let next = self.target.apply(int.add(), &[now, one]);
        self.target.store(&counter, &next);
        self.target.end_loop();
        if !runs {
            self.target.end_if();
        }
    }

    /// The body, the next parameters, and the boolean of a loop that breaks.
    fn turn(&mut self, l: &Loop<DeviceLeaf>, vars: &[T::Var]) {
        self.region(&l.body);
        if l.breaks {
            self.assign(vars, &l.body.yields[1..]);
            let go_on = self.rendered(l.body.yields[0]);
            self.target.break_where(&go_on, false);
        } else {
            self.assign(vars, &l.body.yields);
        }
    }
}

/// The type of a counted variable.
#[derive(Clone, Copy)]
enum Int {
    Signed,
    Unsigned,
}

impl Int {
    fn of(ty: Scalar) -> Int {
        match ty {
            Scalar::I32 => Int::Signed,
            Scalar::U32 | Scalar::F32 | Scalar::Bool => Int::Unsigned,
        }
    }
    fn at_most(self, a: u32, b: u32) -> bool {
        match self {
            Int::Signed => a as i32 <= b as i32,
            Int::Unsigned => a <= b,
        }
    }
    fn le(self) -> Prim {
        match self {
            Int::Signed => Prim::ILe,
            Int::Unsigned => Prim::ULe,
        }
    }
    fn eq(self) -> Prim {
        match self {
            Int::Signed => Prim::IEq,
            Int::Unsigned => Prim::UEq,
        }
    }
    fn add(self) -> Prim {
        match self {
            Int::Signed => Prim::IAdd,
            Int::Unsigned => Prim::UAdd,
        }
    }
    fn one<S: Sink>(self, sink: &mut S) -> S::V {
        match self {
            Int::Signed => sink.i32(1),
            Int::Unsigned => sink.u32(1),
        }
    }
}
