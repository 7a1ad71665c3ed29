//! What is known of the values of a body: how each is defined as far as guards care, and which are kept
//! multiples of the least normal number.
//!
//! M is said of a value that is a multiple of 2^-126, infinite or not a number. Such a value is not
//! subnormal, and neither is a sum of two of them. A value is M by what it is (a constant), by a check, or
//! by what made it (a discharged operation, a parameter of a loop that hands such values on), and then only
//! where the flag of its place holds.

use crate::device::carried::Carried;
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::device::soft::{INF, MAG, SIGN};
use crate::ir::entity::{FuncId, Value};
use crate::ir::flow::{Inst, LoopKind, Op};
use crate::ir::op::ScalarOp;
use crate::ir::value_map::ValueMap;

/// The exponent from which on every float is M: its last place is 2^-126.
pub(super) const ADDEND: i32 = -103;
/// The exponent from which on products of two floats are M: the last places are 2^-63.
pub(super) const MULTIPLICAND: i32 = -40;
/// The same for the upper and the lower part of numbers in two parts.
pub(super) const PARTS: [i32; 2] = [-24, -56];
/// The greatest exponent that is asked of a multiplicand.
const MOST: i32 = 0;
/// The exponent of the least normal number.
const LEAST: i32 = -126;

/// A value that has to be zero, or of at least this exponent.
pub(super) type Need = (Value, i32);

/// How a value is defined.
enum Def {
    /// Bits that are known.
    Const(u32),
    /// Another value but for the sign.
    Sign(Value),
    /// One of several, by the way that control took.
    Flow(Vec<Value>),
    /// The result of a guarded sum, product or fused sum.
    Guarded,
}

/// What an addend of a discharged operation rests on.
pub(super) enum Addend {
    /// It is M.
    Free,
    /// It is M where the flag holds.
    Flag,
    /// It has to be looked at.
    Check,
}

/// See the module.
pub(super) struct Facts<'a> {
    carried: &'a [(FuncId, Carried)],
    /// The words that hide operands.
    zeros: Vec<Value>,
    defs: ValueMap<Def>,
    uses: ValueMap<u32>,
    /// The segment in which a guarded operation is discharged, by its result.
    segment: ValueMap<usize>,
    /// Whether a segment's results have to be M behind it.
    gives: Vec<bool>,
    /// Parameters of loops and results of choices that are kept M.
    kept: ValueMap<()>,
}

impl<'a> Facts<'a> {
    /// Of a body, before any segment is known.
    pub(super) fn of(carried: &'a [(FuncId, Carried)], body: &DeviceRegion) -> Facts<'a> {
        let mut facts = Facts {
            carried,
            zeros: Vec::new(),
            defs: ValueMap::default(),
            uses: ValueMap::default(),
            segment: ValueMap::default(),
            gives: Vec::new(),
            kept: ValueMap::default(),
        };
        facts.find_zeros(body);
        if !facts.zeros.is_empty() {
            facts.learn(body);
        }
        facts
    }

    /// The two words that hide operands, if there is a guarded operation.
    pub(super) fn words(&self) -> Option<[Value; 2]> {
        match self.zeros.as_slice() {
            &[q, q2, ..] => Some([q, q2]),
            _ => None,
        }
    }

    /// The guarded operation that an instruction calls, and its operands.
    pub(super) fn guarded<'i>(&self, inst: &'i Inst<DeviceLeaf>) -> Option<(Carried, &'i [Value])> {
        let Op::Leaf(DeviceLeaf::Call { func, args }) = &inst.op else {
            return None;
        };
        let (_, carried) = self.carried.iter().find(|(id, _)| id == func)?;
        let operands = args.len().checked_sub(2)?;
        Some((*carried, &args[..operands]))
    }

