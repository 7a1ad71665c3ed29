//! Breaks a module of Device IR on purpose, for tests that what guards it sees the break.
//!
//! What comes out is well formed and not verified: a barrier less, or one of the measures less that
//! keep a driver's compiler, or a device's rounding, from changing bits.

use std::collections::{HashMap, HashSet};

use super::ir::{DeviceLeaf, DeviceRegion, Module};
use super::soft::QNAN;
use crate::artifact::UniformLayout;
use crate::ir::entity::{Scalar, Scope, Value};
use crate::ir::flow::{Const, Inst, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;

/// What keeps a float's bits as they are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// An exclusive or with a word that is zero and that no compiler knows.
    Hiding,
    /// The choice that makes a NaN canonical where its bits are seen.
    Gate,
    /// A fused multiply-add of a refined quotient or root.
    Step,
}

/// The module without its `n`-th barrier in text order, or nothing if there are not so many.
pub fn without_barrier(module: &Module, n: u32) -> Option<Module> {
    let mut broken = module.clone();
    if !take(&mut broken.body, &mut n.clone()) {
        return None;
    }
    broken.barriers = broken.barriers.saturating_sub(1);
    Some(broken)
}

/// Takes away the barrier that `n` others stand before; counts `n` down by those it passes.
fn take(region: &mut DeviceRegion, n: &mut u32) -> bool {
    for at in 0..region.insts.len() {
        let found = match &mut region.insts[at].op {
            Op::Leaf(DeviceLeaf::Barrier) => {
                if *n == 0 {
                    region.insts.remove(at);
                    return true;
                }
                *n -= 1;
                false
            }
            other => inner(other).into_iter().any(|region| take(region, n)),
        };
        if found {
            return true;
        }
    }
    false
}

/// The module without the `n`-th of its measures of a kind, or nothing if there are not so many.
/// Functions count before the body; gates count in the body alone, since a software operation
/// makes NaNs of its own.
pub fn without_measure(module: &Module, measure: Measure, n: u32) -> Option<Module> {
    let facts = Facts::of(module);
    let mut broken = module.clone();
    let mut edit = Edit {
        facts: &facts,
        measure,
        left: n,
        values: &mut broken.values,
    };
    let of_function = |function: &mut super::ir::Function| match measure {
        Measure::Hiding => edit.apply(&mut function.body),
        Measure::Step if function.name.ends_with("_refined") => edit.apply(&mut function.body),
        Measure::Gate | Measure::Step => false,
    };
    let done = broken.functions.iter_mut().any(of_function)
        || (measure != Measure::Step && edit.apply(&mut broken.body));
    done.then_some(broken)
}

/// The regions within an operation.
fn inner(op: &mut Op<DeviceLeaf>) -> Vec<&mut DeviceRegion> {
    match op {
        Op::If { then, els, .. } => vec![then, els],
        Op::Loop(inner) => match &mut inner.kind {
            LoopKind::While { cond, .. } => vec![cond, &mut inner.body],
            LoopKind::Counted { .. } => vec![&mut inner.body],
        },
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => Vec::new(),
    }
}

/// What tells measures from other operations.
#[derive(Default)]
struct Facts {
    /// Words that are zero and that no compiler knows.
    unknown: HashSet<Value>,
    constants: HashMap<Value, u32>,
}

impl Facts {
    fn of(module: &Module) -> Self {
        let mut facts = Facts::default();
        facts.read(module, &module.body);
        // A function is called by those after it.
        for function in module.functions.iter().rev() {
            facts.read(module, &function.body);
        }
        facts
    }

    fn read(&mut self, module: &Module, region: &DeviceRegion) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(constant) => {
                    self.constants.insert(inst.results[0], constant.bits);
                }
                Op::Leaf(DeviceLeaf::UniformWord(UniformLayout::Q | UniformLayout::Q2)) => {
                    self.unknown.insert(inst.results[0]);
                }
                Op::Leaf(DeviceLeaf::Call { func, args }) => {
                    let params = &module.functions[func.0 as usize].params;
                    let pairs = args.iter().zip(params);
                    let hides: Vec<Value> = pairs
                        .filter(|(arg, _)| self.unknown.contains(arg))
                        .map(|(_, param)| *param)
                        .collect();
                    self.unknown.extend(hides);
                }
                Op::Scalar(ScalarOp::U32Xor, args)
                    if args.iter().all(|arg| self.unknown.contains(arg)) =>
                {
                    self.unknown.insert(inst.results[0]);
                }
                Op::Scalar(..) | Op::Leaf(_) => {}
                Op::If { then, els, .. } => {
                    self.read(module, then);
                    self.read(module, els);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.read(module, cond);
                    }
                    self.read(module, &inner.body);
                }
            }
        }
    }

    /// The operand of a measure that a constant zero takes the place of, and its type.
    fn operand(&self, measure: Measure, op: ScalarOp, args: &[Value]) -> Option<(usize, Scalar)> {
        let hides = |arg: &Value| self.unknown.contains(arg);
        match (measure, op) {
            (Measure::Hiding, ScalarOp::U32Xor) if !args.iter().all(hides) => {
                args.iter().position(hides).map(|at| (at, Scalar::U32))
            }
            (Measure::Gate, ScalarOp::U32Select) => {
                let nan = self.constants.get(&args[1]) == Some(&QNAN);
                nan.then_some((0, Scalar::Bool))
            }
            // a b + c without the product.
            (Measure::Step, ScalarOp::F32Fma) => Some((0, Scalar::F32)),
            _ => None,
        }
    }
}

struct Edit<'a> {
    facts: &'a Facts,
    measure: Measure,
    /// Measures to pass before the one that goes.
    left: u32,
    values: &'a mut Vec<ValueInfo>,
}

impl Edit<'_> {
    fn apply(&mut self, region: &mut DeviceRegion) -> bool {
        for at in 0..region.insts.len() {
            if let Op::Scalar(op, args) = &mut region.insts[at].op {
                let Some((position, ty)) = self.facts.operand(self.measure, *op, args) else {
                    continue;
                };
                if self.left > 0 {
                    self.left -= 1;
                    continue;
                }
                let zero = Value(self.values.len() as u32);
                args[position] = zero;
                let scope = Scope::Lane;
                self.values.push(ValueInfo { ty, scope });
                let op = Op::Const(Const { ty, bits: 0 });
                let results = vec![zero];
                region.insts.insert(at, Inst { results, op });
                return true;
            }
            let mut regions = inner(&mut region.insts[at].op).into_iter();
            if regions.any(|region| self.apply(region)) {
                return true;
            }
        }
        false
    }
}
