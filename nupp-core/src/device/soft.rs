//! Software operations, written once as Device IR functions.
//!
//! A [`Library`] builds a function the first time it is called for, after those it calls itself,
//! so that a module holds what it uses and nothing else. Floats go in and come out as bits; every
//! NaN that comes out is 0x7fc00000. Integers only: nothing here trusts a floating-point unit.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::carried::Carried;
use super::ir::{self, DeviceLeaf};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::math::Function;

mod arith;
mod compare;
mod convert;
mod divide;
pub mod dsl;
mod round;
#[cfg(test)]
pub(crate) mod tests;

use dsl::{B, Ctx, I, U};

/// The sign bit.
pub const SIGN: u32 = 0x8000_0000;
/// All but the sign bit.
pub const MAG: u32 = 0x7fff_ffff;
/// Infinity.
pub const INF: u32 = 0x7f80_0000;
/// The one NaN that is ever visible.
pub const QNAN: u32 = 0x7fc0_0000;

macro_rules! softs {
    ($( $(#[$doc:meta])* $variant:ident $name:literal ($($arg:ident),*) -> $result:ident; )*) => {
        /// A software operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Soft { $( $(#[$doc])* $variant, )* }
        impl Soft {
            /// All of them.
            pub const ALL: &'static [Soft] = &[ $( Soft::$variant, )* ];
            /// The name its function is printed with.
            pub fn name(self) -> &'static str { match self { $( Soft::$variant => $name, )* } }
            /// The types it takes; a float is its bits.
            pub fn params(self) -> &'static [Scalar] {
                match self { $( Soft::$variant => &[$(Scalar::$arg),*], )* }
            }
            /// The type it gives.
            pub fn result(self) -> Scalar { match self { $( Soft::$variant => Scalar::$result, )* } }
        }
    };
}

softs! {
    /// Rounds and packs a sign, an exponent and a significand.
    Pack "f32_pack" (U32, I32, U32) -> U32;
    /// One rounding.
    Add "f32_add" (U32, U32) -> U32;
    /// One rounding.
    Mul "f32_mul" (U32, U32) -> U32;
    /// Correctly rounded.
    Div "f32_div" (U32, U32) -> U32;
    /// Correctly rounded.
    Sqrt "f32_sqrt" (U32) -> U32;
    /// One rounding.
    Fma "f32_fma" (U32, U32, U32) -> U32;
    /// -0 below +0, NaN on either side gives NaN.
    Min "f32_min" (U32, U32) -> U32;
    /// -0 below +0, NaN on either side gives NaN.
    Max "f32_max" (U32, U32) -> U32;
    /// Towards minus infinity.
    Floor "f32_floor" (U32) -> U32;
    /// Towards plus infinity.
    Ceil "f32_ceil" (U32) -> U32;
    /// Towards zero.
    Trunc "f32_trunc" (U32) -> U32;
    /// To nearest even.
    Round "f32_round" (U32) -> U32;
    /// IEEE `==`.
    Eq "f32_eq" (U32, U32) -> Bool;
    /// IEEE `<`.
    Lt "f32_lt" (U32, U32) -> Bool;
    /// IEEE `<=`.
    Le "f32_le" (U32, U32) -> Bool;
    /// Of an int32, as bits.
    FromI32 "f32_from_i32" (U32) -> U32;
    /// Of a uint32.
    FromU32 "f32_from_u32" (U32) -> U32;
    /// Of a binary16.
    FromF16 "f32_from_f16" (U32) -> U32;
    /// To a binary16.
    ToF16 "f32_to_f16" (U32) -> U32;
    /// To a bfloat16.
    ToBf16 "f32_to_bf16" (U32) -> U32;
    /// To a word, modulo 2^32.
    Wrap "f32_wrap" (U32) -> U32;
    /// To a uint32, clamped.
    SaturateU32 "f32_saturate_u32" (U32) -> U32;
    /// To an int32, as bits, clamped.
    SaturateI32 "f32_saturate_i32" (U32) -> U32;
}

/// What a function of a module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Routine {
    /// A software operation.
    Soft(Soft),
    /// A mathematical function, built by `device::math`.
    Math(Function),
    /// The exceptions of a function.
    Exceptions(Function),
    /// An operation of the device behind a guard, or refined from others.
    Carried(Carried),
}

/// The functions of a module under construction.
pub struct Library<'a> {
    ctx: Ctx<'a>,
    ids: RefCell<BTreeMap<Routine, FuncId>>,
    functions: RefCell<Vec<ir::Function>>,
}