    fn find_zeros(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(_) | Op::Scalar(..) => {}
                Op::Leaf(leaf) => {
                    if let (Some((_, operands)), DeviceLeaf::Call { args, .. }) =
                        (self.guarded(inst), leaf)
                    {
                        for &zero in &args[operands.len()..] {
                            if !self.zeros.contains(&zero) {
                                self.zeros.push(zero);
                            }
                        }
                    }
                }
                Op::If { then, els, .. } => {
                    self.find_zeros(then);
                    self.find_zeros(els);
                }
                Op::Loop(inner) => {
                    if let LoopKind::While { cond, .. } = &inner.kind {
                        self.find_zeros(cond);
                    }
                    self.find_zeros(&inner.body);
                }
            }
        }
    }

    fn used(&mut self, values: &[Value]) {
        for value in values {
            let times = self.uses.get(value).copied().unwrap_or(0);
            self.uses.insert(*value, times + 1);
        }
    }

    fn learn(&mut self, region: &DeviceRegion) {
        for inst in &region.insts {
            match &inst.op {
                Op::Const(c) => {
                    let defined = inst.results.iter().map(|&v| (v, Def::Const(c.bits)));
                    self.defs.extend(defined);
                }
                Op::Scalar(op, args) => {
                    self.used(args);
                    if let (Some(of), &[result]) = (self.sign_of(*op, args), &*inst.results) {
                        self.defs.insert(result, Def::Sign(of));
                    }
                }
                Op::Leaf(leaf) => {
                    self.used(&leaf.operands());
                    if let (Some((carried, _)), &[result]) = (self.guarded(inst), &*inst.results)
                        && keeps(carried)
                    {
                        self.defs.insert(result, Def::Guarded);
                    }
                }
                Op::If { cond, then, els } => {
                    self.used(&[*cond]);
                    self.learn(then);
                    self.learn(els);
                    let sides = then.yields.iter().zip(&els.yields);
                    for (&result, (&yes, &no)) in inst.results.iter().zip(sides) {
                        self.defs.insert(result, Def::Flow(vec![yes, no]));
                    }
                }
                Op::Loop(inner) => {
                    self.used(&inner.init);
                    match &inner.kind {
                        LoopKind::Counted { lo, hi, .. } => self.used(&[*lo, *hi]),
                        LoopKind::While { cond, .. } => self.learn(cond),
                    }
                    self.learn(&inner.body);
                    let next = &inner.body.yields[usize::from(inner.breaks)..];
                    let starts = inner.init.iter().zip(next);
                    for ((&param, &result), (&init, &next)) in
                        inner.params.iter().zip(&inst.results).zip(starts)
                    {
                        self.defs.insert(param, Def::Flow(vec![init, next]));
                        self.defs.insert(result, Def::Flow(vec![param]));
                    }
                }
            }
        }
        self.used(&region.yields);
    }

    /// The value of which an operation changes the sign alone, if at all.
    fn sign_of(&self, op: ScalarOp, args: &[Value]) -> Option<Value> {
        let &[a, b] = args else {
            return None;
        };
        let neutral = |v: &Value| match op {
            ScalarOp::U32Xor => self.zeros.contains(v) || self.constant(*v) == Some(SIGN),
            ScalarOp::U32Or => self.zeros.contains(v) || self.constant(*v) == Some(SIGN),
            ScalarOp::U32And => self.constant(*v) == Some(MAG),
            _ => false,
        };
        if neutral(&b) {
            Some(a)
        } else {
            neutral(&a).then_some(b)
        }
    }

    pub(super) fn constant(&self, value: Value) -> Option<u32> {
        match self.defs.get(&value) {
            Some(Def::Const(bits)) => Some(*bits),
            _ => None,
        }
    }

    /// How often a value is used.
    pub(super) fn uses(&self, value: Value) -> u32 {
        self.uses.get(&value).copied().unwrap_or(0)
    }

    fn root(&self, mut value: Value) -> Value {
        while let Some(&Def::Sign(of)) = self.defs.get(&value) {
            value = of;
        }
        value
    }

    /// What has to hold of an operation's multiplicands for their product to be M; nothing where it may
    /// well not hold.
    pub(super) fn product(&self, a: Value, b: Value) -> Option<Vec<Need>> {
        let one = |constant: u32, other: Value| {
            let exponent = beside(constant)?;
            Some(vec![(other, exponent)])
        };
        match (self.constant(a), self.constant(b)) {
            (None, None) => Some(vec![(a, MULTIPLICAND), (b, MULTIPLICAND)]),
            (Some(bits), None) => one(bits, b),
            (None, Some(bits)) => one(bits, a),
            (Some(_), Some(_)) => None,
        }
    }

    /// Whether an addend may be M at all.
    pub(super) fn summable(&self, value: Value) -> bool {
        self.constant(value)
            .is_none_or(|bits| last_place(bits).is_some_and(|place| place >= LEAST))
    }

    /// What an addend of an operation of a segment rests on.
    pub(super) fn addend(&self, value: Value, segment: usize) -> Addend {
        let root = self.root(value);
        match self.defs.get(&root) {
            Some(Def::Const(_)) if self.summable(root) => Addend::Free,
            Some(Def::Guarded) => match self.segment.get(&root) {
                Some(&home) if home == segment => Addend::Free,
                Some(_) => Addend::Flag,
                None => Addend::Check,
            },
            Some(Def::Flow(_)) if self.comes_from_segments(root) => Addend::Flag,
            Some(Def::Const(_) | Def::Flow(_) | Def::Sign(_)) | None => Addend::Check,
        }
    }

    /// Whether control hands a value on that a discharged operation makes.
    fn comes_from_segments(&self, value: Value) -> bool {
        let mut seen = ValueMap::default();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let root = self.root(value);
            if seen.get(&root).is_some() {
                continue;
            }
            seen.insert(root, ());
            if self.segment.get(&root).is_some() {
                return true;
            }
            if let Some(Def::Flow(sources)) = self.defs.get(&root) {
                open.extend(sources);
            }
        }
        false
    }

    /// A new segment, in which these results are discharged operations'.
    pub(super) fn add_segment(&mut self, results: impl Iterator<Item = Value>) -> usize {
        let id = self.gives.len();
        self.gives.push(false);
        self.segment.extend(results.map(|result| (result, id)));
        id
    }

    /// Has a value kept M wherever it comes from.
    pub(super) fn keep(&mut self, value: Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let root = self.root(value);
            if let Some(&home) = self.segment.get(&root) {
                self.gives[home] = true;
            } else if let Some(Def::Flow(sources)) = self.defs.get(&root)
                && self.kept.get(&root).is_none()
                && self.comes_from_segments(root)
            {
                self.kept.insert(root, ());
                open.extend(sources);
            }
        }
    }

    /// Whether a segment's results have to be M behind it.
    pub(super) fn gives(&self, segment: usize) -> bool {
        self.gives[segment]
    }

    /// Whether a parameter or result is kept M.
    pub(super) fn kept(&self, value: Value) -> bool {
        self.kept.get(&value).is_some()
    }

    /// What a value that is handed on to a kept one rests on; `None` where it is a constant that is not M.
    pub(super) fn source(&self, value: Value) -> Option<Addend> {
        let outside = usize::MAX;
        if self.summable(self.root(value)) {
            Some(self.addend(value, outside))
        } else {
            None
        }
    }
}

/// Whether an operation's result is M where its operands are as they have to be.
pub(super) fn keeps(carried: Carried) -> bool {
    match carried {
        Carried::Add | Carried::Mul | Carried::Fma => true,
        Carried::Div | Carried::Sqrt | Carried::RefinedDiv | Carried::RefinedSqrt => false,
    }
}

/// The exponent of a float's last significant bit, very great where there is none; nothing for subnormals.
fn last_place(bits: u32) -> Option<i32> {
    let magnitude = bits & MAG;
    if magnitude == 0 || magnitude >= INF {
        return Some(1000);
    }
    let exponent = (magnitude >> 23) as i32;
    let significand = (magnitude & 0x007f_ffff) | 0x0080_0000;
    (exponent > 0).then(|| exponent - 150 + significand.trailing_zeros() as i32)
}

/// The exponent that a multiplicand needs beside a constant.
fn beside(constant: u32) -> Option<i32> {
    let exponent = (LEAST + 23 - last_place(constant)?).max(LEAST);
    (exponent <= MOST).then_some(exponent)
}

/// Twice a magnitude less 1, from which on magnitudes are of this exponent; zero wraps past it.
pub(super) fn bound(exponent: i32) -> u32 {
    (((exponent + 127) as u32) << 24) - 1
}
