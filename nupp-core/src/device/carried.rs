//! Operations that the device carries for the most part: behind a guard, or refined from others.
//!
//! A guard looks at a result of the device and takes it only where it cannot have been touched by a
//! subnormal that was flushed to zero, be it an operand or the result; elsewhere the software
//! operation decides. A refined operation is a correctly rounded quotient or root made of products
//! and fused sums (Newton's method and an exact remainder) for operands whose exponents keep every
//! intermediate result far from overflow and from subnormals, and the software operation for others.
//! Either way the result is right to the bit. A call's NaN is canonical; that of a run whose guards
//! `pass::discharge_guards` took together need not be.

use super::soft::dsl::{B, Ctx, U};
use super::soft::{Library, MAG, Routine, SIGN, Soft};
use crate::device::profile::Route;
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;

#[cfg(test)]
mod tests;

/// An operation and how it is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// A guarded sum.
    Add,
    /// A guarded product.
    Mul,
    /// A guarded fused sum.
    Fma,
    /// A guarded quotient.
    Div,
    /// A guarded root.
    Sqrt,
    /// A refined quotient.
    RefinedDiv,
    /// A refined root.
    RefinedSqrt,
}

/// Infinity, and one more than all finite magnitudes.
const INF: u32 = 0x7f80_0000;
/// The least magnitude that is not subnormal.
const LEAST: u32 = 0x0080_0000;
/// From here on a subnormal operand of a sum is less than a quarter of the sum's last place.
const FAR: u32 = 0x0e00_0000;

impl Carried {
    /// The form that a route asks for, if the operation has it.
    pub fn of(soft: Soft, route: Route) -> Option<Carried> {
        match (route, soft) {
            (Route::Guarded, Soft::Add) => Some(Carried::Add),
            (Route::Guarded, Soft::Mul) => Some(Carried::Mul),
            (Route::Guarded, Soft::Fma) => Some(Carried::Fma),
            (Route::Guarded, Soft::Div) => Some(Carried::Div),
            (Route::Guarded, Soft::Sqrt) => Some(Carried::Sqrt),
            (Route::Refined, Soft::Div) => Some(Carried::RefinedDiv),
            (Route::Refined, Soft::Sqrt) => Some(Carried::RefinedSqrt),
            (Route::Opaque | Route::Guarded | Route::Refined | Route::Software, _) => None,
        }
    }

