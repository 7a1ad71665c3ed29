//! Renders each scalar operation of Device IR exactly, in operations that both targets have.
//!
//! The targets leave some operands undefined (a divisor of 0, the least int32 over -1, a shift by
//! 32) or lack the operation (high words, rotates), so those are built from others here, once for
//! both printers. Where an operand is a constant that cannot be one of those, no guard is emitted.
//! What Device IR may not hold (`device::ir::printable`) does not come here.

use super::prim::Prim;
use crate::ir::op::ScalarOp;

/// What operations are rendered into.
pub trait Sink {
    /// A rendered value.
    type V: Clone;
    /// A uint32 constant.
    fn u32(&mut self, value: u32) -> Self::V;
    /// An int32 constant.
    fn i32(&mut self, value: i32) -> Self::V;
    /// One operation. Where the target is text the result may stand for the expression itself.
    fn apply(&mut self, prim: Prim, args: &[Self::V]) -> Self::V;
    /// A value that is used more than once: text gives it a name.
    fn bind(&mut self, value: Self::V) -> Self::V;
}

/// An operand, and its bits where it is a constant.
#[derive(Clone)]
pub struct Operand<V> {
    /// As rendered.
    pub value: V,
    /// Its bits, if they are known.
    pub known: Option<u32>,
}

/// Renders one operation. The operands are as many as it takes, of its types.
pub fn expand<S: Sink>(sink: &mut S, op: ScalarOp, args: &[Operand<S::V>]) -> S::V {
    use ScalarOp as O;
    match op {
        O::U32Div => div_u32(sink, &args[0], &args[1]),
        O::U32Mod => mod_u32(sink, &args[0], &args[1]),
        O::I32Div => div_i32(sink, &args[0], &args[1]),
        O::I32Mod => mod_i32(sink, &args[0], &args[1]),
        O::U32Shl => shift(sink, Prim::UShl, &args[0], &args[1]),
        O::U32Shr => shift(sink, Prim::UShr, &args[0], &args[1]),
        O::I32Shl => shift(sink, Prim::IShl, &args[0], &args[1]),
        O::I32Shr => shift(sink, Prim::IShr, &args[0], &args[1]),
        O::U32RotateLeft => rotate(sink, Prim::UShl, Prim::UShr, &args[0], &args[1]),
        O::U32RotateRight => rotate(sink, Prim::UShr, Prim::UShl, &args[0], &args[1]),
        O::U32LeadingZeros => leading_zeros(sink, &args[0]),
        O::U32TrailingZeros => trailing_zeros(sink, &args[0]),
        O::U32MulHigh => mul_high_u32(sink, args[0].value.clone(), args[1].value.clone()),
        O::I32MulHigh => mul_high_i32(sink, &args[0], &args[1]),
        O::F32Add => one(sink, Prim::FAdd, args),
        O::F32Sub => one(sink, Prim::FSub, args),
        O::F32Mul => one(sink, Prim::FMul, args),
        O::F32Div => one(sink, Prim::FDiv, args),
        O::F32Sqrt => one(sink, Prim::FSqrt, args),
        O::F32Fma => one(sink, Prim::FFma, args),
        O::F32Eq => one(sink, Prim::FEq, args),
        O::F32Lt => one(sink, Prim::FLt, args),
        O::F32Le => one(sink, Prim::FLe, args),
        O::F32FromI32 => one(sink, Prim::FFromI, args),
        O::F32FromU32 => one(sink, Prim::FFromU, args),
        O::F32FromBits => one(sink, Prim::FFromBits, args),
        O::F32RawBits => one(sink, Prim::FBits, args),
        O::U32FromI32 => one(sink, Prim::UFromI, args),
        O::I32FromU32 => one(sink, Prim::IFromU, args),
        O::U32Add => one(sink, Prim::UAdd, args),
        O::U32Sub => one(sink, Prim::USub, args),
        O::U32Mul => one(sink, Prim::UMul, args),
        O::U32Min => one(sink, Prim::UMin, args),
        O::U32Max => one(sink, Prim::UMax, args),
        O::U32And => one(sink, Prim::UAnd, args),
        O::U32Or => one(sink, Prim::UOr, args),
        O::U32Xor => one(sink, Prim::UXor, args),
        O::U32Not => one(sink, Prim::UNot, args),
        O::U32Popcount => one(sink, Prim::UBitCount, args),
        O::U32Eq => one(sink, Prim::UEq, args),
        O::U32Lt => one(sink, Prim::ULt, args),
        O::U32Le => one(sink, Prim::ULe, args),
        O::I32Add => one(sink, Prim::IAdd, args),
        O::I32Sub => one(sink, Prim::ISub, args),
        O::I32Mul => one(sink, Prim::IMul, args),
        O::I32Neg => one(sink, Prim::INeg, args),
        O::I32Min => one(sink, Prim::IMin, args),
        O::I32Max => one(sink, Prim::IMax, args),
        O::I32And => one(sink, Prim::IAnd, args),
        O::I32Or => one(sink, Prim::IOr, args),
        O::I32Xor => one(sink, Prim::IXor, args),
        O::I32Not => one(sink, Prim::INot, args),
        O::I32Eq => one(sink, Prim::IEq, args),
        O::I32Lt => one(sink, Prim::ILt, args),
        O::I32Le => one(sink, Prim::ILe, args),
        O::BoolAnd => one(sink, Prim::BAnd, args),
        O::BoolOr => one(sink, Prim::BOr, args),
        O::BoolXor => one(sink, Prim::BXor, args),
        O::BoolNot => one(sink, Prim::BNot, args),
        O::U32Select => one(sink, Prim::USelect, args),
        O::I32Select => one(sink, Prim::ISelect, args),
        O::BoolSelect => one(sink, Prim::BSelect, args),
        O::F32Min
        | O::F32Max
        | O::F32Neg
        | O::F32Abs
        | O::F32CopySign
        | O::F32Floor
        | O::F32Ceil
        | O::F32Trunc
        | O::F32Round
        | O::Math(_)
        | O::F32IsNan
        | O::F32IsInf
        | O::F32ToBits
        | O::F32FromF16
        | O::F32ToF16
        | O::F32FromBf16
        | O::F32ToBf16
        | O::U32WrapF32
        | O::U32SaturateF32
        | O::I32WrapF32
        | O::I32SaturateF32
        | O::F32Select => unreachable!("a verified module holds no {}", op.name()),
    }
}

