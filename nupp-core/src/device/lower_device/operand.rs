//! How a float's bits become an operand of a hardware operation, and gates for its NaN.
//!
//! A hidden operand is made once where it is first needed and reused where that is visible;
//! literals are hidden once, before everything else.

use super::{Lowering, Rep};
use crate::artifact::UniformLayout;
use crate::device::soft::{INF, MAG, QNAN};
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;

impl Lowering<'_> {
    /// The float operands of a hardware operation. Where one repeats an earlier one, it is hidden
    /// by the second word, so that the compiler cannot know that they are equal.
    pub(super) fn operands(&mut self, reps: &[Rep]) -> Vec<Value> {
        let mut operands = Vec::with_capacity(reps.len());
        for (n, rep) in reps.iter().enumerate() {
            let repeated = reps[..n].iter().any(|earlier| earlier.key == rep.key);
            operands.push(if repeated {
                self.hide_again(*rep)
            } else {
                self.hide(*rep)
            });
        }
        operands
    }

    fn hide(&mut self, rep: Rep) -> Value {
        if let Some(&made) = self.hidden.get(&rep.v) {
            return made;
        }
        if rep.constant.is_some() {
            let made = self.at_entry(|this| this.hide_by(rep.v, UniformLayout::Q));
            // In the prologue, so never out of sight again.
            self.hidden.insert(rep.v, made);
            return made;
        }
        let made = if rep.raw {
            self.float(rep.v)
        } else {
            self.hide_by(rep.v, UniformLayout::Q)
        };
        self.hidden.insert(rep.v, made);
        self.hidden_log.push(rep.v);
        made
    }

    fn hide_again(&mut self, rep: Rep) -> Value {
        self.hide_by(rep.v, UniformLayout::Q2)
    }

    fn hide_by(&mut self, bits: Value, word: u32) -> Value {
        let q = self.word(word);
        let hidden = self.u(bits) ^ self.u(q);
        self.float(hidden.v)
    }

    fn float(&self, bits: Value) -> Value {
        self.ctx.borrow_mut().scalar(ScalarOp::F32FromBits, &[bits])
    }

    /// A mark for [`Self::forget_hidden`].
    pub(super) fn mark_hidden(&self) -> usize {
        self.hidden_log.len()
    }

    /// Forgets the hidden operands made since, whose region is closed.
    pub(super) fn forget_hidden(&mut self, mark: usize) {
        for value in self.hidden_log.drain(mark..) {
            self.hidden.remove(&value);
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