    /// The name its function is printed with.
    pub fn name(self) -> &'static str {
        match self {
            Carried::Add => "f32_add_guarded",
            Carried::Mul => "f32_mul_guarded",
            Carried::Fma => "f32_fma_guarded",
            Carried::Div => "f32_div_guarded",
            Carried::Sqrt => "f32_sqrt_guarded",
            Carried::RefinedDiv => "f32_div_refined",
            Carried::RefinedSqrt => "f32_sqrt_refined",
        }
    }

    /// What decides where the device is not asked.
    fn soft(self) -> Soft {
        match self {
            Carried::Add => Soft::Add,
            Carried::Mul => Soft::Mul,
            Carried::Fma => Soft::Fma,
            Carried::Div | Carried::RefinedDiv => Soft::Div,
            Carried::Sqrt | Carried::RefinedSqrt => Soft::Sqrt,
        }
    }

    /// Calls it on bits; `q` and `q2` are the words that hide operands.
    pub fn call(self, lib: &Library<'_>, args: &[Value], q: Value, q2: Value) -> Value {
        let operands = self.soft().params().len();
        let words = vec![Scalar::U32; operands + 2];
        let routine = Routine::Carried(self);
        let func = lib.routine(routine, self.name(), &words, Scalar::U32, |params| {
            let unit = Unit {
                lib,
                ctx: lib.ctx(),
                q: params[operands],
                q2: params[operands + 1],
            };
            let args: Vec<U<'_>> = params[..operands].iter().map(|&v| unit.word(v)).collect();
            self.build(unit, &args)
        });
        let args = [args, &[q, q2]].concat();
        lib.call_id(func, &args, Scalar::U32)
    }

    fn build<'a>(self, unit: Unit<'a, '_>, args: &[U<'a>]) -> Value {
        let soft = self.soft();
        // What the device's instruction gives, and the magnitude of that.
        let asked = |op| {
            let result = unit.op(op, args);
            (result, result & MAG)
        };
        match self {
            Carried::Add => {
                let (result, magnitude) = asked(ScalarOp::F32Add);
                let sound = (magnitude - FAR).lt(INF - FAR);
                unit.where_sound(sound, soft, args, || result)
            }
            Carried::Mul => {
                let (result, magnitude) = asked(ScalarOp::F32Mul);
                let sound = (magnitude - LEAST).lt(INF - LEAST);
                unit.where_sound(sound, soft, args, || result)
            }
            Carried::Fma => {
                let (result, magnitude) = asked(ScalarOp::F32Fma);
                // A subnormal's magnitude less 1, twice, is below this; that of zero wraps.
                let operand = |n: usize| (args[n] << 1) - 1;
                let least = operand(0).min(operand(1)).min(operand(2));
                let sound = (magnitude - LEAST).lt(INF - LEAST) & least.ge(2 * LEAST - 1);
                unit.where_sound(sound, soft, args, || result)
            }
            Carried::Div => {
                let (result, magnitude) = asked(ScalarOp::F32Div);
                // The reciprocal of a greater divisor is subnormal, should the device multiply by it.
                let divisor = (args[1] & MAG).lt(0x7e80_0000);
                let sound = (magnitude - LEAST).lt(INF - LEAST) & divisor;
                unit.where_sound(sound, soft, args, || result)
            }
            Carried::Sqrt => {
                let sound = (args[0] - LEAST).lt(INF - LEAST);
                unit.where_sound(sound, soft, args, || unit.op(ScalarOp::F32Sqrt, args))
            }
            Carried::RefinedDiv => {
                // Both exponents within 60 of 1's: no part of the sequence leaves the normal range.
                let near = |x: U<'a>| ((x & MAG) - (67 << 23)).lt(120 << 23);
                let sound = near(args[0]) & near(args[1]);
                unit.where_sound(sound, soft, args, || unit.quotient(args[0], args[1]))
            }
            Carried::RefinedSqrt => {
                let sound = (args[0] - LEAST).lt(INF - LEAST);
                unit.where_sound(sound, soft, args, || unit.root(args[0]))
            }
        }
    }
}

/// A function under construction: floats are their bits.
#[derive(Clone, Copy)]
struct Unit<'a, 'l> {
    lib: &'l Library<'a>,
    ctx: Ctx<'a>,
    q: Value,
    q2: Value,
}

