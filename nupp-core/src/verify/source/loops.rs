//! Checks the claim that a `while` loop ends.
//!
//! A parameter that grows by at least 1 in every turn, or shrinks by at least 1, in exact integers,
//! passes each of the 2^32 values of its type at most once, so the loop ends. Asked at the end of
//! the body, where the condition is known to have been true.

use super::facts::{Def, Facts};
use crate::ir::entity::{Scalar, Value};

/// Whether some parameter strictly grows or strictly shrinks from a turn to the next.
pub fn has_variant(facts: &Facts<'_>, params: &[Value], next: &[Value], types: &[Scalar]) -> bool {
    let mut pairs = params.iter().zip(next).zip(types);
    pairs.any(|((&param, &next), &ty)| {
        matches!(ty, Scalar::I32 | Scalar::U32)
            && (moves(facts, param, next, 1, 8) || moves(facts, param, next, -1, 8))
    })
}

/// Whether `next` is beyond `param` in this direction, on each way that led to it.
fn moves(facts: &Facts<'_>, param: Value, next: Value, direction: i128, depth: usize) -> bool {
    let (from, to) = (facts.sum(param), facts.sum(next));
    // direction * (from - to) + 1 <= 0.
    let step = from
        .minus(&to)
        .and_then(|apart| apart.combine(direction, &Default::default(), 0));
    if let Some(goal) = step.and_then(|sum| sum.plus(1))
        && facts.at_most_zero(&goal)
    {
        return true;
    }
    match (facts.def(next), depth) {
        (&Def::If { then, els, .. }, 1..) => {
            moves(facts, param, then, direction, depth - 1)
                && moves(facts, param, els, direction, depth - 1)
        }
        _ => false,
    }
}