fn one<S: Sink>(s: &mut S, prim: Prim, args: &[Operand<S::V>]) -> S::V {
    let values: Vec<S::V> = args.iter().map(|arg| arg.value.clone()).collect();
    s.apply(prim, &values)
}

/// Whether a divisor is a constant that needs no guard.
fn safe_divisor<V>(b: &Operand<V>, signed: bool) -> bool {
    b.known
        .is_some_and(|bits| bits != 0 && !(signed && bits == u32::MAX))
}

/// `b == 0 ? 0 : a / b`.
fn div_u32<S: Sink>(s: &mut S, a: &Operand<S::V>, b: &Operand<S::V>) -> S::V {
    if safe_divisor(b, false) {
        return s.apply(Prim::UDiv, &[a.value.clone(), b.value.clone()]);
    }
    let (zero, one) = (s.u32(0), s.u32(1));
    let none = s.apply(Prim::UEq, &[b.value.clone(), zero.clone()]);
    let none = s.bind(none);
    let divisor = s.apply(Prim::USelect, &[none.clone(), one, b.value.clone()]);
    let quotient = s.apply(Prim::UDiv, &[a.value.clone(), divisor]);
    s.apply(Prim::USelect, &[none, zero, quotient])
}

/// `b == 0 ? 0 : a % b`; a remainder by 1 is 0.
fn mod_u32<S: Sink>(s: &mut S, a: &Operand<S::V>, b: &Operand<S::V>) -> S::V {
    if safe_divisor(b, false) {
        return s.apply(Prim::UMod, &[a.value.clone(), b.value.clone()]);
    }
    let (zero, one) = (s.u32(0), s.u32(1));
    let none = s.apply(Prim::UEq, &[b.value.clone(), zero]);
    let divisor = s.apply(Prim::USelect, &[none, one, b.value.clone()]);
    s.apply(Prim::UMod, &[a.value.clone(), divisor])
}

