//! Flat code: regions of Device IR as steps with jumps, so that a lane can stop anywhere.

use super::Arithmetic;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::eval::scalar;
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Loop, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;

/// One step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Const(Value, u32),
    Scalar(Value, ScalarOp, [Value; 3], usize),
    Leaf(Option<Value>, DeviceLeaf),
    /// All at once: the sources are read before any is written.
    Move(Vec<(Value, Value)>),
    Jump(usize),
    /// Goes on if the condition holds.
    Unless(Value, usize),
    /// Goes on if `a <= b`, by the type.
    UnlessLe(Scalar, Value, Value, usize),
    /// Leaves if both are equal, else adds one to the first.
    Count(Value, Value, usize),
    /// A loop begins, or a turn of it does.
    Enter(usize),
    Turn(usize),
    /// A barrier inside these loops.
    Barrier(Vec<usize>),
    End,
}

/// What a step may call: the module's functions, and the device's arithmetic.
pub(super) struct Callees {
    pub functions: Vec<Code>,
    pub arithmetic: Arithmetic,
}

/// Flat code of one region.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub steps: Vec<Step>,
    pub loops: usize,
    params: Vec<Value>,
    result: Option<Value>,
}

impl Code {
    pub(super) fn of_body(module: &Module) -> Code {
        Code::flatten(&module.values, &module.body, Vec::new())
    }

    pub(super) fn of_functions(module: &Module) -> Vec<Code> {
        let functions = module.functions.iter();
        functions
            .map(|f| Code::flatten(&module.values, &f.body, f.params.clone()))
            .collect()
    }

    fn flatten(values: &[ValueInfo], region: &DeviceRegion, params: Vec<Value>) -> Code {
        let mut flat = Flat {
            values,
            steps: Vec::new(),
            loops: 0,
            around: Vec::new(),
        };
        flat.region(region);
        flat.steps.push(Step::End);
        Code {
            steps: flat.steps,
            loops: flat.loops,
            params,
            result: region.yields.first().copied(),
        }
    }
}

struct Flat<'a> {
    values: &'a [ValueInfo],
    steps: Vec<Step>,
    loops: usize,
    around: Vec<usize>,
}

impl Flat<'_> {
    fn region(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            let result = inst.results.first().copied();
            match &inst.op {
                Op::Const(c) => {
                    self.steps
                        .extend(result.map(|result| Step::Const(result, c.bits)));
                }
                Op::Scalar(op, args) => {
                    let mut padded = [Value(0); 3];
                    for (slot, &arg) in padded.iter_mut().zip(args) {
                        *slot = arg;
                    }
                    let step = |result| Step::Scalar(result, *op, padded, args.len());
                    self.steps.extend(result.map(step));
                }
                Op::Leaf(DeviceLeaf::Barrier) => {
                    self.steps.push(Step::Barrier(self.around.clone()));
                }
                Op::Leaf(leaf) => self.steps.push(Step::Leaf(result, leaf.clone())),
                Op::If { cond, then, els } => {
                    let unless = self.hole();
                    self.region(then);
                    self.moves(&inst.results, &then.yields);
                    let jump = self.hole();
                    self.steps[unless] = Step::Unless(*cond, self.steps.len());
                    self.region(els);
                    self.moves(&inst.results, &els.yields);
                    self.steps[jump] = Step::Jump(self.steps.len());
                }
                Op::Loop(inner) => self.turns(inner, &inst.results),
            }
        }
    }

    /// A step to be filled in.
    fn hole(&mut self) -> usize {
        self.steps.push(Step::End);
        self.steps.len() - 1
    }

    fn moves(&mut self, to: &[Value], from: &[Value]) {
        if !to.is_empty() {
            self.steps.push(Step::Move(
                to.iter().copied().zip(from.iter().copied()).collect(),
            ));
        }
    }

    fn turns(&mut self, inner: &Loop<DeviceLeaf>, results: &[Value]) {
        let id = self.loops;
        self.loops += 1;
        self.steps.push(Step::Enter(id));
        self.moves(&inner.params, &inner.init);
        let mut exits = Vec::new();
        if let LoopKind::Counted { var, lo, hi } = &inner.kind {
            exits.push((self.hole(), Exit::Empty(*lo, *hi)));
            self.moves(&[*var], &[*lo]);
        }
        self.around.push(id);
        let top = self.steps.len();
        self.steps.push(Step::Turn(id));
        if let LoopKind::While { cond, .. } = &inner.kind {
            self.region(cond);
            if let Some(&goes_on) = cond.yields.first() {
                exits.push((self.hole(), Exit::Unless(goes_on)));
            }
        }
        self.region(&inner.body);
        let yields = &inner.body.yields;
        self.moves(
            &inner.params,
            yields.get(usize::from(inner.breaks)..).unwrap_or(&[]),
        );
        if inner.breaks
            && let Some(&goes_on) = yields.first()
        {
            exits.push((self.hole(), Exit::Unless(goes_on)));
        }
        if let LoopKind::Counted { var, hi, .. } = &inner.kind {
            exits.push((self.hole(), Exit::Last(*var, *hi)));
        }
        self.steps.push(Step::Jump(top));
        self.around.pop();
        let end = self.steps.len();
        for (at, exit) in exits {
            self.steps[at] = match exit {
                Exit::Unless(cond) => Step::Unless(cond, end),
                Exit::Empty(lo, hi) => Step::UnlessLe(self.values[lo.index()].ty, lo, hi, end),
                Exit::Last(var, hi) => Step::Count(var, hi, end),
            };
        }
        self.moves(results, &inner.params);
    }
}

