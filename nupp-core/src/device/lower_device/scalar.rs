//! Scalar operations: which are the device's, which are calls of `soft`, which are a few integer
//! instructions in place.

use super::{LowerError, Lowering, Rep};
use crate::artifact::UniformLayout;
use crate::device::carried::Carried;
use crate::device::math;
use crate::device::profile::Route;
use crate::device::soft::{INF, MAG, SIGN, Soft};
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;
use crate::math::Function;

impl Lowering<'_> {
    /// Lowers one operation and gives what its result is.
    pub(super) fn scalar(&mut self, op: ScalarOp, args: &[Value]) -> Result<Rep, LowerError> {
        let reps = args
            .iter()
            .map(|&arg| self.rep(arg))
            .collect::<Result<Vec<_>, _>>()?;
        let (v, canonical) = self.operation(op, &reps);
        Ok(Rep {
            v,
            ty: op.result(),
            raw: false,
            canonical,
            constant: None,
        })
    }

    /// The value, and whether it is a float that is never a NaN of other bits than the canonical.
    fn operation(&mut self, op: ScalarOp, reps: &[Rep]) -> (Value, bool) {
        use ScalarOp as O;
        match op {
            O::F32Add => self.routed(self.profile.add, op, Soft::Add, reps),
            O::F32Sub => self.subtract(reps),
            O::F32Mul => self.routed(self.profile.mul, op, Soft::Mul, reps),
            O::F32Div => self.routed(self.profile.div, op, Soft::Div, reps),
            O::F32Sqrt => self.routed(self.profile.sqrt, op, Soft::Sqrt, reps),
            O::F32Fma => self.routed(self.profile.fma, op, Soft::Fma, reps),
            O::F32Eq => self.compared(op, Soft::Eq, reps),
            O::F32Lt => self.compared(op, Soft::Lt, reps),
            O::F32Le => self.compared(op, Soft::Le, reps),
            O::F32Min => self.software(op, Soft::Min, reps),
            O::F32Max => self.software(op, Soft::Max, reps),
            O::F32Floor => self.software(op, Soft::Floor, reps),
            O::F32Ceil => self.software(op, Soft::Ceil, reps),
            O::F32Trunc => self.software(op, Soft::Trunc, reps),
            O::F32Round => self.software(op, Soft::Round, reps),
            O::Math(function) => self.function(op, function, reps),
            O::F32FromF16 => self.software(op, Soft::FromF16, reps),
            O::F32ToF16 => self.software(op, Soft::ToF16, reps),
            O::F32ToBf16 => self.software(op, Soft::ToBf16, reps),
            O::U32WrapF32 => self.software(op, Soft::Wrap, reps),
            O::U32SaturateF32 => self.software(op, Soft::SaturateU32, reps),
            O::I32WrapF32 => self.signed(op, Soft::Wrap, reps),
            O::I32SaturateF32 => self.signed(op, Soft::SaturateI32, reps),
            O::F32FromI32 | O::F32FromU32 => self.converted(op, reps),
            O::F32Neg | O::F32Abs | O::F32CopySign => (self.sign(op, reps), false),
            O::F32IsNan | O::F32IsInf => (self.class(op, reps[0]), false),
            O::F32FromBits | O::F32RawBits => (reps[0].v, false),
            O::F32ToBits => (self.bits(reps[0]), false),
            O::F32FromBf16 => (self.shifted(reps[0]), false),
            O::F32Select => self.select(O::U32Select, reps),
            O::U32Select | O::I32Select => self.select(op, reps),
            O::U32FromI32
            | O::I32FromU32
            | O::U32Add
            | O::U32Sub
            | O::U32Mul
            | O::U32Div
            | O::U32Mod
            | O::U32Min
            | O::U32Max
            | O::U32And
            | O::U32Or
            | O::U32Xor
            | O::U32Not
            | O::U32Shl
            | O::U32Shr
            | O::U32RotateLeft
            | O::U32RotateRight
            | O::U32Popcount
            | O::U32LeadingZeros
            | O::U32TrailingZeros
            | O::U32MulHigh
            | O::U32Eq
            | O::U32Lt
            | O::U32Le
            | O::I32Add
            | O::I32Sub
            | O::I32Mul
            | O::I32Div
            | O::I32Mod
            | O::I32Neg
            | O::I32Min
            | O::I32Max
            | O::I32And
            | O::I32Or
            | O::I32Xor
            | O::I32Not
            | O::I32Shl
            | O::I32Shr
            | O::I32MulHigh
            | O::I32Eq
            | O::I32Lt
            | O::I32Le
            | O::BoolAnd
            | O::BoolOr
            | O::BoolXor
            | O::BoolNot
            | O::BoolSelect => (self.same(op, reps), false),
        }
    }

    /// The operation itself, on integers and booleans.
    fn same(&self, op: ScalarOp, reps: &[Rep]) -> Value {
        let args: Vec<Value> = reps.iter().map(|rep| rep.v).collect();
        self.ctx.borrow_mut().scalar(op, &args)
    }

    /// A software operation on bits.
    fn software(&mut self, op: ScalarOp, soft: Soft, reps: &[Rep]) -> (Value, bool) {
        self.software.insert(op);
        let args: Vec<Value> = reps.iter().map(|rep| rep.v).collect();
        (self.lib.call(soft, &args), true)
    }

    /// A mathematical function: a call of one function of the module, however often it is used.
    fn function(&mut self, op: ScalarOp, function: Function, reps: &[Rep]) -> (Value, bool) {
        self.software.insert(op);
        let hides = [self.word(UniformLayout::Q), self.word(UniformLayout::Q2)];
        let args: Vec<Value> = reps.iter().map(|rep| rep.v).chain(hides).collect();
        (math::call(&self.lib, self.profile, function, &args), true)
    }

    /// A software operation whose word is an int32.
    fn signed(&mut self, op: ScalarOp, soft: Soft, reps: &[Rep]) -> (Value, bool) {
        let (word, _) = self.software(op, soft, reps);
        (self.u(word).as_i().v, false)
    }

    /// The device's instruction, bare or carried, or the software operation.
    fn routed(&mut self, route: Route, op: ScalarOp, soft: Soft, reps: &[Rep]) -> (Value, bool) {
        match Carried::of(soft, route) {
            Some(carried) => {
                self.software.insert(op);
                let (q, q2) = (self.word(UniformLayout::Q), self.word(UniformLayout::Q2));
                let args: Vec<Value> = reps.iter().map(|rep| rep.v).collect();
                // Discharged it is the device's instruction, whose NaN may have any bits.
                (carried.call(&self.lib, &args, q, q2), false)
            }
            None if route == Route::Opaque => (self.hardware(op, reps), false),
            None => self.software(op, soft, reps),
        }
    }

    fn hardware(&mut self, op: ScalarOp, reps: &[Rep]) -> Value {
        let args = self.operands(reps);
        let mut builder = self.ctx.borrow_mut();
        let result = builder.scalar(op, &args);
        match op.result() {
            Scalar::F32 => builder.scalar(ScalarOp::F32RawBits, &[result]),
            Scalar::I32 | Scalar::U32 | Scalar::Bool => result,
        }
    }

    /// But for the device's bare instruction, the sum with the second operand's sign flipped.
    fn subtract(&mut self, reps: &[Rep]) -> (Value, bool) {
        if self.profile.add == Route::Opaque {
            return (self.hardware(ScalarOp::F32Sub, reps), false);
        }
        let flipped = Rep {
            v: self.flip(reps[1]),
            ..reps[1]
        };
        let operands = [reps[0], flipped];
        self.routed(self.profile.add, ScalarOp::F32Sub, Soft::Add, &operands)
    }

    fn compared(&mut self, op: ScalarOp, soft: Soft, reps: &[Rep]) -> (Value, bool) {
        let (value, _) = self.routed(self.profile.compare, op, soft, reps);
        (value, false)
    }

    fn converted(&mut self, op: ScalarOp, reps: &[Rep]) -> (Value, bool) {
        if self.profile.from_int == Route::Opaque {
            let float = self.same(op, reps);
            let bits = self.ctx.borrow_mut().scalar(ScalarOp::F32RawBits, &[float]);
            return (bits, true);
        }
        if op == ScalarOp::F32FromU32 {
            return self.software(op, Soft::FromU32, reps);
        }
        let word = self
            .ctx
            .borrow_mut()
            .scalar(ScalarOp::U32FromI32, &[reps[0].v]);
        self.software(op, Soft::FromI32, &[Rep { v: word, ..reps[0] }])
    }

    fn flip(&mut self, rep: Rep) -> Value {
        let (bits, sign) = (self.unknown(rep), self.uint(SIGN));
        (self.u(bits) ^ self.u(sign)).v
    }

    fn bits(&mut self, rep: Rep) -> Value {
        let gated = self.gate(rep);
        self.unknown(Rep { v: gated, ..rep })
    }

    fn sign(&mut self, op: ScalarOp, reps: &[Rep]) -> Value {
        let (sign, mag, inf) = (self.uint(SIGN), self.uint(MAG), self.uint(INF));
        let (sign, mag, inf) = (self.u(sign), self.u(mag), self.u(inf));
        let bits = self.unknown(reps[0]);
        let bits = self.u(bits);
        match op {
            ScalarOp::F32Neg => (bits ^ sign).v,
            ScalarOp::F32Abs => (bits & mag).v,
            _ => {
                // A NaN has no visible sign, so as the second operand it counts as positive.
                let other = self.unknown(reps[1]);
                let other = self.u(other);
                let zero = self.uint(0);
                let is_nan = (other & mag).gt(inf);
                ((bits & mag) | is_nan.pick(self.u(zero), other & sign)).v
            }
        }
    }

    fn class(&mut self, op: ScalarOp, rep: Rep) -> Value {
        let (mag, inf) = (self.uint(MAG), self.uint(INF));
        let magnitude = self.u(rep.v) & self.u(mag);
        match op {
            ScalarOp::F32IsNan => magnitude.gt(self.u(inf)).v,
            _ => magnitude.eq(self.u(inf)).v,
        }
    }

    fn shifted(&mut self, rep: Rep) -> Value {
        let sixteen = self.uint(16);
        (self.u(rep.v) << self.u(sixteen)).v
    }

    /// A choice of words. One of two constants is hidden: drivers in use miscompile such a choice.
    fn select(&mut self, op: ScalarOp, reps: &[Rep]) -> (Value, bool) {
        let (cond, yes, no) = (reps[0], reps[1], reps[2]);
        let both = yes.constant.is_some() && no.constant.is_some();
        let other = if both { self.hide_constant(no) } else { no.v };
        let value = self.ctx.borrow_mut().scalar(op, &[cond.v, yes.v, other]);
        (value, yes.canonical && no.canonical)
    }
}