/// Truncated; 0 by 0, and the least value over -1 is itself, as it is over 1.
fn div_i32<S: Sink>(s: &mut S, a: &Operand<S::V>, b: &Operand<S::V>) -> S::V {
    if safe_divisor(b, true) {
        return s.apply(Prim::IDiv, &[a.value.clone(), b.value.clone()]);
    }
    let (zero, one, minus, least) = (s.i32(0), s.i32(1), s.i32(-1), s.i32(i32::MIN));
    let none = s.apply(Prim::IEq, &[b.value.clone(), zero.clone()]);
    let none = s.bind(none);
    let by_minus = s.apply(Prim::IEq, &[b.value.clone(), minus]);
    let of_least = s.apply(Prim::IEq, &[a.value.clone(), least]);
    let over = s.apply(Prim::BAnd, &[by_minus, of_least]);
    let bad = s.apply(Prim::BOr, &[none.clone(), over]);
    let divisor = s.apply(Prim::ISelect, &[bad, one, b.value.clone()]);
    let quotient = s.apply(Prim::IDiv, &[a.value.clone(), divisor]);
    s.apply(Prim::ISelect, &[none, zero, quotient])
}

/// `a - (a / b) * b`, since the remainder instructions are undefined for negative operands on
/// Vulkan; the remainder by 0 and by -1 is 0, as it is by 1.
fn mod_i32<S: Sink>(s: &mut S, a: &Operand<S::V>, b: &Operand<S::V>) -> S::V {
    let divisor = if safe_divisor(b, true) {
        b.value.clone()
    } else {
        let (zero, one, minus) = (s.i32(0), s.i32(1), s.i32(-1));
        let none = s.apply(Prim::IEq, &[b.value.clone(), zero]);
        let by_minus = s.apply(Prim::IEq, &[b.value.clone(), minus]);
        let bad = s.apply(Prim::BOr, &[none, by_minus]);
        let divisor = s.apply(Prim::ISelect, &[bad, one, b.value.clone()]);
        s.bind(divisor)
    };
    let quotient = s.apply(Prim::IDiv, &[a.value.clone(), divisor.clone()]);
    let whole = s.apply(Prim::IMul, &[quotient, divisor]);
    s.apply(Prim::ISub, &[a.value.clone(), whole])
}

/// A shift count modulo 32.
fn count<S: Sink>(s: &mut S, n: &Operand<S::V>) -> S::V {
    if let Some(bits) = n.known {
        return s.u32(bits & 31);
    }
    let mask = s.u32(31);
    s.apply(Prim::UAnd, &[n.value.clone(), mask])
}

fn shift<S: Sink>(s: &mut S, prim: Prim, a: &Operand<S::V>, n: &Operand<S::V>) -> S::V {
    let n = count(s, n);
    s.apply(prim, &[a.value.clone(), n])
}

/// `a` shifted one way by `n` and the other way by `-n`, both modulo 32; for 0 it is `a | a`.
fn rotate<S: Sink>(
    s: &mut S,
    there: Prim,
    back: Prim,
    a: &Operand<S::V>,
    n: &Operand<S::V>,
) -> S::V {
    let forth = count(s, n);
    let rest = match n.known {
        Some(bits) => s.u32(bits.wrapping_neg() & 31),
        None => {
            let (zero, mask) = (s.u32(0), s.u32(31));
            let negated = s.apply(Prim::USub, &[zero, n.value.clone()]);
            s.apply(Prim::UAnd, &[negated, mask])
        }
    };
    let high = s.apply(there, &[a.value.clone(), forth]);
    let low = s.apply(back, &[a.value.clone(), rest]);
    s.apply(Prim::UOr, &[high, low])
}

