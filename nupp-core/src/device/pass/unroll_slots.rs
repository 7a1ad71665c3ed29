//! Unrolls counted loops whose variable says which slot of a private array is meant.
//!
//! Takes a module with private arrays; gives its body with those loops written out turn by turn,
//! the variable a constant in each, and integer arithmetic on constants done. Nothing else changes,
//! so the bits do not either. Whoever asks names the arrays that are not worth it, since some index
//! of theirs stays unknown. What is written out is bounded: compilers of drivers take more than
//! linear time over straight code, and functions that are called count in full, but for guarded
//! operations that `discharge_guards` is going to put behind one branch.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::entry::{Entry, fresh};
use crate::device::carried::Carried;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::eval::scalar;
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Const, Inst, Loop, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;
use crate::ir::value_map::ValueMap;
use crate::limits::MAX_UNROLLED;

/// The body with loops over slots unrolled, and the values it is written in; loops over the arrays
/// in `rolled` alone stay. `carried` says which functions are guarded operations.
pub fn unroll_slots(
    module: &Module,
    carried: &[(FuncId, Carried)],
    rolled: &BTreeSet<u32>,
) -> (Vec<ValueInfo>, DeviceRegion) {
    let mut calls: Vec<usize> = Vec::with_capacity(module.functions.len());
    for function in &module.functions {
        let call = |func: FuncId, _: &[Value]| calls.get(func.index()).copied().unwrap_or(1);
        let cost = region_cost(&function.body, &call, &|_| None);
        calls.push(cost);
    }
    // What is left of one behind a branch that many have together.
    let guarded = carried.iter().map(|(func, _)| {
        let own = module.functions.get(func.index()).map_or(1, |function| {
            region_cost(&function.body, &|_, _| 1, &|_| None)
        });
        (*func, own)
    });
    let guarded = guarded.collect();
    let mut unroll = Unroll {
        values: module.values.clone(),
        entry: Entry::of(&module.body),
        names: ValueMap::default(),
        rolled,
        calls,
        guarded,
        budget: MAX_UNROLLED,
        copying: false,
    };
    let mut body = unroll.region(&module.body);
    unroll.entry.finish(&mut body);
    (unroll.values, body)
}

struct Unroll<'a> {
    values: Vec<ValueInfo>,
    entry: Entry,
    /// What a value is called here: in a turn that is written out, the name of that turn.
    names: ValueMap<Value>,
    rolled: &'a BTreeSet<u32>,
    /// What a call of each function costs.
    calls: Vec<usize>,
    /// What a guarded operation costs that shares its branch with others.
    guarded: HashMap<FuncId, usize>,
    budget: usize,
    /// Whether what is written is a turn of its own, whose values need names of their own.
    copying: bool,
}

