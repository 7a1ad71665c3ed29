//! Guards over lengths, in exact integers.

use crate::ir::kernel::{CmpOp, LengthCond, LengthSum};

/// Whether a condition holds for these lengths. The verifier limits how deeply it nests.
pub fn holds(cond: &LengthCond, lengths: &[u32]) -> bool {
    match cond {
        LengthCond::And(a, b) => holds(a, lengths) && holds(b, lengths),
        LengthCond::Or(a, b) => holds(a, lengths) || holds(b, lengths),
        LengthCond::Not(a) => !holds(a, lengths),
        LengthCond::Cmp { op, lhs, rhs } => {
            let (a, b) = (sum(lhs, lengths), sum(rhs, lengths));
            match op {
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
                CmpOp::Lt => a < b,
                CmpOp::Le => a <= b,
                CmpOp::Gt => a > b,
                CmpOp::Ge => a >= b,
            }
        }
    }
}

/// Each factor is 64 bits and each length 32, so sixteen products fit 128 bits with room.
fn sum(sum: &LengthSum, lengths: &[u32]) -> i128 {
    let product = |&(factor, span): &(i64, crate::ir::entity::SpanId)| {
        i128::from(factor) * i128::from(lengths[span.index()])
    };
    let terms: i128 = sum.terms.iter().map(product).sum();
    terms + i128::from(sum.constant)
}
