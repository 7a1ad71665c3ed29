//! Mathematical functions as functions of a device module.
//!
//! [`Device`] is the machine that builds: a float is the uint32 of its bits, as everywhere in a
//! module, and each operation goes the way of the profile: the device's instruction with hidden
//! operands (see `lower_device`), or a call of `soft`. Without a fused multiply-add a product's
//! error is Dekker's, in the device's own operations, since a software one for each product would
//! make drivers compile for seconds. The text of a function appears once in a module; what hides
//! operands comes in as parameters. The exceptions are a function of their own, called in a
//! branch that is almost never taken.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Mul, Sub};

use super::carried::Carried;
use super::profile::{Profile, Route};
use super::soft::dsl::{B, Ctx, U};
use super::soft::{INF, Library, MAG, Routine, SIGN, Soft};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::op::ScalarOp;
use crate::math::Function;
use crate::math::double::Double;
use crate::math::machine::Machine;
use crate::math::plain::UPPER;

#[cfg(test)]
mod tests;

/// Calls a function on bits. The arguments are those bits and the two words that hide operands;
/// the result's NaN is canonical.
pub fn call(lib: &Library<'_>, profile: &Profile, function: Function, args: &[Value]) -> Value {
    lib.call_id(id(lib, profile, function), args, Scalar::U32)
}

/// The device function of a function, built now if it is not there yet.
fn id(lib: &Library<'_>, profile: &Profile, function: Function) -> FuncId {
    let arity = function.arity();
    let words = vec![Scalar::U32; arity + 2];
    let name = name(function);
    let build = |params: &[Value]| {
        let room = Room {
            ctx: lib.ctx(),
            lib,
            profile,
            q: params[arity],
            q2: params[arity + 1],
            hides: hides(lib, profile, params[arity], params[arity + 1]),
            known: RefCell::default(),
        };
        let device = Device(&room);
        let args = [params[0], params[arity - 1]].map(|v| device.value(v));
        let rounded = function.core(device, args);
        if function.exceptions().is_empty() {
            rounded.value.v
        } else {
            rarely(lib, function, rounded.hard, params[0], rounded.value.v)
        }
    };
    lib.routine(Routine::Math(function), &name, &words, Scalar::U32, build)
}

/// The words that hide a first, a second and a third operand; a third is hidden in fused operations only.
fn hides(lib: &Library<'_>, profile: &Profile, q: Value, q2: Value) -> [Value; 3] {
    let third = match profile.fma {
        Route::Opaque => lib.ctx().borrow_mut().scalar(ScalarOp::U32Xor, &[q, q2]),
        Route::Guarded | Route::Refined | Route::Software => q2,
    };
    [q, q2, third]
}

fn name(function: Function) -> String {
    function.name().replace('.', "_")
}

/// `value`, or what the exceptions have for `x` where `hard` holds.
fn rarely(lib: &Library<'_>, function: Function, hard: B<'_>, x: Value, value: Value) -> Value {
    let exceptions = exceptions(lib, function);
    let ctx = lib.ctx();
    ctx.borrow_mut().open();
    let found = lib.call_id(exceptions, &[x, value], Scalar::U32);
    let then = ctx.borrow_mut().close(vec![found]);
    ctx.borrow_mut().open();
    let els = ctx.borrow_mut().close(vec![value]);
    let results = ctx.borrow_mut().if_(hard.v, then, els);
    results[0]
}

/// A chain of comparisons: short text that runs a few times in a million.
fn exceptions(lib: &Library<'_>, function: Function) -> FuncId {
    let words = [Scalar::U32; 2];
    let name = format!("{}_exceptions", name(function));
    let build = |params: &[Value]| {
        let word = |v: Value| U { ctx: lib.ctx(), v };
        let (x, value) = (word(params[0]), word(params[1]));
        let mut found = value;
        for &(input, output) in function.exceptions() {
            found = x.eq(input).pick(output, found);
        }
        found.v
    };
    lib.routine(
        Routine::Exceptions(function),
        &name,
        &words,
        Scalar::U32,
        build,
    )
}

/// One function under construction.
struct Room<'a> {
    ctx: Ctx<'a>,
    lib: &'a Library<'a>,
    profile: &'a Profile,
    /// Zero, and zero again; the driver's compiler does not know.
    q: Value,
    q2: Value,
    hides: [Value; 3],
    known: RefCell<Known>,
}

/// What has been built once already, where it can be used.
#[derive(Clone, Default)]
struct Known {
    literals: HashMap<u32, Value>,
    /// By value and the word that hides it.
    hidden: HashMap<(Value, Value), Value>,
    halves: HashMap<Value, (Value, Value)>,
}

impl<'a> Room<'a> {
    fn scalar(&self, op: ScalarOp, args: &[Value]) -> Value {
        self.ctx.borrow_mut().scalar(op, args)
    }

