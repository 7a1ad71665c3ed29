//! Puts one branch in place of many: runs of guarded operations become straight code.
//!
//! A guarded operation looks at its operands and result and branches to the software operation (see
//! `carried`). Here the sums, products and fused sums of a run are the device's instructions, and one
//! branch at its end, or before it, goes to the guarded calls where some operand is not as it has to be;
//! in a mathematical function, if asked, to the software operations at once ([`Fallback`]).
//! What that is follows from a fact: products of numbers that are 0 or at least 2^-40 are multiples of
//! 2^-126, and so are their sums and what rounding leaves of them, so that none is subnormal and a device
//! that flushes is exact. Multiplicands are looked at once each, addends only where they do not come from
//! such an operation. A flag is handed through loops and choices to those that come from earlier ones: once
//! it is false the calls are taken, which is always right.
//!
//! Asks for functions before their callers; leaves the values' bits as they are but for those of NaN.

use std::collections::HashMap;

use super::drop_unused::drop_unused;
use super::entry::fresh;
use crate::device::carried::Carried;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Function, Module};
use crate::device::profile::{Profile, Route};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op, ValueInfo};
use crate::ir::op::ScalarOp;
use facts::{ADDEND, Addend, Facts, Need, keeps};
use plan::{Piece, Step, cut, dischargeable, plan};
use rolled::Spill;

mod facts;
mod plan;
mod rolled;
mod segment;
#[cfg(test)]
pub(crate) mod tests;

/// What mathematical functions do where a run does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Each operation has its guard again.
    Guarded,
    /// Each operation is software's. A branch more for each is what a compiler that puts calls in cannot
    /// bear (SwiftShader asked for more than 20 GB over a sine in a loop); on the H200 an exponential took
    /// four times as long so, since lanes come here more often where fused operations alone are guarded.
    Software,
}

impl Fallback {
    /// That of a profile: where there is no fused operation to guard, they are software already.
    pub fn of(profile: &Profile) -> Fallback {
        match profile.fma {
            Route::Software => Fallback::Software,
            Route::Opaque | Route::Guarded | Route::Refined => Fallback::Guarded,
        }
    }
}

/// Discharges guards in a module's body and functions; `carried` says which functions are guarded
/// operations.
pub fn discharge_guards(module: &mut Module, carried: &[(FuncId, Carried)], fallback: Fallback) {
    if carried.is_empty() {
        return;
    }
    // The text of guarded operations is put in elsewhere, and stays what it is.
    let functions = module.functions.clone();
    for function in &mut module.functions {
        let body = &mut function.body;
        let software = fallback == Fallback::Software;
        discharge(
            body,
            &mut module.values,
            carried,
            &functions,
            Place::Function { software },
        );
    }
    let spill = Spill::beside(&module.private);
    let body = &mut module.body;
    let place = discharge(
        body,
        &mut module.values,
        carried,
        &functions,
        Place::Entry(spill),
    );
    if let Place::Entry(spill) = place {
        spill.declare(module);
    }
}

/// Where a body is.
#[derive(Clone, Copy)]
enum Place {
    /// In a mathematical function; whether software alone decides where a run does not hold.
    Function { software: bool },
    /// In the kernel itself, whose lanes may have arrays.
    Entry(Spill),
}

/// Discharges the guards of one body; gives the arrays that it came to need.
fn discharge(
    body: &mut DeviceRegion,
    values: &mut Vec<ValueInfo>,
    carried: &[(FuncId, Carried)],
    functions: &[Function],
    place: Place,
) -> Place {
    let mut facts = Facts::of(carried, body);
    let Some([q, q2]) = facts.words() else {
        return place;
    };
    let mut segments = 0;
    find_segments(&mut facts, body, &mut segments);
    if segments == 0 {
        return place;
    }
    let mut addends = Vec::new();
    find_addends(&facts, body, &mut 0, &mut addends);
    for addend in addends {
        facts.keep(addend);
    }
    let third = fresh(values, Scalar::U32);
    let mut rewrite = Rewrite {
        facts: &facts,
        functions,
        place,
        values,
        zeros: [q, q2, third],
        segments: 0,
        flag: None,
        checks: HashMap::new(),
        log: Vec::new(),
    };
    rewrite.region(body, &[]);
    let place = rewrite.place;
    // Behind the definitions of both words, which are parameters or stand at the very start.
    let defined = |inst: &Inst<DeviceLeaf>| inst.results.contains(&q) || inst.results.contains(&q2);
    let at = body.insts.iter().rposition(defined).map_or(0, |n| n + 1);
    body.insts.insert(
        at,
        Inst {
            results: vec![third],
            op: Op::Scalar(ScalarOp::U32Xor, vec![q, q2]),
        },
    );
    drop_unused(body, values.len());
    place
}

