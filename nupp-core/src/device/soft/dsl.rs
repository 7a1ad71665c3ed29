//! Rust expressions that build Device IR: `(a & MAG).gt(INF)` appends two instructions.
//!
//! A word, an integer or a condition carries the builder it belongs to, so that the software
//! operations read like the arithmetic they are. Nothing here folds or shares: what is written is
//! what is built.

use std::cell::RefCell;

use crate::device::ir::DeviceLeaf;
use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;

/// The builder that expressions append to.
pub type Ctx<'a> = &'a RefCell<Builder<DeviceLeaf>>;

/// A uint32 under construction.
#[derive(Clone, Copy)]
pub struct U<'a> {
    /// Where it is built.
    pub ctx: Ctx<'a>,
    /// The value.
    pub v: Value,
}

/// An int32 under construction.
#[derive(Clone, Copy)]
pub struct I<'a> {
    /// Where it is built.
    pub ctx: Ctx<'a>,
    /// The value.
    pub v: Value,
}

/// A truth value under construction.
#[derive(Clone, Copy)]
pub struct B<'a> {
    /// Where it is built.
    pub ctx: Ctx<'a>,
    /// The value.
    pub v: Value,
}

/// What may stand where a `U` is needed: another one, or a number.
pub trait ToU<'a> {
    /// The value in this builder.
    fn to_u(self, ctx: Ctx<'a>) -> Value;
}
impl<'a> ToU<'a> for U<'a> {
    fn to_u(self, _: Ctx<'a>) -> Value {
        self.v
    }
}
impl<'a> ToU<'a> for u32 {
    fn to_u(self, ctx: Ctx<'a>) -> Value {
        ctx.borrow_mut().u32(self)
    }
}

/// What may stand where an `I` is needed: another one, or a number.
pub trait ToI<'a> {
    /// The value in this builder.
    fn to_i(self, ctx: Ctx<'a>) -> Value;
}
impl<'a> ToI<'a> for I<'a> {
    fn to_i(self, _: Ctx<'a>) -> Value {
        self.v
    }
}
impl<'a> ToI<'a> for i32 {
    fn to_i(self, ctx: Ctx<'a>) -> Value {
        ctx.borrow_mut().i32(self)
    }
}

fn emit(ctx: Ctx<'_>, op: ScalarOp, args: &[Value]) -> Value {
    ctx.borrow_mut().scalar(op, args)
}

macro_rules! operators {
    ($ty:ident, $to:ident, $place:ident: $($trait:ident $method:ident $op:ident;)*) => { $(
        impl<'a, R: $to<'a>> std::ops::$trait<R> for $ty<'a> {
            type Output = $ty<'a>;
            fn $method(self, rhs: R) -> $ty<'a> {
                let rhs = rhs.$place(self.ctx);
                $ty { ctx: self.ctx, v: emit(self.ctx, ScalarOp::$op, &[self.v, rhs]) }
            }
        }
    )* };
}

operators! { U, ToU, to_u:
    Add add U32Add;
    Sub sub U32Sub;
    Mul mul U32Mul;
    Div div U32Div;
    BitAnd bitand U32And;
    BitOr bitor U32Or;
    BitXor bitxor U32Xor;
    Shl shl U32Shl;
    Shr shr U32Shr;
}
operators! { I, ToI, to_i:
    Add add I32Add;
    Sub sub I32Sub;
}

impl std::ops::Not for U<'_> {
    type Output = Self;
    fn not(self) -> Self {
        U {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::U32Not, &[self.v]),
        }
    }
}

