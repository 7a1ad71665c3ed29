//! Values as exact sums: an operation is one only where it cannot wrap, which is asked of the
//! facts that hold.

use super::{Def, Facts, Linear, Term};
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;
use crate::verify::source::range::Interval;

/// How far the operands of an operation are looked through.
pub const DEPTH: usize = 5;

impl Facts<'_> {
    /// A value as a sum of what cannot be taken apart here.
    pub fn sum(&self, value: Value) -> Linear {
        self.sum_to(value, DEPTH)
    }

    /// A value as a sum of itself alone.
    pub fn atom(&self, value: Value) -> Linear {
        Linear::term(Term::Value(self.same(value)))
    }

    fn sum_to(&self, value: Value, depth: usize) -> Linear {
        if let Some(sum) = &self.sums[value.index()] {
            return sum.clone();
        }
        match *self.def(value) {
            Def::Const(c) => return Linear::constant(super::number_of(c)),
            Def::Length(span) => return Linear::term(Term::Length(span)),
            Def::If { cond, then, els } => {
                if let (Some(truth), 1..) = (self.decide(cond), depth) {
                    return self.sum_to(if truth { then } else { els }, depth - 1);
                }
            }
            Def::Scalar(..) if depth > 0 => {
                if let Some(sum) = self.exact(value, depth - 1) {
                    return sum;
                }
            }
            Def::Scalar(..) | Def::Opaque => {}
        }
        if let Some(only) = self.range(value).single() {
            return Linear::constant(only);
        }
        self.atom(value)
    }

    /// A value as a sum of its operands, if its operation is shown not to wrap.
    pub fn exact(&self, value: Value, depth: usize) -> Option<Linear> {
        let &Def::Scalar(op, args) = self.def(value) else {
            return None;
        };
        let arg = |i: usize| self.sum_to(args[i], depth);
        let sum = match op {
            ScalarOp::U32Add | ScalarOp::I32Add => arg(0).combine(1, &arg(1), 1)?,
            ScalarOp::U32Sub | ScalarOp::I32Sub => arg(0).minus(&arg(1))?,
            ScalarOp::U32Mul | ScalarOp::I32Mul => {
                let (a, b) = (arg(0), arg(1));
                match (a.terms.as_slice(), b.terms.as_slice()) {
                    (_, []) => a.combine(b.constant, &Linear::default(), 0)?,
                    ([], _) => b.combine(a.constant, &Linear::default(), 0)?,
                    _ => return None,
                }
            }
            ScalarOp::U32Shl | ScalarOp::I32Shl => {
                let count = self.range(args[1]).single()?;
                let factor = 1i128 << (count & 31);
                arg(0).combine(factor, &Linear::default(), 0)?
            }
            ScalarOp::I32Neg => Linear::default().minus(&arg(0))?,
            ScalarOp::U32FromI32 | ScalarOp::I32FromU32 => arg(0),
            ScalarOp::U32Select | ScalarOp::I32Select => {
                let side = if self.decide(args[0])? { 1 } else { 2 };
                return Some(arg(side));
            }
            _ => return None,
        };
        // Two signed numbers that are not negative wrap to one that is.
        let natural = |value: Value| self.range(value).lo >= 0;
        let signed = op == ScalarOp::I32Add && natural(value) && args.iter().all(|&a| natural(a));
        (signed || self.fits(&sum, op.result())).then_some(sum)
    }

    /// Whether a sum is a value of the type, so that computing it did not wrap.
    fn fits(&self, sum: &Linear, ty: Scalar) -> bool {
        let whole = Interval::of_type(ty);
        let above = sum.plus(-whole.hi);
        let below = Linear::constant(whole.lo).minus(sum);
        match (above, below) {
            (Some(above), Some(below)) => {
                self.search(&above, self.effort.fits) && self.search(&below, self.effort.fits)
            }
            _ => false,
        }
    }
}