/// Visits the runs of a body in the order in which they are rewritten.
fn each_run(facts: &Facts<'_>, region: &DeviceRegion, visit: &mut dyn FnMut(&[Inst<DeviceLeaf>])) {
    for piece in cut(facts, &region.insts) {
        match piece {
            Piece::Run(range) => visit(&region.insts[range]),
            Piece::Fixed(n) => match &region.insts[n].op {
                Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
                Op::If { then, els, .. } => {
                    each_run(facts, then, visit);
                    each_run(facts, els, visit);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        each_run(facts, cond, visit);
                    }
                    each_run(facts, &inner.body, visit);
                }
            },
        }
    }
}

fn find_segments(facts: &mut Facts<'_>, body: &DeviceRegion, segments: &mut usize) {
    let mut found: Vec<Vec<Value>> = Vec::new();
    each_run(facts, body, &mut |run| {
        for step in plan(facts, run) {
            if let Step::Segment(members) = step {
                let kept = members.iter().filter(|&&n| {
                    dischargeable(facts, &run[n])
                        && facts.guarded(&run[n]).is_some_and(|(c, _)| keeps(c))
                });
                found.push(kept.flat_map(|&n| run[n].results.clone()).collect());
            }
        }
    });
    *segments = found.len();
    for results in found {
        facts.add_segment(results.into_iter());
    }
}

/// The addends that have to be M where they come from.
fn find_addends(
    facts: &Facts<'_>,
    body: &DeviceRegion,
    segment: &mut usize,
    addends: &mut Vec<Value>,
) {
    each_run(facts, body, &mut |run| {
        for step in plan(facts, run) {
            let Step::Segment(members) = step else {
                continue;
            };
            for n in members {
                let operands = match facts.guarded(&run[n]) {
                    Some((Carried::Add, args)) => args,
                    Some((Carried::Fma, args)) => &args[2..],
                    _ => &[],
                };
                let by_flag = |v: &&Value| matches!(facts.addend(**v, *segment), Addend::Flag);
                addends.extend(operands.iter().filter(by_flag));
            }
            *segment += 1;
        }
    });
}

/// A body while it is rewritten.
struct Rewrite<'f, 'v> {
    facts: &'f Facts<'f>,
    functions: &'f [Function],
    place: Place,
    values: &'v mut Vec<ValueInfo>,
    /// What hides a first, second and third operand.
    zeros: [Value; 3],
    /// Segments so far.
    segments: usize,
    /// Where it holds, every value in sight that is kept M is M; `None` where that is always so.
    flag: Option<Value>,
    /// Needs looked at where that is visible, and in which order.
    checks: HashMap<Need, Value>,
    log: Vec<Need>,
}

impl Rewrite<'_, '_> {
    fn fresh(&mut self, ty: Scalar) -> Value {
        fresh(self.values, ty)
    }

    /// Rewrites a region, at the end of which the flag says that these values are M as well.
    fn region(&mut self, region: &mut DeviceRegion, kept: &[Value]) {
        let mark = self.log.len();
        self.insts(&mut region.insts);
        for &value in kept {
            self.assure(value, &mut region.insts);
        }
        self.forget(mark);
    }

    fn forget(&mut self, mark: usize) {
        for need in self.log.drain(mark..) {
            self.checks.remove(&need);
        }
    }

