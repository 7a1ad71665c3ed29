//! One segment as straight code behind one branch.
//!
//! Sums, products and fused sums become the device's instructions on hidden operands; of the other guarded
//! operations the text behind their guard is put in. Where all that has to hold can be known before, the
//! straight code stands behind the branch; where some of it is about results of the segment, it is computed
//! first, and the branch decides whether it counts. The other side has the calls as they were.

use std::collections::{HashMap, HashSet};

use super::facts::{ADDEND, Addend, Need, PARTS, bound};
use super::plan::operands;
use super::rolled::Levels;
use super::{Place, Rewrite};
use crate::device::carried::Carried;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Function};
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Const, Inst, Op};
use crate::ir::op::ScalarOp;

pub(super) type Insts = Vec<Inst<DeviceLeaf>>;

/// What values of a segment are called in one of its two texts.
#[derive(Default)]
pub(super) struct Names(HashMap<Value, Value>);

impl Names {
    pub(super) fn of(&self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }

    pub(super) fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.of(value)).collect()
    }

    pub(super) fn extend(&mut self, names: impl Iterator<Item = (Value, Value)>) {
        self.0.extend(names);
    }
}

/// The straight text under construction.
#[derive(Default)]
struct Straight {
    insts: Insts,
    names: Names,
    /// Operands, by which of an operation's they are.
    hidden: HashMap<(Value, usize), Value>,
    /// What has to hold and is known only here.
    late: Vec<Value>,
}

impl Rewrite<'_, '_> {
    /// Appends a segment to a region.
    pub(super) fn segment(&mut self, members: &[Inst<DeviceLeaf>], id: usize, out: &mut Insts) {
        let own: HashSet<Value> = members.iter().flat_map(|m| m.results.clone()).collect();
        let (needs, by_flag) = self.needs(members, id);
        let mut sound = if by_flag { self.flag } else { None };
        let (late, early): (Vec<Need>, Vec<Need>) =
            needs.into_iter().partition(|(v, _)| own.contains(v));
        for need in early {
            let holds = self.check(need, out);
            sound = Some(self.both(sound, holds, out));
        }
        let mut straight = Straight::default();
        for member in members {
            if let Some(holds) = self.straight(member, &own, &mut straight, out) {
                sound = Some(self.both(sound, holds, out));
            }
        }
        for (value, exponent) in late {
            let value = straight.names.of(value);
            let holds = self.looked_at((value, exponent), &mut straight.insts);
            straight.late.push(holds);
        }
        let escaping = self.escaping(members);
        let fast = straight.names.all(&escaping);
        let mut then = DeviceRegion {
            insts: straight.insts,
            yields: fast,
        };
        if !straight.late.is_empty() {
            out.append(&mut then.insts);
            for holds in straight.late {
                sound = Some(self.both(sound, holds, out));
            }
        }
        let cond = self.truth(sound, out);
        let (mut els, again) = self.as_it_was(members, &escaping);
        let (mut results, mut holds) = (escaping, cond);
        if self.facts.gives(id)
            && let Some(again) = again
        {
            // Results may be M although the segment did not hold.
            let yes = self.constant(Scalar::Bool, 1, &mut then.insts);
            then.yields.push(yes);
            els.yields.push(again);
            holds = self.fresh(Scalar::Bool);
            results.push(holds);
        }
        out.push(Inst {
            results,
            op: Op::If { cond, then, els },
        });
        if self.facts.gives(id) {
            let known = by_flag && holds == cond;
            let flag = if known { None } else { self.flag };
            self.flag = Some(self.both(flag, holds, out));
        }
    }

    /// What has to hold of values, and whether the flag has to.
    fn needs(&self, members: &[Inst<DeviceLeaf>], id: usize) -> (Vec<Need>, bool) {
        let (mut needs, mut by_flag) = (Vec::<Need>::new(), false);
        let upper = self.factors_of_products(members);
        let mut want = |(value, exponent): Need| match needs.iter_mut().find(|n| n.0 == value) {
            Some((_, known)) => *known = exponent.max(*known),
            None => needs.push((value, exponent)),
        };
        for member in members {
            let Some((carried, args)) = self.facts.guarded(member) else {
                continue;
            };
            let (factors, addends): (&[Value], &[Value]) = match carried {
                Carried::Add => (&[], args),
                Carried::Mul => (args, &[]),
                Carried::Fma => args.split_at(2),
                Carried::Div | Carried::Sqrt | Carried::RefinedDiv | Carried::RefinedSqrt => {
                    continue;
                }
            };
            if let &[a, b] = factors {
                let mut product = self.facts.product(a, b).unwrap_or_default();
                if let [first, second] = product.as_mut_slice()
                    && upper.contains(&a) != upper.contains(&b)
                {
                    let [more, less] = PARTS;
                    (first.1, second.1) = match upper.contains(&a) {
                        true => (more, less),
                        false => (less, more),
                    };
                }
                product.into_iter().for_each(&mut want);
            }
            for &addend in addends {
                match self.facts.addend(addend, id) {
                    Addend::Free => {}
                    Addend::Flag => by_flag = true,
                    Addend::Check => want((addend, ADDEND)),
                }
            }
        }
        (needs, by_flag)
    }

