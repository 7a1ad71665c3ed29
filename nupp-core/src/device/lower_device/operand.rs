//! How a float's bits become an operand of a hardware operation or of integer code, and gates for its NaN.
//!
//! A hidden operand is made once where it is first needed and reused where that is visible;
//! literals are hidden once, before everything else.

use super::{Hidden, Lowering, Rep};
use crate::artifact::UniformLayout;
use crate::device::soft::{INF, MAG, QNAN};
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;

impl Lowering<'_> {
    /// The float operands of a hardware operation, each hidden by another word than those before it. A
    /// driver's compiler may find out that two of them are one value: it knows that a product commutes,
    /// and what integer code does to bits. Hidden alike they would be one operand, and their difference
    /// zero, whatever they are.
    pub(super) fn operands(&mut self, reps: &[Rep]) -> Vec<Value> {
        const BY: [Hidden; 3] = [Hidden::First, Hidden::Second, Hidden::Third];
        let operands = reps.iter().zip(BY);
        operands.map(|(rep, by)| self.hide(*rep, by)).collect()
    }

    fn hide(&mut self, rep: Rep, by: Hidden) -> Value {
        if let Some(&made) = self.hidden[by as usize].get(&rep.v) {
            return made;
        }
        if rep.constant.is_some() {
            let made = self.at_entry(|this| this.hide_by(rep.v, by));
            // In the prologue, so never out of sight again.
            self.hidden[by as usize].insert(rep.v, made);
            return made;
        }
        let made = if rep.raw && by == Hidden::First {
            self.float(rep.v)
        } else {
            self.hide_by(rep.v, by)
        };
        self.hidden[by as usize].insert(rep.v, made);
        self.hidden_log.push((rep.v, by));
        made
    }

    fn hide_by(&mut self, bits: Value, by: Hidden) -> Value {
        let q = match by {
            Hidden::First => self.word(UniformLayout::Q),
            Hidden::Second => self.word(UniformLayout::Q2),
            Hidden::Third => self.third(),
        };
        let hidden = self.u(bits) ^ self.u(q);
        self.float(hidden.v)
    }

    /// A zero that is neither of the two words, as far as a compiler knows.
    fn third(&mut self) -> Value {
        if let Some(third) = self.third {
            return third;
        }
        let (q, q2) = (self.word(UniformLayout::Q), self.word(UniformLayout::Q2));
        let third = self.at_entry(|this| (this.u(q) ^ this.u(q2)).v);
        self.third = Some(third);
        third
    }

    fn float(&self, bits: Value) -> Value {
        self.ctx.borrow_mut().scalar(ScalarOp::F32FromBits, &[bits])
    }

    /// The bits of a float for integer code that may change its sign. A compiler that sees the sign of a
    /// result changed makes an operation with another operand of it, and NVIDIA's forgets there that
    /// subnormals are to be kept. The word is not taken in by an exclusive or, as for operands, since two of
    /// those would cancel.
    pub(super) fn unknown(&mut self, rep: Rep) -> Value {
        if rep.raw || rep.constant.is_some() {
            return rep.v;
        }
        let q = self.word(UniformLayout::Q);
        (self.u(rep.v) | self.u(q)).v
    }

    /// A mark for [`Self::forget_hidden`].
    pub(super) fn mark_hidden(&self) -> usize {
        self.hidden_log.len()
    }

    /// Forgets the hidden operands made since, whose region is closed.
    pub(super) fn forget_hidden(&mut self, mark: usize) {
        for (value, by) in self.hidden_log.drain(mark..) {
            self.hidden[by as usize].remove(&value);
        }
    }

    /// A constant's bits that the compiler does not know, for choices between two constants, which
    /// drivers in use miscompile.
    pub(super) fn hide_constant(&mut self, rep: Rep) -> Value {
        let q = self.word(UniformLayout::Q);
        match rep.ty {
            Scalar::Bool => rep.v,
            Scalar::F32 | Scalar::U32 => (self.u(rep.v) ^ self.u(q)).v,
            Scalar::I32 => {
                let word = self.uint(rep.constant.unwrap_or_default());
                (self.u(word) ^ self.u(q)).as_i().v
            }
        }
    }

    /// The bits with a NaN made the canonical one.
    pub(super) fn gate(&mut self, rep: Rep) -> Value {
        if rep.canonical {
            return rep.v;
        }
        let (mag, inf, nan) = (self.uint(MAG), self.uint(INF), self.uint(QNAN));
        let bits = self.u(rep.v);
        let is_nan = (bits & self.u(mag)).gt(self.u(inf));
        is_nan.pick(self.u(nan), bits).v
    }
}