impl Unroll<'_> {
    fn name(&self, value: Value) -> Value {
        self.names.get(&value).copied().unwrap_or(value)
    }

    fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.name(value)).collect()
    }

    fn known(&self, value: Value) -> Option<Const> {
        self.entry.known(self.name(value))
    }

    /// A value defined here.
    fn define(&mut self, value: Value) -> Value {
        if !self.copying {
            return value;
        }
        let ty = self.values[value.index()].ty;
        let copy = fresh(&mut self.values, ty);
        self.names.insert(value, copy);
        copy
    }

    fn defined(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.define(value)).collect()
    }

    fn region(&mut self, region: &DeviceRegion) -> DeviceRegion {
        let mut insts = Vec::with_capacity(region.insts.len());
        self.insts(&region.insts, &mut insts);
        let yields = self.all(&region.yields);
        DeviceRegion { insts, yields }
    }

    fn insts(&mut self, insts: &[Inst<DeviceLeaf>], out: &mut Vec<Inst<DeviceLeaf>>) {
        for inst in insts {
            self.inst(inst, out);
        }
    }

    fn inst(&mut self, inst: &Inst<DeviceLeaf>, out: &mut Vec<Inst<DeviceLeaf>>) {
        let op = match &inst.op {
            Op::Const(c) if self.copying => return self.stand_for(inst, *c),
            Op::Const(c) => Op::Const(*c),
            Op::Scalar(op, args) => {
                let mut args = self.all(args);
                if self.copying {
                    if self.fold(inst, *op, &args) {
                        return;
                    }
                    if let (true, &[_, first, second]) = (is_select(*op), args.as_slice()) {
                        args[2] = self.entry.second(&mut self.values, [first, second], out);
                    }
                }
                Op::Scalar(*op, args)
            }
            Op::Leaf(leaf) => Op::Leaf(self.leaf(leaf)),
            Op::If { cond, then, els } => match self.known(*cond) {
                Some(c) if self.copying => {
                    let side = if c.bits != 0 { then } else { els };
                    self.insts(&side.insts, out);
                    return self.hand_on(&inst.results, &self.all(&side.yields));
                }
                _ => self.branch(*cond, then, els),
            },
            Op::Loop(inner) => match self.turns(inner) {
                Some(turns) if self.affords(inner, turns.1) => {
                    return self.write_out(inner, turns, &inst.results, out);
                }
                _ => Op::Loop(Box::new(self.rolled_loop(inner))),
            },
        };
        let results = self.defined(&inst.results);
        out.push(Inst { results, op });
    }

    /// A constant in place of an instruction.
    fn stand_for(&mut self, inst: &Inst<DeviceLeaf>, c: Const) {
        let constant = self.entry.constant(&mut self.values, c);
        for &result in &inst.results {
            self.names.insert(result, constant);
        }
    }

    fn hand_on(&mut self, results: &[Value], values: &[Value]) {
        self.names
            .extend(results.iter().copied().zip(values.iter().copied()));
    }

    /// Does an integer operation on constants, or a choice by one.
    fn fold(&mut self, inst: &Inst<DeviceLeaf>, op: ScalarOp, args: &[Value]) -> bool {
        if op.result() == Scalar::F32 || op.args().contains(&Scalar::F32) {
            return false;
        }
        if let (true, &[cond, first, second]) = (is_select(op), args)
            && let Some(cond) = self.entry.known(cond)
        {
            let chosen = if cond.bits != 0 { first } else { second };
            self.hand_on(&inst.results, &[chosen]);
            return true;
        }
        let bits: Option<Vec<u32>> = args
            .iter()
            .map(|&arg| self.entry.known(arg).map(|c| c.bits))
            .collect();
        let Some(bits) = bits else { return false };
        let ty = op.result();
        let bits = scalar::apply(op, &bits);
        self.stand_for(inst, Const { ty, bits });
        true
    }

    fn leaf(&self, leaf: &DeviceLeaf) -> DeviceLeaf {
        let mut leaf = leaf.clone();
        for operand in leaf.operands_mut() {
            *operand = self.name(*operand);
        }
        leaf
    }

    fn branch(&mut self, cond: Value, then: &DeviceRegion, els: &DeviceRegion) -> Op<DeviceLeaf> {
        let cond = self.name(cond);
        let then = self.region(then);
        let mut els = self.region(els);
        if self.copying {
            for n in 0..els.yields.len() {
                let pair = [then.yields[n], els.yields[n]];
                els.yields[n] = self.entry.second(&mut self.values, pair, &mut els.insts);
            }
        }
        Op::If { cond, then, els }
    }

    fn rolled_loop(&mut self, inner: &Loop<DeviceLeaf>) -> Loop<DeviceLeaf> {
        let init = self.all(&inner.init);
        let kind = match &inner.kind {
            LoopKind::Counted { var, lo, hi } => {
                let (lo, hi) = (self.name(*lo), self.name(*hi));
                let var = self.define(*var);
                LoopKind::Counted { var, lo, hi }
            }
            LoopKind::While { cond, class } => {
                let params = self.defined(&inner.params);
                let (cond, class) = (self.region(cond), *class);
                let body = self.region(&inner.body);
                return Loop {
                    kind: LoopKind::While { cond, class },
                    params,
                    init,
                    body,
                    breaks: inner.breaks,
                };
            }
        };
        let params = self.defined(&inner.params);
        let body = self.region(&inner.body);
        Loop {
            kind,
            params,
            init,
            body,
            breaks: inner.breaks,
        }
    }

    /// The first value and the number of turns of a loop over slots.
    fn turns(&self, inner: &Loop<DeviceLeaf>) -> Option<(i64, usize)> {
        let LoopKind::Counted { var, lo, hi } = &inner.kind else {
            return None;
        };
        // As written: a bound that only a turn around makes constant was not paid for.
        let (lo, hi) = (self.entry.known(*lo)?, self.entry.known(*hi)?);
        let (lo, hi) = (number(lo), number(hi));
        let mut moving = HashSet::from([*var]);
        let over_slots = !inner.breaks && self.picks_slots(&inner.body, &mut moving);
        let turns = usize::try_from((hi - lo + 1).max(0)).ok()?;
        over_slots.then_some((lo, turns))
    }

    /// Whether a slot of an array that is worth it follows from one of the moving values.
    fn picks_slots(&self, region: &DeviceRegion, moving: &mut HashSet<Value>) -> bool {
        region.insts.iter().any(|inst| match &inst.op {
            Op::Const(_) => false,
            Op::Scalar(_, args) => {
                if args.iter().any(|arg| moving.contains(arg)) {
                    moving.extend(&inst.results);
                }
                false
            }
            Op::Leaf(
                DeviceLeaf::PrivateLoad { array, index }
                | DeviceLeaf::PrivateStore { array, index, .. },
            ) => moving.contains(index) && !self.rolled.contains(array),
            Op::Leaf(_) => false,
            Op::If { then, els, .. } => {
                self.picks_slots(then, moving) || self.picks_slots(els, moving)
            }
            Op::Loop(inner) => self.picks_slots(&inner.body, moving),
        })
    }

    /// Takes what the loop costs from what is left, if that is enough.
    fn affords(&mut self, inner: &Loop<DeviceLeaf>, turns: usize) -> bool {
        let nested = |inner: &Loop<DeviceLeaf>| self.turns(inner).map(|(_, turns)| turns);
        let together = self.is_one_run(&inner.body);
        let call = |func: FuncId, args: &[Value]| {
            // Beside a constant, a guard may have to stay.
            let shares = together && !args.iter().any(|arg| self.entry.known(*arg).is_some());
            match self.guarded.get(&func) {
                Some(&own) if shares => own,
                _ => self.calls.get(func.index()).copied().unwrap_or(1),
            }
        };
        let each = region_cost(&inner.body, &call, &nested);
        let whole = each.saturating_mul(turns);
        if self.copying {
            // Paid for with the loop around it.
            return true;
        }
        let enough = whole <= self.budget;
        if enough {
            self.budget -= whole;
        }
        enough
    }

    /// Whether nothing parts the turns of a loop's body once it is written out, so that guarded operations of
    /// all turns share branches.
    fn is_one_run(&self, region: &DeviceRegion) -> bool {
        region.insts.iter().all(|inst| match &inst.op {
            Op::Const(_) | Op::Scalar(..) => true,
            Op::Leaf(leaf) => match leaf {
                DeviceLeaf::BufferStore { .. }
                | DeviceLeaf::BufferMax { .. }
                | DeviceLeaf::SharedStore { .. }
                | DeviceLeaf::Barrier => false,
                DeviceLeaf::PrivateStore { array, .. } => !self.rolled.contains(array),
                DeviceLeaf::Builtin(_)
                | DeviceLeaf::UniformWord(_)
                | DeviceLeaf::BufferLoad { .. }
                | DeviceLeaf::SharedLoad { .. }
                | DeviceLeaf::PrivateLoad { .. }
                | DeviceLeaf::Call { .. } => true,
            },
            Op::If { .. } => false,
            Op::Loop(inner) => self.turns(inner).is_some() && self.is_one_run(&inner.body),
        })
    }

    fn write_out(
        &mut self,
        inner: &Loop<DeviceLeaf>,
        (first, turns): (i64, usize),
        results: &[Value],
        out: &mut Vec<Inst<DeviceLeaf>>,
    ) {
        let LoopKind::Counted { var, .. } = &inner.kind else {
            return;
        };
        let ty = self.values[var.index()].ty;
        let mut params = self.all(&inner.init);
        let before = std::mem::replace(&mut self.copying, true);
        for n in (first..).take(turns) {
            let bits = n as u32;
            let constant = self.entry.constant(&mut self.values, Const { ty, bits });
            self.names.insert(*var, constant);
            self.hand_on(&inner.params, &params);
            self.insts(&inner.body.insts, out);
            params = self.all(&inner.body.yields);
        }
        self.copying = before;
        self.hand_on(results, &params);
    }
}

