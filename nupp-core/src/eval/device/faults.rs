//! Devices that err as real ones do, for tests of what keeps to the bits on them.

use super::code::exact;
use crate::device::probe::flushed;
use crate::eval::scalar;
use crate::ir::op::ScalarOp;

const SIGN: u32 = 0x8000_0000;
const INF: u32 = 0x7f80_0000;

/// Whether an operation computes with floats, so that a device may flush its operands and result.
fn computes(op: ScalarOp) -> bool {
    matches!(
        op,
        ScalarOp::F32Add
            | ScalarOp::F32Sub
            | ScalarOp::F32Mul
            | ScalarOp::F32Div
            | ScalarOp::F32Sqrt
            | ScalarOp::F32Fma
            | ScalarOp::F32Eq
            | ScalarOp::F32Lt
            | ScalarOp::F32Le
    )
}

/// Flushes subnormal operands and results to zero.
pub fn flushing(op: ScalarOp, args: [u32; 3]) -> u32 {
    if !computes(op) {
        return exact(op, args);
    }
    let value = exact(op, args.map(flushed));
    if op.result() == crate::ir::entity::Scalar::F32 {
        flushed(value)
    } else {
        value
    }
}

/// Computes a fused sum as a product and a sum.
pub fn unfused(op: ScalarOp, [a, b, c]: [u32; 3]) -> u32 {
    if op == ScalarOp::F32Fma {
        let product = exact(ScalarOp::F32Mul, [a, b, 0]);
        return exact(ScalarOp::F32Add, [product, c, 0]);
    }
    exact(op, [a, b, c])
}

/// Both.
pub fn flushing_unfused(op: ScalarOp, [a, b, c]: [u32; 3]) -> u32 {
    if op == ScalarOp::F32Fma {
        let product = flushing(ScalarOp::F32Mul, [a, b, 0]);
        return flushing(ScalarOp::F32Add, [product, c, 0]);
    }
    flushing(op, [a, b, c])
}

/// Quotients and roots that are off by one in the last place for a third of the operands, and
/// subnormals flushed: what one vendor's hardware gives through a portable shading language.
pub fn careless(op: ScalarOp, args: [u32; 3]) -> u32 {
    let value = flushing(op, args);
    let finite = value & !SIGN > 0x0080_0000 && value & INF != INF;
    let off = match op {
        ScalarOp::F32Div => (args[0] ^ args[1]).is_multiple_of(3),
        ScalarOp::F32Sqrt => args[0].is_multiple_of(3),
        _ => false,
    };
    if finite && off { value - 1 } else { value }
}

/// Sums that lose their last bit: nothing can be built on such a device's floats.
pub fn truncating(op: ScalarOp, args: [u32; 3]) -> u32 {
    let value = exact(op, args);
    match op {
        ScalarOp::F32Add | ScalarOp::F32Sub | ScalarOp::F32Mul if value & INF != INF => value & !1,
        _ => value,
    }
}

/// Words shifted by too much: not even integer code is right here.
pub fn broken(op: ScalarOp, args: [u32; 3]) -> u32 {
    match op {
        ScalarOp::U32LeadingZeros => scalar::apply(op, &args).saturating_sub(1),
        _ => exact(op, args),
    }
}