enum Exit {
    Unless(Value),
    Empty(Value, Value),
    Last(Value, Value),
}

/// Does a step that touches no memory; gives the next one, or nothing where it is not such a step.
pub(super) fn step(
    steps: &[Step],
    at: usize,
    values: &mut [u32],
    callees: &Callees,
) -> Option<usize> {
    match &steps[at] {
        Step::Const(result, bits) => values[result.index()] = *bits,
        Step::Scalar(result, op, args, count) => {
            let mut operands = [0; 3];
            for (slot, arg) in operands.iter_mut().zip(&args[..*count]) {
                *slot = values[arg.index()];
            }
            let [a, b, c] = operands;
            values[result.index()] = (callees.arithmetic)(*op, [a, b, c]);
        }
        Step::Leaf(Some(result), DeviceLeaf::Call { func, args }) => {
            let args: Vec<u32> = args.iter().map(|arg| values[arg.index()]).collect();
            values[result.index()] = call(callees, *func, &args, values);
        }
        Step::Move(pairs) => match pairs.as_slice() {
            [(to, from)] => values[to.index()] = values[from.index()],
            _ => {
                let read: Vec<u32> = pairs.iter().map(|(_, from)| values[from.index()]).collect();
                for ((to, _), value) in pairs.iter().zip(read) {
                    values[to.index()] = value;
                }
            }
        },
        Step::Jump(to) => return Some(*to),
        Step::Unless(cond, to) => {
            if values[cond.index()] == 0 {
                return Some(*to);
            }
        }
        Step::UnlessLe(ty, a, b, to) => {
            let (a, b) = (values[a.index()], values[b.index()]);
            let fits = if *ty == Scalar::I32 {
                (a as i32) <= (b as i32)
            } else {
                a <= b
            };
            if !fits {
                return Some(*to);
            }
        }
        Step::Count(var, hi, to) => {
            if values[var.index()] == values[hi.index()] {
                return Some(*to);
            }
            values[var.index()] = values[var.index()].wrapping_add(1);
        }
        Step::Enter(_) | Step::Turn(_) | Step::Leaf(..) | Step::Barrier(_) | Step::End => {
            return None;
        }
    }
    Some(at + 1)
}

/// Arithmetic without fault, of which a NaN has bits that no store may show.
pub(super) fn exact(op: ScalarOp, [a, b, c]: [u32; 3]) -> u32 {
    let value = scalar::apply3(op, a, b, c);
    match op {
        ScalarOp::F32Add
        | ScalarOp::F32Sub
        | ScalarOp::F32Mul
        | ScalarOp::F32Div
        | ScalarOp::F32Sqrt
        | ScalarOp::F32Fma
            if value == scalar::NAN =>
        {
            0xffc0_0123
        }
        // A device keeps the bits of a NaN, or does not; here it does.
        ScalarOp::F32FromBits => a,
        _ => value,
    }
}

/// Runs a function on the values of its caller, which it shares none of.
pub(super) fn call(callees: &Callees, func: FuncId, args: &[u32], values: &mut [u32]) -> u32 {
    let Some(code) = callees.functions.get(func.index()) else {
        return 0;
    };
    for (param, &arg) in code.params.iter().zip(args) {
        values[param.index()] = arg;
    }
    let mut at = 0;
    while let Some(next) = step(&code.steps, at, values, callees).or_else(|| skip(code, at)) {
        at = next;
    }
    code.result.map_or(0, |result| values[result.index()])
}

/// Past a step that only counts turns.
fn skip(code: &Code, at: usize) -> Option<usize> {
    matches!(code.steps[at], Step::Enter(_) | Step::Turn(_)).then_some(at + 1)
}