fn is_select(op: ScalarOp) -> bool {
    matches!(
        op,
        ScalarOp::U32Select | ScalarOp::I32Select | ScalarOp::BoolSelect
    )
}

fn number(c: Const) -> i64 {
    match c.ty {
        Scalar::I32 => i64::from(c.bits as i32),
        Scalar::F32 | Scalar::U32 | Scalar::Bool => i64::from(c.bits),
    }
}

/// Instructions of a region, those of called functions included as `call` says; `turns` says how often
/// a loop in it is written out.
fn region_cost(
    region: &DeviceRegion,
    call: &dyn Fn(FuncId, &[Value]) -> usize,
    turns: &dyn Fn(&Loop<DeviceLeaf>) -> Option<usize>,
) -> usize {
    let costs = region.insts.iter().map(|inst| match &inst.op {
        Op::Const(_) => 0,
        Op::Leaf(DeviceLeaf::Call { func, args }) => call(*func, args),
        Op::Scalar(..) | Op::Leaf(_) => 1,
        Op::If { then, els, .. } => {
            1 + region_cost(then, call, turns) + region_cost(els, call, turns)
        }
        Op::Loop(inner) => {
            let body = region_cost(&inner.body, call, turns);
            match turns(inner) {
                Some(turns) => body.saturating_mul(turns),
                None => 4 + body,
            }
        }
    });
    costs.fold(0, usize::saturating_add)
}