    fn insts(&mut self, insts: &mut Vec<Inst<DeviceLeaf>>) {
        let mut before = std::mem::take(insts);
        for piece in cut(self.facts, &before) {
            match piece {
                Piece::Run(range) => self.run(&before[range], insts),
                Piece::Fixed(n) => {
                    let inst = &mut before[n];
                    let results = std::mem::take(&mut inst.results);
                    let op = std::mem::replace(&mut inst.op, Op::Leaf(DeviceLeaf::Barrier));
                    let mut inst = Inst { results, op };
                    self.fixed(&mut inst, insts);
                    insts.push(inst);
                }
            }
        }
    }

    fn run(&mut self, run: &[Inst<DeviceLeaf>], out: &mut Vec<Inst<DeviceLeaf>>) {
        for step in plan(self.facts, run) {
            match step {
                Step::Plain(n) => out.push(run[n].clone()),
                Step::Segment(members) => {
                    let members: Vec<_> = members.iter().map(|&n| run[n].clone()).collect();
                    let id = self.segments;
                    self.segments += 1;
                    self.segment(&members, id, out);
                }
            }
        }
    }

    fn fixed(&mut self, inst: &mut Inst<DeviceLeaf>, out: &mut Vec<Inst<DeviceLeaf>>) {
        match &mut inst.op {
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
            Op::If { then, els, .. } => self.choice(then, els, &mut inst.results),
            Op::Loop(inner) => self.turns(inner, &mut inst.results, out),
        }
    }

    /// Has the flag say that a value is M which is handed on to one that is kept so.
    fn assure(&mut self, value: Value, out: &mut Vec<Inst<DeviceLeaf>>) {
        let holds = match self.facts.source(value) {
            Some(Addend::Free | Addend::Flag) => return,
            Some(Addend::Check) => self.check((value, ADDEND), out),
            None => self.constant(Scalar::Bool, 0, out),
        };
        self.flag = Some(self.both(self.flag, holds, out));
    }

    fn choice(
        &mut self,
        then: &mut DeviceRegion,
        els: &mut DeviceRegion,
        results: &mut Vec<Value>,
    ) {
        let before = self.flag;
        let kept = |yields: &[Value], results: &[Value]| -> Vec<Value> {
            let pairs = yields.iter().zip(results);
            let kept = pairs.filter(|(_, result)| self.facts.kept(**result));
            kept.map(|(&value, _)| value).collect()
        };
        let (yes, no) = (kept(&then.yields, results), kept(&els.yields, results));
        self.region(then, &yes);
        let after = std::mem::replace(&mut self.flag, before);
        self.region(els, &no);
        let otherwise = std::mem::replace(&mut self.flag, before);
        if yes.is_empty() || (after == before && otherwise == before) {
            return;
        }
        let after = self.truth(after, &mut then.insts);
        then.yields.push(after);
        let otherwise = self.truth(otherwise, &mut els.insts);
        els.yields.push(otherwise);
        let flag = self.fresh(Scalar::Bool);
        results.push(flag);
        self.flag = Some(flag);
    }

    fn turns(
        &mut self,
        inner: &mut Loop<DeviceLeaf>,
        results: &mut Vec<Value>,
        out: &mut Vec<Inst<DeviceLeaf>>,
    ) {
        let outside = self.flag;
        let next = &inner.body.yields[usize::from(inner.breaks)..];
        let sources = inner.params.iter().zip(inner.init.iter().zip(next));
        let kept = sources.filter(|(param, _)| self.facts.kept(**param));
        let (starts, nexts): (Vec<Value>, Vec<Value>) = kept.map(|(_, (&a, &b))| (a, b)).unzip();
        if !starts.is_empty() {
            for &start in &starts {
                self.assure(start, out);
            }
            let start = self.truth(self.flag, out);
            inner.init.push(start);
            let flag = self.fresh(Scalar::Bool);
            inner.params.push(flag);
            self.flag = Some(flag);
        }
        let mark = self.log.len();
        if let LoopKind::While { cond, .. } = &mut inner.kind {
            // What the condition defines stays visible in the body.
            self.insts(&mut cond.insts);
        }
        self.region(&mut inner.body, &nexts);
        self.forget(mark);
        if starts.is_empty() {
            self.flag = outside;
            return;
        }
        let next = self.truth(self.flag, &mut inner.body.insts);
        inner.body.yields.push(next);
        let flag = self.fresh(Scalar::Bool);
        results.push(flag);
        self.flag = Some(flag);
    }
}