    /// In functions, which compute with numbers in two parts, the upper parts: only they are multiplied
    /// alone. Elsewhere none.
    fn factors_of_products(&self, members: &[Inst<DeviceLeaf>]) -> HashSet<Value> {
        let mut factors = HashSet::new();
        if let Place::Function { .. } = self.place {
            for member in members {
                if let Some((Carried::Mul, args)) = self.facts.guarded(member) {
                    factors.extend(args);
                }
            }
        }
        factors
    }

    /// The results that are used outside of the segment.
    fn escaping(&self, members: &[Inst<DeviceLeaf>]) -> Vec<Value> {
        let mut inside: HashMap<Value, u32> = HashMap::new();
        for value in members.iter().flat_map(operands) {
            *inside.entry(value).or_default() += 1;
        }
        let results = members.iter().flat_map(|member| &member.results);
        let outside = |v: &Value| self.facts.uses(*v) > inside.get(v).copied().unwrap_or(0);
        results.copied().filter(outside).collect()
    }

    /// The segment with its calls, and what holds where all results are M behind them, if that is looked at.
    fn as_it_was(
        &mut self,
        members: &[Inst<DeviceLeaf>],
        escaping: &[Value],
    ) -> (DeviceRegion, Option<Value>) {
        let (mut names, mut insts) = (Names::default(), Insts::new());
        let levels = Levels::of(members);
        if let Place::Entry(mut spill) = self.place
            && levels.roll()
        {
            let holds = self.rolled(&levels, &mut spill, (&mut names, &mut insts));
            self.place = Place::Entry(spill);
            let yields = names.all(escaping);
            return (DeviceRegion { insts, yields }, Some(holds));
        }
        let software = matches!(self.place, Place::Function { software: true });
        for member in members {
            if !software || self.decided(member, &mut names, &mut insts).is_none() {
                self.copy(member, &mut names, &mut insts);
            }
        }
        let yields = names.all(escaping);
        (DeviceRegion { insts, yields }, None)
    }

    /// A guarded operation's software alone, without another guard and its branch.
    fn decided(
        &mut self,
        member: &Inst<DeviceLeaf>,
        names: &mut Names,
        insts: &mut Insts,
    ) -> Option<()> {
        self.facts.guarded(member)?;
        let Op::Leaf(DeviceLeaf::Call { func, args }) = &member.op else {
            return None;
        };
        let functions = self.functions;
        let callee = functions.get(func.index())?;
        let Op::If { els, .. } = &callee.body.insts.last()?.op else {
            return None;
        };
        let mut own = Names::default();
        for (&param, &arg) in callee.params.iter().zip(args) {
            own.0.insert(param, names.of(arg));
        }
        for inst in &els.insts {
            self.copy(inst, &mut own, insts);
        }
        let pairs = member.results.iter().zip(&els.yields);
        names
            .0
            .extend(pairs.map(|(&result, &slow)| (result, own.of(slow))));
        Some(())
    }

    /// An instruction once more, its results by other names.
    pub(super) fn copy(&mut self, inst: &Inst<DeviceLeaf>, names: &mut Names, insts: &mut Insts) {
        let mut op = inst.op.clone();
        match &mut op {
            Op::Scalar(_, args) => *args = names.all(args),
            Op::Leaf(leaf) => {
                for operand in leaf.operands_mut() {
                    *operand = names.of(*operand);
                }
            }
            // A constant has no operands, and the others are in no segment and in no guard.
            Op::Const(_) | Op::If { .. } | Op::Loop(_) => {}
        }
        let mut results = Vec::with_capacity(inst.results.len());
        for &result in &inst.results {
            let copy = self.fresh(self.values[result.index()].ty);
            names.0.insert(result, copy);
            results.push(copy);
        }
        insts.push(Inst { results, op });
    }

    /// Appends a member to the straight text; gives what else has to hold, where that is known before.
    fn straight(
        &mut self,
        member: &Inst<DeviceLeaf>,
        own: &HashSet<Value>,
        straight: &mut Straight,
        out: &mut Insts,
    ) -> Option<Value> {
        let Some((carried, args)) = self.facts.guarded(member) else {
            self.copy(member, &mut straight.names, &mut straight.insts);
            return None;
        };
        let op = match carried {
            Carried::Add => ScalarOp::F32Add,
            Carried::Mul => ScalarOp::F32Mul,
            Carried::Fma => ScalarOp::F32Fma,
            Carried::Div | Carried::Sqrt | Carried::RefinedDiv | Carried::RefinedSqrt => {
                let before = !args.iter().any(|arg| own.contains(arg));
                return self.behind_guard(member, before, straight, out);
            }
        };
        let mut operands = Vec::with_capacity(args.len());
        for (n, &arg) in args.iter().enumerate() {
            operands.push(self.hide(arg, n, straight));
        }
        let float = self.scalar(op, operands, &mut straight.insts);
        let bits = self.scalar(ScalarOp::F32RawBits, vec![float], &mut straight.insts);
        for &result in &member.results {
            straight.names.0.insert(result, bits);
        }
        None
    }

