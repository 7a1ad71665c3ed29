//! The meaning of each scalar operation, by bits.
//!
//! [`apply`] is exhaustive over the table in `ir::op` and total: no operands make it panic. It is
//! the definition that emitters, software operations and constant folding are held to, so it is
//! written for plainness. Every NaN result is 0x7fc00000; operands may be NaN of any payload.
//! A boolean is 0 or 1.

use crate::ir::op::ScalarOp;

mod convert;
#[cfg(test)]
mod tests;

/// The one NaN that becomes visible.
pub const NAN: u32 = 0x7fc0_0000;

/// The bits of a float, with every NaN as 0x7fc00000.
pub fn canonical(bits: u32) -> u32 {
    // In integers, since a compiler may take the bits of a NaN for a matter of indifference.
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        bits
    }
}

/// Applies an operation to operands given by bits, and gives the bits of its result.
///
/// Missing operands read as 0 and further ones are not looked at; the verifier counts them.
pub fn apply(op: ScalarOp, args: &[u32]) -> u32 {
    let arg = |i: usize| args.get(i).copied().unwrap_or(0);
    apply3(op, arg(0), arg(1), arg(2))
}

/// [`apply`] on three operands, of which an operation looks at as many as it takes.
pub fn apply3(op: ScalarOp, a: u32, b: u32, c: u32) -> u32 {
    use ScalarOp::*;
    match op {
        F32Add | F32Sub | F32Mul | F32Div | F32Sqrt | F32Fma | F32Min | F32Max | F32Neg
        | F32Abs | F32CopySign | F32Floor | F32Ceil | F32Trunc | F32Round => {
            canonical(float(op, a, b, c))
        }
        Math(function) => function.apply([a, b]),
        F32Eq | F32Lt | F32Le | F32IsNan | F32IsInf => u32::from(float_test(op, a, b)),
        F32FromBits | F32ToBits => canonical(a),
        F32RawBits | U32FromI32 | I32FromU32 => a,
        F32FromI32 => (a as i32 as f32).to_bits(),
        F32FromU32 => (a as f32).to_bits(),
        F32FromF16 => convert::from_f16(a),
        F32ToF16 => convert::to_f16(a),
        F32FromBf16 => canonical(a << 16),
        F32ToBf16 => convert::to_bf16(a),
        U32WrapF32 | I32WrapF32 => convert::wrap(a),
        U32SaturateF32 => f32::from_bits(a) as u32,
        I32SaturateF32 => f32::from_bits(a) as i32 as u32,
        U32Add | I32Add => a.wrapping_add(b),
        U32Sub | I32Sub => a.wrapping_sub(b),
        U32Mul | I32Mul => a.wrapping_mul(b),
        U32And | I32And => a & b,
        U32Or | I32Or => a | b,
        U32Xor | I32Xor => a ^ b,
        U32Not | I32Not => !a,
        U32Shl | I32Shl => a.wrapping_shl(b),
        U32Eq | I32Eq => u32::from(a == b),
        U32Div | U32Mod | U32Min | U32Max | U32Shr | U32RotateLeft | U32RotateRight
        | U32Popcount | U32LeadingZeros | U32TrailingZeros | U32MulHigh | U32Lt | U32Le => {
            unsigned(op, a, b)
        }
        I32Div | I32Mod | I32Neg | I32Min | I32Max | I32Shr | I32MulHigh | I32Lt | I32Le => {
            signed(op, a as i32, b as i32)
        }
        BoolAnd => u32::from(a != 0 && b != 0),
        BoolOr => u32::from(a != 0 || b != 0),
        BoolXor => u32::from((a != 0) != (b != 0)),
        BoolNot => u32::from(a == 0),
        F32Select | U32Select | I32Select | BoolSelect => {
            if a != 0 {
                b
            } else {
                c
            }
        }
    }
}

/// What an exclusive scan with this combination starts from: `apply(op, [identity, x])` is `x` for
/// every `x` (but for float addition, whose scans start from +0 and so lose the sign of -0).
pub fn identity(op: ScalarOp) -> Option<u32> {
    match op {
        ScalarOp::F32Add | ScalarOp::U32Add | ScalarOp::I32Add => Some(0),
        ScalarOp::U32Or | ScalarOp::I32Or | ScalarOp::U32Xor | ScalarOp::I32Xor => Some(0),
        ScalarOp::U32And | ScalarOp::I32And => Some(u32::MAX),
        ScalarOp::F32Mul => Some(1f32.to_bits()),
        ScalarOp::U32Mul | ScalarOp::I32Mul => Some(1),
        ScalarOp::F32Min => Some(f32::INFINITY.to_bits()),
        ScalarOp::F32Max => Some(f32::NEG_INFINITY.to_bits()),
        ScalarOp::U32Min => Some(u32::MAX),
        ScalarOp::U32Max => Some(0),
        ScalarOp::I32Min => Some(i32::MAX as u32),
        ScalarOp::I32Max => Some(i32::MIN as u32),
        // Every other operation combines different types, or has no identity on the left.
        _ => None,
    }
}

