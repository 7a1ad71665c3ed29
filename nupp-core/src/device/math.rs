//! Functions of one argument as functions of a device module.
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
pub fn call(lib: &Library<'_>, profile: &Profile, function: Function, args: [Value; 3]) -> Value {
    lib.call_id(id(lib, profile, function), &args, Scalar::U32)
}

/// The device function of a function, built now if it is not there yet.
fn id(lib: &Library<'_>, profile: &Profile, function: Function) -> FuncId {
    let words = [Scalar::U32; 3];
    let name = name(function);
    let build = |params: &[Value]| {
        let room = Room {
            ctx: lib.ctx(),
            lib,
            profile,
            q: params[1],
            q2: params[2],
            literals: RefCell::default(),
            hidden: RefCell::default(),
            halves: RefCell::default(),
        };
        let device = Device(&room);
        let x = device.value(params[0]);
        let rounded = function.core(device, x);
        rarely(lib, function, rounded.hard, x.v, rounded.value.v)
    };
    lib.routine(Routine::Math(function), &name, &words, Scalar::U32, build)
}

fn name(function: Function) -> String {
    function.op().name().replace('.', "_")
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
    literals: RefCell<HashMap<u32, Value>>,
    hidden: RefCell<HashMap<Value, Value>>,
    halves: RefCell<HashMap<Value, (Value, Value)>>,
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
        *self.literals.borrow_mut().entry(bits).or_insert_with(build)
    }

    /// The float of these bits, as an operand that the compiler knows nothing of.
    fn hide(&self, bits: Value) -> Value {
        let build = || self.hide_by(bits, self.q);
        *self.hidden.borrow_mut().entry(bits).or_insert_with(build)
    }

    fn hide_by(&self, bits: Value, word: Value) -> Value {
        let hidden = self.word(bits) ^ self.word(word);
        self.scalar(ScalarOp::F32FromBits, &[hidden.v])
    }

    /// An operation of the device, operands that are one value hidden from each other.
    fn hardware(&self, op: ScalarOp, args: &[Value]) -> Value {
        let hide = |(n, &arg): (usize, &Value)| {
            if args[..n].contains(&arg) {
                self.hide_by(arg, self.q2)
            } else {
                self.hide(arg)
            }
        };
        let operands: Vec<Value> = args.iter().enumerate().map(hide).collect();
        self.scalar(op, &operands)
    }

    /// An operation on bits by one of the two routes.
    fn routed(&self, route: Route, op: ScalarOp, soft: Soft, args: &[Value]) -> Value {
        match route {
            Route::Software => self.lib.call(soft, args),
            Route::Opaque => {
                let result = self.hardware(op, args);
                match op.result() {
                    Scalar::F32 => self.scalar(ScalarOp::F32RawBits, &[result]),
                    Scalar::I32 | Scalar::U32 | Scalar::Bool => result,
                }
            }
        }
    }

    fn add(&self, a: Value, b: Value) -> Value {
        self.routed(self.profile.add, ScalarOp::F32Add, Soft::Add, &[a, b])
    }

    fn sub(&self, a: Value, b: Value) -> Value {
        match self.profile.add {
            Route::Opaque => self.routed(Route::Opaque, ScalarOp::F32Sub, Soft::Add, &[a, b]),
            Route::Software => self.lib.call(Soft::Add, &[a, self.negative(b)]),
        }
    }

    fn mul(&self, a: Value, b: Value) -> Value {
        self.routed(self.profile.mul, ScalarOp::F32Mul, Soft::Mul, &[a, b])
    }

    fn fma(&self, a: Value, b: Value, c: Value) -> Value {
        self.routed(self.profile.fma, ScalarOp::F32Fma, Soft::Fma, &[a, b, c])
    }

    fn negative(&self, x: Value) -> Value {
        (self.word(x) ^ self.word(self.literal(SIGN))).v
    }

    /// A float as the sum of its upper 12 significant bits and the rest.
    fn halves(&self, x: Value) -> (Value, Value) {
        let build = || {
            let upper = (self.word(x) & self.word(self.literal(UPPER))).v;
            (upper, self.sub(x, upper))
        };
        *self.halves.borrow_mut().entry(x).or_insert_with(build)
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
            Route::Opaque => self.value(self.0.fma(a.v, b.v, c.v)),
            Route::Software => a * b + c,
        }
    }

    fn two_prod(self, a: Float<'r>, b: Float<'r>) -> Double<Float<'r>> {
        let room = self.0;
        let product = room.mul(a.v, b.v);
        let low = match (room.profile.fma, room.profile.mul) {
            // Where every operation is a call, one of fma is cheaper than ten others.
            (Route::Opaque, _) | (Route::Software, Route::Software) => {
                room.fma(a.v, b.v, room.negative(product))
            }
            (Route::Software, Route::Opaque) => room.error_by_halves(a.v, b.v, product),
        };
        Double {
            high: self.value(product),
            low: self.value(low),
        }
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
}