    fn word(&self, v: Value) -> U<'a> {
        U { ctx: self.ctx, v }
    }

    /// A constant, the same value wherever it is asked for.
    fn literal(&self, bits: u32) -> Value {
        let build = || self.ctx.borrow_mut().u32(bits);
        let literals = &mut self.known.borrow_mut().literals;
        *literals.entry(bits).or_insert_with(build)
    }

    /// The float of these bits, as an operand that the compiler knows nothing of.
    fn hide(&self, bits: Value, word: Value) -> Value {
        let build = || {
            let hidden = self.word(bits) ^ self.word(word);
            self.scalar(ScalarOp::F32FromBits, &[hidden.v])
        };
        let hidden = &mut self.known.borrow_mut().hidden;
        *hidden.entry((bits, word)).or_insert_with(build)
    }

    /// An operation of the device, each operand hidden by another word than those before it, as those
    /// of a kernel are (`lower_device::operand` says why).
    fn hardware(&self, op: ScalarOp, args: &[Value]) -> Value {
        let operands = args.iter().zip(self.hides);
        let operands: Vec<Value> = operands.map(|(&arg, word)| self.hide(arg, word)).collect();
        self.scalar(op, &operands)
    }

    /// An operation on bits by its route.
    fn routed(&self, route: Route, op: ScalarOp, soft: Soft, args: &[Value]) -> Value {
        if let Some(carried) = Carried::of(soft, route) {
            return carried.call(self.lib, args, self.q, self.q2);
        }
        if route != Route::Opaque {
            return self.lib.call(soft, args);
        }
        let result = self.hardware(op, args);
        match op.result() {
            Scalar::F32 => self.scalar(ScalarOp::F32RawBits, &[result]),
            Scalar::I32 | Scalar::U32 | Scalar::Bool => result,
        }
    }

    fn add(&self, a: Value, b: Value) -> Value {
        self.routed(self.profile.add, ScalarOp::F32Add, Soft::Add, &[a, b])
    }

    fn sub(&self, a: Value, b: Value) -> Value {
        match self.profile.add {
            Route::Opaque => self.routed(Route::Opaque, ScalarOp::F32Sub, Soft::Add, &[a, b]),
            Route::Guarded | Route::Refined | Route::Software => self.add(a, self.negative(b)),
        }
    }

    fn mul(&self, a: Value, b: Value) -> Value {
        self.routed(self.profile.mul, ScalarOp::F32Mul, Soft::Mul, &[a, b])
    }

    fn fma(&self, a: Value, b: Value, c: Value) -> Value {
        self.routed(self.profile.fma, ScalarOp::F32Fma, Soft::Fma, &[a, b, c])
    }

    fn div(&self, a: Value, b: Value) -> Value {
        self.routed(self.profile.div, ScalarOp::F32Div, Soft::Div, &[a, b])
    }

    /// The sign changed of bits of which the compiler does not know what made them: see
    /// `Lowering::unknown`.
    fn negative(&self, x: Value) -> Value {
        ((self.word(x) | self.word(self.q)) ^ self.word(self.literal(SIGN))).v
    }

    /// A float as the sum of its upper 12 significant bits and the rest.
    fn halves(&self, x: Value) -> (Value, Value) {
        if let Some(&halves) = self.known.borrow().halves.get(&x) {
            return halves;
        }
        let upper = (self.word(x) & self.word(self.literal(UPPER))).v;
        let halves = (upper, self.sub(x, upper));
        self.known.borrow_mut().halves.insert(x, halves);
        halves
    }

    /// The error of a product, as `math::plain::Separate` has it.
    fn error_by_halves(&self, a: Value, b: Value, product: Value) -> Value {
        let ((a1, a2), (b1, b2)) = (self.halves(a), self.halves(b));
        let error = self.sub(self.mul(a1, b1), product);
        let error = self.add(error, self.mul(a1, b2));
        let error = self.add(error, self.mul(a2, b1));
        self.add(error, self.mul(a2, b2))
    }
}

/// The machine that builds a function of a device module.
#[derive(Clone, Copy)]
struct Device<'r>(&'r Room<'r>);

/// A float of a function under construction, by its bits.
#[derive(Clone, Copy)]
struct Float<'r> {
    room: &'r Room<'r>,
    v: Value,
}

impl<'r> Device<'r> {
    fn value(self, v: Value) -> Float<'r> {
        Float { room: self.0, v }
    }
}

impl Add for Float<'_> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let v = self.room.add(self.v, b.v);
        Float { v, ..self }
    }
}

impl Sub for Float<'_> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        let v = self.room.sub(self.v, b.v);
        Float { v, ..self }
    }
}

impl Mul for Float<'_> {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let v = self.room.mul(self.v, b.v);
        Float { v, ..self }
    }
}

impl<'r> Machine for Device<'r> {
    type Float = Float<'r>;
    type Word = U<'r>;
    type Truth = B<'r>;