impl<'a> Library<'a> {
    /// An empty library whose functions share the values of this builder.
    pub fn new(ctx: Ctx<'a>) -> Self {
        Library {
            ctx,
            ids: RefCell::default(),
            functions: RefCell::default(),
        }
    }

    /// The function for an operation, built now if it is not there yet.
    pub fn id(&self, soft: Soft) -> FuncId {
        self.routine(
            Routine::Soft(soft),
            soft.name(),
            soft.params(),
            soft.result(),
            |params| self.build(soft, params),
        )
    }

    /// The function for a routine, built now if it is not there yet. `build` gets the parameters
    /// and gives the result; what it calls it asks for itself.
    pub fn routine(
        &self,
        routine: Routine,
        name: &str,
        params: &[Scalar],
        result: Scalar,
        build: impl FnOnce(&[Value]) -> Value,
    ) -> FuncId {
        if let Some(&id) = self.ids.borrow().get(&routine) {
            return id;
        }
        self.ctx.borrow_mut().open();
        let params: Vec<Value> = params
            .iter()
            .map(|&ty| dsl::external(self.ctx, ty))
            .collect();
        let value = build(&params);
        let body = self.ctx.borrow_mut().close(vec![value]);
        let mut functions = self.functions.borrow_mut();
        let id = FuncId(functions.len() as u32);
        functions.push(ir::Function {
            name: name.to_owned(),
            params,
            result,
            body,
        });
        self.ids.borrow_mut().insert(routine, id);
        id
    }

    /// The function of a routine that has been asked for.
    #[cfg(test)]
    pub(crate) fn called(&self, routine: Routine) -> FuncId {
        self.ids.borrow()[&routine]
    }

    /// The functions that are operations of the device behind a guard.
    pub fn carried(&self) -> Vec<(FuncId, Carried)> {
        let carried = |(routine, id): (&Routine, &FuncId)| match routine {
            Routine::Carried(carried) => Some((*id, *carried)),
            Routine::Soft(_) | Routine::Math(_) | Routine::Exceptions(_) => None,
        };
        self.ids.borrow().iter().filter_map(carried).collect()
    }

    /// A call of the function for an operation.
    pub fn call(&self, soft: Soft, args: &[Value]) -> Value {
        self.call_id(self.id(soft), args, soft.result())
    }

    /// A call of a function of the module.
    pub fn call_id(&self, func: FuncId, args: &[Value], result: Scalar) -> Value {
        let args = args.to_vec();
        let leaf = DeviceLeaf::Call { func, args };
        self.ctx.borrow_mut().leaf(leaf, result)
    }

    /// The builder that functions and calls are built with.
    pub fn ctx(&self) -> Ctx<'a> {
        self.ctx
    }

    /// All functions, each after those it calls.
    pub fn finish(self) -> Vec<ir::Function> {
        self.functions.into_inner()
    }

    fn build(&self, soft: Soft, params: &[Value]) -> Value {
        let u = |n: usize| U {
            ctx: self.ctx,
            v: params[n],
        };
        let b = |b: B<'a>| b.v;
        match soft {
            Soft::Pack => {
                arith::pack(
                    u(0),
                    I {
                        ctx: self.ctx,
                        v: params[1],
                    },
                    u(2),
                )
                .v
            }
            Soft::Add => arith::add(self, u(0), u(1)).v,
            Soft::Mul => arith::mul(self, u(0), u(1)).v,
            Soft::Div => divide::div(self, u(0), u(1)).v,
            Soft::Sqrt => divide::sqrt(self, u(0)).v,
            Soft::Fma => arith::fma(self, u(0), u(1), u(2)).v,
            Soft::Min => compare::min(u(0), u(1)).v,
            Soft::Max => compare::max(u(0), u(1)).v,
            Soft::Floor => round::floor(u(0)).v,
            Soft::Ceil => round::ceil(u(0)).v,
            Soft::Trunc => round::trunc(u(0)).v,
            Soft::Round => round::round(u(0)).v,
            Soft::Eq => b(compare::eq(u(0), u(1))),
            Soft::Lt => b(compare::lt(u(0), u(1))),
            Soft::Le => b(compare::le(u(0), u(1))),
            Soft::FromI32 => convert::from_i32(u(0)).v,
            Soft::FromU32 => convert::from_u32(u(0)).v,
            Soft::FromF16 => convert::from_f16(u(0)).v,
            Soft::ToF16 => convert::to_f16(u(0)).v,
            Soft::ToBf16 => convert::to_bf16(u(0)).v,
            Soft::Wrap => convert::wrap(u(0)).v,
            Soft::SaturateU32 => convert::saturate_u32(u(0)).v,
            Soft::SaturateI32 => convert::saturate_i32(u(0)).v,
        }
    }
}