/// Operations from floats to a float; other operations never come here.
fn float(op: ScalarOp, a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    let value = match op {
        ScalarOp::F32Add => x + y,
        ScalarOp::F32Sub => x - y,
        ScalarOp::F32Mul => x * y,
        ScalarOp::F32Div => x / y,
        ScalarOp::F32Sqrt => x.sqrt(),
        ScalarOp::F32Fma => x.mul_add(y, z),
        ScalarOp::F32Min => return least(a, b),
        ScalarOp::F32Max => return greatest(a, b),
        ScalarOp::F32Neg => return a ^ 0x8000_0000,
        ScalarOp::F32Abs => return a & 0x7fff_ffff,
        // A NaN has no visible sign, so as a source of signs it is its canonical, positive self.
        ScalarOp::F32CopySign => return (a & 0x7fff_ffff) | (canonical(b) & 0x8000_0000),
        ScalarOp::F32Floor => x.floor(),
        ScalarOp::F32Ceil => x.ceil(),
        ScalarOp::F32Trunc => x.trunc(),
        _ => x.round_ties_even(),
    };
    // A copied sign may have met a NaN above; `apply3` makes every NaN the one NaN.
    value.to_bits()
}

/// The lesser, -0 before +0, NaN from either side.
fn least(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if x.is_nan() || y.is_nan() {
        NAN
    } else if x < y {
        a
    } else if y < x {
        b
    } else {
        // Equal: the same bits, or zeros of either sign.
        a | b
    }
}

/// The greater, +0 after -0, NaN from either side.
fn greatest(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if x.is_nan() || y.is_nan() {
        NAN
    } else if x > y {
        a
    } else if y > x {
        b
    } else {
        a & b
    }
}

/// Operations from floats to a boolean; other operations never come here.
fn float_test(op: ScalarOp, a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        ScalarOp::F32Eq => x == y,
        ScalarOp::F32Lt => x < y,
        ScalarOp::F32Le => x <= y,
        ScalarOp::F32IsNan => x.is_nan(),
        _ => x.is_infinite(),
    }
}

/// Operations where signedness matters, unsigned; other operations never come here.
fn unsigned(op: ScalarOp, a: u32, b: u32) -> u32 {
    match op {
        ScalarOp::U32Div => a.checked_div(b).unwrap_or(0),
        ScalarOp::U32Mod => a.checked_rem(b).unwrap_or(0),
        ScalarOp::U32Min => a.min(b),
        ScalarOp::U32Max => a.max(b),
        ScalarOp::U32Shr => a.wrapping_shr(b),
        ScalarOp::U32RotateLeft => a.rotate_left(b % 32),
        ScalarOp::U32RotateRight => a.rotate_right(b % 32),
        ScalarOp::U32Popcount => a.count_ones(),
        ScalarOp::U32LeadingZeros => a.leading_zeros(),
        ScalarOp::U32TrailingZeros => a.trailing_zeros(),
        ScalarOp::U32MulHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        ScalarOp::U32Lt => u32::from(a < b),
        _ => u32::from(a <= b),
    }
}

/// Operations where signedness matters, signed; other operations never come here.
fn signed(op: ScalarOp, a: i32, b: i32) -> u32 {
    let value = match op {
        ScalarOp::I32Div if b == 0 => 0,
        ScalarOp::I32Div => a.wrapping_div(b),
        ScalarOp::I32Mod if b == 0 => 0,
        ScalarOp::I32Mod => a.wrapping_rem(b),
        ScalarOp::I32Neg => a.wrapping_neg(),
        ScalarOp::I32Min => a.min(b),
        ScalarOp::I32Max => a.max(b),
        ScalarOp::I32Shr => a.wrapping_shr(b as u32),
        ScalarOp::I32MulHigh => ((i64::from(a) * i64::from(b)) >> 32) as i32,
        ScalarOp::I32Lt => i32::from(a < b),
        _ => i32::from(a <= b),
    };
    value as u32
}