    fn float(self, x: f32) -> Float<'r> {
        self.value(self.0.literal(x.to_bits()))
    }

    fn word(self, n: u32) -> U<'r> {
        self.0.word(self.0.literal(n))
    }

    fn bits(self, x: Float<'r>) -> U<'r> {
        self.0.word(x.v)
    }

    fn from_bits(self, bits: U<'r>) -> Float<'r> {
        self.value(bits.v)
    }

    fn mul_add(self, a: Float<'r>, b: Float<'r>, c: Float<'r>) -> Float<'r> {
        match self.0.profile.fma {
            Route::Opaque | Route::Guarded => self.value(self.0.fma(a.v, b.v, c.v)),
            Route::Refined | Route::Software => a * b + c,
        }
    }

    fn two_prod(self, a: Float<'r>, b: Float<'r>) -> Double<Float<'r>> {
        let room = self.0;
        let product = room.mul(a.v, b.v);
        let low = match (room.profile.fma, room.profile.mul) {
            (Route::Refined | Route::Software, Route::Opaque) => {
                room.error_by_halves(a.v, b.v, product)
            }
            // Where every operation is a call, one of fma is cheaper than ten others.
            _ => room.fma(a.v, b.v, room.negative(product)),
        };
        Double {
            high: self.value(product),
            low: self.value(low),
        }
    }

    fn residual(self, c: Float<'r>, a: Float<'r>, b: Float<'r>) -> Float<'r> {
        let room = self.0;
        if room.profile.fma == Route::Software && room.profile.mul == Route::Opaque {
            let product = self.two_prod(a, b);
            return (c - product.high) - product.low;
        }
        self.value(room.fma(room.negative(a.v), b.v, c.v))
    }

    fn div(self, a: Float<'r>, b: Float<'r>) -> Float<'r> {
        self.value(self.0.div(a.v, b.v))
    }

    fn shift_left(self, word: U<'r>, count: u32) -> U<'r> {
        word << count
    }

    fn shift_right(self, word: U<'r>, count: u32) -> U<'r> {
        word >> count
    }

    fn shift_right_signed(self, word: U<'r>, count: u32) -> U<'r> {
        word.as_i().shift_right(count).as_u()
    }

    fn shift_left_by(self, word: U<'r>, count: U<'r>) -> U<'r> {
        word << count
    }

    fn shift_right_by(self, word: U<'r>, count: U<'r>) -> U<'r> {
        word >> count
    }

    fn mul_high(self, a: U<'r>, b: U<'r>) -> U<'r> {
        self.0
            .word(self.0.scalar(ScalarOp::U32MulHigh, &[a.v, b.v]))
    }

    fn less(self, a: Float<'r>, b: Float<'r>) -> B<'r> {
        let room = self.0;
        let v = room.routed(room.profile.compare, ScalarOp::F32Lt, Soft::Lt, &[a.v, b.v]);
        B { ctx: room.ctx, v }
    }

    fn is_nan(self, x: Float<'r>) -> B<'r> {
        (self.bits(x) & self.word(MAG)).gt(self.word(INF))
    }

    fn same(self, a: U<'r>, b: U<'r>) -> B<'r> {
        a.eq(b)
    }

    fn less_signed(self, a: U<'r>, b: U<'r>) -> B<'r> {
        a.as_i().lt(b.as_i())
    }

    fn less_word(self, a: U<'r>, b: U<'r>) -> B<'r> {
        a.lt(b)
    }

    fn select(self, condition: B<'r>, yes: Float<'r>, no: Float<'r>) -> Float<'r> {
        let bits = self.select_word(condition, self.bits(yes), self.bits(no));
        self.from_bits(bits)
    }

    /// Of two constants one is hidden: drivers in use miscompile such a choice.
    fn select_word(self, condition: B<'r>, yes: U<'r>, no: U<'r>) -> U<'r> {
        let constant = |word: U<'r>| self.0.ctx.borrow().as_const(word.v).is_some();
        let no = if constant(yes) && constant(no) {
            no ^ self.0.word(self.0.q)
        } else {
            no
        };
        condition.pick(yes, no)
    }
    fn seldom<const N: usize>(
        self,
        condition: B<'r>,
        usual: [U<'r>; N],
        other: impl FnOnce() -> [U<'r>; N],
    ) -> [U<'r>; N] {
        let room = self.0;
        // What is built inside cannot be used behind it.
        let before = room.known.borrow().clone();
        let values = |words: [U<'r>; N]| words.map(|word| word.v).to_vec();
        room.ctx.borrow_mut().open();
        let yields = values(other());
        let then = room.ctx.borrow_mut().close(yields);
        room.known.replace(before);
        room.ctx.borrow_mut().open();
        let els = room.ctx.borrow_mut().close(values(usual));
        let results = room.ctx.borrow_mut().if_(condition.v, then, els);
        std::array::from_fn(|n| room.word(results[n]))
    }
}