impl<'a> Unit<'a, '_> {
    fn word(&self, v: Value) -> U<'a> {
        U { ctx: self.ctx, v }
    }

    /// The device's instruction on hidden operands, each hidden by another zero, since they may be one
    /// value where the function is called.
    fn op(&self, op: ScalarOp, args: &[U<'a>]) -> U<'a> {
        let scalar = |op, args: &[Value]| self.ctx.borrow_mut().scalar(op, args);
        let hide = |(n, &arg): (usize, &U<'a>)| {
            let (q, q2) = (self.word(self.q), self.word(self.q2));
            let zero = [q, q2, if n == 2 { q ^ q2 } else { q }][n];
            scalar(ScalarOp::F32FromBits, &[(arg ^ zero).v])
        };
        let operands: Vec<Value> = args.iter().enumerate().map(hide).collect();
        let result = scalar(op, &operands);
        self.word(scalar(ScalarOp::F32RawBits, &[result]))
    }

    /// `fast`, computed where `sound` holds, and elsewhere the software operation.
    fn where_sound(
        &self,
        sound: B<'a>,
        soft: Soft,
        args: &[U<'a>],
        fast: impl FnOnce() -> U<'a>,
    ) -> Value {
        self.ctx.borrow_mut().open();
        let value = fast().v;
        let then = self.ctx.borrow_mut().close(vec![value]);
        self.ctx.borrow_mut().open();
        let args: Vec<Value> = args.iter().map(|arg| arg.v).collect();
        let slow = self.lib.call(soft, &args);
        let els = self.ctx.borrow_mut().close(vec![slow]);
        let results = self.ctx.borrow_mut().if_(sound.v, then, els);
        results[0]
    }

    fn fma(&self, a: U<'a>, b: U<'a>, c: U<'a>) -> U<'a> {
        self.op(ScalarOp::F32Fma, &[a, b, c])
    }

    fn mul(&self, a: U<'a>, b: U<'a>) -> U<'a> {
        self.op(ScalarOp::F32Mul, &[a, b])
    }

    fn constant(&self, bits: u32) -> U<'a> {
        let v = self.ctx.borrow_mut().u32(bits);
        self.word(v)
    }

    fn float(&self, x: f32) -> U<'a> {
        self.constant(x.to_bits())
    }

    /// `y + y (1 - d y)`: a step of Newton's method for the reciprocal of `d`, given `-d`.
    fn reciprocal_step(&self, minus_d: U<'a>, y: U<'a>) -> U<'a> {
        let e = self.fma(minus_d, y, self.float(1.0));
        self.fma(y, e, y)
    }

    /// `q + y (a - q b)`, given `-b`: the remainder is exact.
    fn quotient_step(&self, a: U<'a>, minus_b: U<'a>, y: U<'a>, q: U<'a>) -> U<'a> {
        let r = self.fma(q, minus_b, a);
        self.fma(r, y, q)
    }

    /// a / b, correctly rounded: the reciprocal of b is made correctly rounded first (P. Markstein,
    /// "IA-64 and Elementary Functions", 2000, section 8), of which a mantissa of all ones is the
    /// one exception.
    fn quotient(&self, a: U<'a>, b: U<'a>) -> U<'a> {
        let minus_b = b ^ SIGN;
        let seed = self.constant(0x7ef3_11c3) - b;
        let e = self.fma(minus_b, seed, self.float(1.0));
        let square = self.mul(e, e);
        let y = self.fma(e, seed, seed);
        let y = self.fma(square, y, y);
        let y = self.reciprocal_step(minus_b, y);
        let y = self.reciprocal_step(minus_b, y);
        let ones = (b & 0x007f_ffff).eq(0x007f_ffff).bit();
        let y = y | ones;
        let q = self.mul(a, y);
        let q = self.quotient_step(a, minus_b, y, q);
        self.quotient_step(a, minus_b, y, q)
    }

    /// The root of a positive normal number, correctly rounded: Goldschmidt's iteration for it and
    /// half its reciprocal, then a step with the exact remainder.
    fn root(&self, x: U<'a>) -> U<'a> {
        let exponent = ((x >> 23) - 127).as_i().shift_right(1).as_u() << 23;
        // In 1 .. 4, its exponent 0 or 1.
        let m = x - (exponent << 1);
        let (half, one) = (self.float(0.5), self.float(1.0));
        let y = self.constant(0x5f37_59df) - (m >> 1);
        let e = self.fma(self.mul(m, y) ^ SIGN, y, one);
        let p = self.fma(e, self.float(0.375), half);
        let y = self.fma(self.mul(y, e), p, y);
        let (g, h) = (self.mul(m, y), self.mul(y, half));
        let r = self.fma(g ^ SIGN, h, half);
        let (g, h) = (self.fma(g, r, g), self.fma(h, r, h));
        let rest = self.fma(g ^ SIGN, g, m);
        self.fma(rest, h, g) + exponent
    }
}