impl<'a> U<'a> {
    fn with(self, op: ScalarOp, args: &[Value]) -> U<'a> {
        U {
            ctx: self.ctx,
            v: emit(self.ctx, op, args),
        }
    }
    fn test(self, op: ScalarOp, args: &[Value]) -> B<'a> {
        B {
            ctx: self.ctx,
            v: emit(self.ctx, op, args),
        }
    }
    /// A constant in the same builder.
    pub fn word(self, n: u32) -> U<'a> {
        U {
            ctx: self.ctx,
            v: n.to_u(self.ctx),
        }
    }
    /// The lesser.
    pub fn min(self, rhs: impl ToU<'a>) -> U<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.with(ScalarOp::U32Min, &[self.v, rhs])
    }
    /// The greater.
    pub fn max(self, rhs: impl ToU<'a>) -> U<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.with(ScalarOp::U32Max, &[self.v, rhs])
    }
    /// 32 for 0.
    pub fn leading_zeros(self) -> U<'a> {
        self.with(ScalarOp::U32LeadingZeros, &[self.v])
    }
    /// Equality.
    pub fn eq(self, rhs: impl ToU<'a>) -> B<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.test(ScalarOp::U32Eq, &[self.v, rhs])
    }
    /// Inequality.
    pub fn ne(self, rhs: impl ToU<'a>) -> B<'a> {
        !self.eq(rhs)
    }
    /// Less than.
    pub fn lt(self, rhs: impl ToU<'a>) -> B<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.test(ScalarOp::U32Lt, &[self.v, rhs])
    }
    /// At most.
    pub fn le(self, rhs: impl ToU<'a>) -> B<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.test(ScalarOp::U32Le, &[self.v, rhs])
    }
    /// Greater than.
    pub fn gt(self, rhs: impl ToU<'a>) -> B<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.test(ScalarOp::U32Lt, &[rhs, self.v])
    }
    /// At least.
    pub fn ge(self, rhs: impl ToU<'a>) -> B<'a> {
        let rhs = rhs.to_u(self.ctx);
        self.test(ScalarOp::U32Le, &[rhs, self.v])
    }
    /// The same bits as an int32.
    pub fn as_i(self) -> I<'a> {
        I {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32FromU32, &[self.v]),
        }
    }
}

impl<'a> I<'a> {
    /// The lesser.
    pub fn min(self, rhs: impl ToI<'a>) -> I<'a> {
        let rhs = rhs.to_i(self.ctx);
        I {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Min, &[self.v, rhs]),
        }
    }
    /// The greater.
    pub fn max(self, rhs: impl ToI<'a>) -> I<'a> {
        let rhs = rhs.to_i(self.ctx);
        I {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Max, &[self.v, rhs]),
        }
    }
    /// Shifts right and keeps the sign.
    pub fn shift_right(self, count: u32) -> I<'a> {
        let count = count.to_u(self.ctx);
        I {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Shr, &[self.v, count]),
        }
    }
    /// Less than.
    pub fn lt(self, rhs: impl ToI<'a>) -> B<'a> {
        let rhs = rhs.to_i(self.ctx);
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Lt, &[self.v, rhs]),
        }
    }
    /// At most.
    pub fn le(self, rhs: impl ToI<'a>) -> B<'a> {
        let rhs = rhs.to_i(self.ctx);
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Le, &[self.v, rhs]),
        }
    }
    /// Equality.
    pub fn eq(self, rhs: impl ToI<'a>) -> B<'a> {
        let rhs = rhs.to_i(self.ctx);
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Eq, &[self.v, rhs]),
        }
    }
    /// The same bits as a uint32.
    pub fn as_u(self) -> U<'a> {
        U {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::U32FromI32, &[self.v]),
        }
    }
}

impl<'a> B<'a> {
    /// `yes` where it holds, else `no`.
    pub fn pick(self, yes: impl ToU<'a>, no: impl ToU<'a>) -> U<'a> {
        let (yes, no) = (yes.to_u(self.ctx), no.to_u(self.ctx));
        U {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::U32Select, &[self.v, yes, no]),
        }
    }
    /// `yes` where it holds, else `no`.
    pub fn pick_i(self, yes: impl ToI<'a>, no: impl ToI<'a>) -> I<'a> {
        let (yes, no) = (yes.to_i(self.ctx), no.to_i(self.ctx));
        I {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::I32Select, &[self.v, yes, no]),
        }
    }
    /// 1 where it holds, else 0.
    pub fn bit(self) -> U<'a> {
        self.pick(1, 0)
    }
}

impl<'a> std::ops::BitAnd for B<'a> {
    type Output = B<'a>;
    fn bitand(self, rhs: B<'a>) -> B<'a> {
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::BoolAnd, &[self.v, rhs.v]),
        }
    }
}
impl<'a> std::ops::BitOr for B<'a> {
    type Output = B<'a>;
    fn bitor(self, rhs: B<'a>) -> B<'a> {
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::BoolOr, &[self.v, rhs.v]),
        }
    }
}
impl<'a> std::ops::Not for B<'a> {
    type Output = B<'a>;
    fn not(self) -> B<'a> {
        B {
            ctx: self.ctx,
            v: emit(self.ctx, ScalarOp::BoolNot, &[self.v]),
        }
    }
}

/// A parameter or result of this type, as an operand of the operations above.
pub fn external(ctx: Ctx<'_>, ty: Scalar) -> Value {
    ctx.borrow_mut().external(ty)
}