/// The first leading bit of 0 is -1, so that this gives 32.
fn leading_zeros<S: Sink>(s: &mut S, a: &Operand<S::V>) -> S::V {
    let top = s.u32(31);
    let first = s.apply(Prim::UFirstLeadingBit, std::slice::from_ref(&a.value));
    s.apply(Prim::USub, &[top, first])
}

/// The first trailing bit of 0 is -1, the greatest uint32.
fn trailing_zeros<S: Sink>(s: &mut S, a: &Operand<S::V>) -> S::V {
    let bits = s.u32(32);
    let first = s.apply(Prim::UFirstTrailingBit, std::slice::from_ref(&a.value));
    s.apply(Prim::UMin, &[first, bits])
}

/// The high word of `a * b` from 16-bit halves: with `a = ah·2^16 + al` and `b` alike, the product
/// is `ah·bh·2^32 + (ah·bl + al·bh)·2^16 + al·bl`. The carry sum is below `3·2^16`.
fn mul_high_u32<S: Sink>(s: &mut S, a: S::V, b: S::V) -> S::V {
    let (low, half) = (s.u32(0xffff), s.u32(16));
    let halves = |s: &mut S, x: S::V| {
        let x = s.bind(x);
        let l = s.apply(Prim::UAnd, &[x.clone(), low.clone()]);
        let h = s.apply(Prim::UShr, &[x, half.clone()]);
        (s.bind(l), s.bind(h))
    };
    let (al, ah) = halves(s, a);
    let (bl, bh) = halves(s, b);
    let ll = s.apply(Prim::UMul, &[al.clone(), bl.clone()]);
    let lh = s.apply(Prim::UMul, &[al, bh.clone()]);
    let hl = s.apply(Prim::UMul, &[ah.clone(), bl]);
    let hh = s.apply(Prim::UMul, &[ah, bh]);
    let (lh_low, lh_high) = halves(s, lh);
    let (hl_low, hl_high) = halves(s, hl);
    let ll_high = s.apply(Prim::UShr, &[ll, half.clone()]);
    let mut carry = s.apply(Prim::UAdd, &[ll_high, lh_low]);
    carry = s.apply(Prim::UAdd, &[carry, hl_low]);
    carry = s.apply(Prim::UShr, &[carry, half]);
    let mut high = s.apply(Prim::UAdd, &[hh, lh_high]);
    high = s.apply(Prim::UAdd, &[high, hl_high]);
    s.apply(Prim::UAdd, &[high, carry])
}

/// A negative `a` read as unsigned is `a + 2^32`, which adds `b` to the high word; and so for `b`.
fn mul_high_i32<S: Sink>(s: &mut S, a: &Operand<S::V>, b: &Operand<S::V>) -> S::V {
    let ua = s.apply(Prim::UFromI, std::slice::from_ref(&a.value));
    let ua = s.bind(ua);
    let ub = s.apply(Prim::UFromI, std::slice::from_ref(&b.value));
    let ub = s.bind(ub);
    let high = mul_high_u32(s, ua.clone(), ub.clone());
    let where_negative = |s: &mut S, x: &S::V, other: S::V| {
        let sign = s.u32(31);
        let mask = s.apply(Prim::IShr, &[x.clone(), sign]);
        let mask = s.apply(Prim::UFromI, &[mask]);
        s.apply(Prim::UAnd, &[mask, other])
    };
    let first = where_negative(s, &a.value, ub);
    let second = where_negative(s, &b.value, ua);
    let high = s.apply(Prim::USub, &[high, first]);
    let high = s.apply(Prim::USub, &[high, second]);
    s.apply(Prim::IFromU, &[high])
}