    /// A float that the compiler knows nothing of, neither of an operation's others.
    fn hide(&mut self, value: Value, n: usize, straight: &mut Straight) -> Value {
        let bits = straight.names.of(value);
        if let Some(&hidden) = straight.hidden.get(&(bits, n)) {
            return hidden;
        }
        let zero = self.zeros[n];
        let hidden = self.scalar(ScalarOp::U32Xor, vec![bits, zero], &mut straight.insts);
        let float = self.scalar(ScalarOp::F32FromBits, vec![hidden], &mut straight.insts);
        straight.hidden.insert((bits, n), float);
        float
    }

    /// Puts in the text of a guarded operation: its guard, and what stands behind that.
    fn behind_guard(
        &mut self,
        member: &Inst<DeviceLeaf>,
        before: bool,
        straight: &mut Straight,
        out: &mut Insts,
    ) -> Option<Value> {
        let functions = self.functions;
        let callee = match &member.op {
            Op::Leaf(DeviceLeaf::Call { func, args }) => {
                functions.get(func.index()).zip(Some(args))
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::If { .. } | Op::Loop(_) => None,
        };
        let text = callee.and_then(|(callee, args)| Some((parts(callee)?, callee, args)));
        let Some(((guard, cond, then), callee, args)) = text else {
            self.copy(member, &mut straight.names, &mut straight.insts);
            return None;
        };
        let mut names = Names::default();
        for (&param, &arg) in callee.params.iter().zip(args) {
            names.0.insert(param, straight.names.of(arg));
        }
        let place = if before { out } else { &mut straight.insts };
        for inst in guard {
            self.copy(inst, &mut names, place);
        }
        let holds = names.of(cond);
        for inst in &then.insts {
            self.copy(inst, &mut names, &mut straight.insts);
        }
        let pairs = member.results.iter().zip(&then.yields);
        let results = pairs.map(|(&result, &fast)| (result, names.of(fast)));
        straight.names.0.extend(results);
        if before {
            return Some(holds);
        }
        straight.late.push(holds);
        None
    }

    /// Whether a need holds: known already, or looked at here.
    pub(super) fn check(&mut self, need: Need, out: &mut Insts) -> Value {
        if let Some(&known) = self.checks.get(&need) {
            return known;
        }
        let holds = self.looked_at(need, out);
        self.checks.insert(need, holds);
        self.log.push(need);
        holds
    }

    pub(super) fn looked_at(&mut self, (value, exponent): Need, out: &mut Insts) -> Value {
        let one = self.constant(Scalar::U32, 1, out);
        let least = self.constant(Scalar::U32, bound(exponent), out);
        let twice = self.scalar(ScalarOp::U32Add, vec![value, value], out);
        let less = self.scalar(ScalarOp::U32Sub, vec![twice, one], out);
        self.scalar(ScalarOp::U32Le, vec![least, less], out)
    }

    pub(super) fn both(&mut self, a: Option<Value>, b: Value, out: &mut Insts) -> Value {
        match a {
            Some(a) if a != b => self.scalar(ScalarOp::BoolAnd, vec![a, b], out),
            Some(_) | None => b,
        }
    }

    /// A flag as a value.
    pub(super) fn truth(&mut self, flag: Option<Value>, out: &mut Insts) -> Value {
        match flag {
            Some(flag) => flag,
            None => self.constant(Scalar::Bool, 1, out),
        }
    }

    pub(super) fn constant(&mut self, ty: Scalar, bits: u32, out: &mut Insts) -> Value {
        let value = self.fresh(ty);
        out.push(Inst {
            results: vec![value],
            op: Op::Const(Const { ty, bits }),
        });
        value
    }

    pub(super) fn scalar(&mut self, op: ScalarOp, args: Vec<Value>, out: &mut Insts) -> Value {
        let value = self.fresh(op.result());
        out.push(Inst {
            results: vec![value],
            op: Op::Scalar(op, args),
        });
        value
    }
}

/// A guarded operation's instructions before its branch, what that asks, and the device's side of it.
fn parts(function: &Function) -> Option<(&[Inst<DeviceLeaf>], Value, &DeviceRegion)> {
    let (last, guard) = function.body.insts.split_last()?;
    let Op::If { cond, then, .. } = &last.op else {
        return None;
    };
    let plain = |inst: &Inst<DeviceLeaf>| matches!(inst.op, Op::Const(_) | Op::Scalar(..));
    let straight = guard.iter().chain(&then.insts).all(plain);
    (straight && last.results == function.body.yields).then_some((guard, *cond, then))
}
