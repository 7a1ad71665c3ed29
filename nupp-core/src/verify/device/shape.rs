//! The shape of an index: what of it depends on the lane, and where the rest lies.
//!
//! An index is `coef * local + rest`. The rest has a range and is known modulo something, so that
//! `local + k * size` and `local * K + j` can be told apart lane by lane; the whole has a range of
//! its own, which comparisons narrow. Arithmetic that may wrap gives a shape of which nothing is
//! known.

use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;

/// What is known of an integer value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The factor of the lane number.
    pub coef: i64,
    /// The least and greatest rest.
    pub rest: (i64, i64),
    /// The rest is `residue` modulo this; 0 where the rest is exactly `residue`.
    pub modulus: i64,
    /// See `modulus`.
    pub residue: i64,
    /// The one counted variable that the rest runs with, taking each of its values of this
    /// modulus; none where the rest is exact, or not so simple.
    pub var: Option<Value>,
    /// The least and greatest value.
    pub range: (i64, i64),
}

/// Parts of a shape beyond this are given up.
const FAR: i64 = 1 << 40;

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The range of a type.
fn whole(ty: Scalar) -> (i64, i64) {
    match ty {
        Scalar::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Scalar::F32 | Scalar::U32 => (0, i64::from(u32::MAX)),
        Scalar::Bool => (0, 1),
    }
}

impl Shape {
    pub(super) fn unknown(ty: Scalar) -> Shape {
        Shape::within(whole(ty))
    }

    /// Something in this range.
    pub(super) fn within(range: (i64, i64)) -> Shape {
        Shape {
            coef: 0,
            rest: range,
            modulus: 1,
            residue: 0,
            var: None,
            range,
        }
    }

    pub(super) fn exact(n: i64) -> Shape {
        Shape {
            coef: 0,
            rest: (n, n),
            modulus: 0,
            residue: n,
            var: None,
            range: (n, n),
        }
    }

    /// The lane number, in a workgroup of so many.
    pub(super) fn local(size: u32) -> Shape {
        Shape {
            coef: 1,
            range: (0, i64::from(size) - 1),
            ..Shape::exact(0)
        }
    }

    /// The variable of a counted loop over this range.
    pub(super) fn counted(var: Value, lo: Shape, hi: Shape) -> Shape {
        let simple = lo.is_exact() && hi.is_exact() && lo.coef == 0 && hi.coef == 0;
        let range = (lo.range.0, hi.range.1.max(lo.range.0));
        Shape {
            var: simple.then_some(var),
            ..Shape::within(range)
        }
    }

    /// Whether the rest is one number.
    pub(super) fn is_exact(&self) -> bool {
        self.modulus == 0
    }

    fn constant(&self) -> Option<i64> {
        (self.coef == 0 && self.is_exact()).then_some(self.residue)
    }

    /// Itself, unless the arithmetic may have wrapped, or a part of it is too large to go on with:
    /// sums and products saturate, far outside of what is kept here.
    fn unless_wrapped(self, ty: Scalar) -> Shape {
        let (lo, hi) = whole(ty);
        let parts = [
            self.coef,
            self.rest.0,
            self.rest.1,
            self.modulus,
            self.residue,
        ];
        let far = parts.iter().any(|part| !(-FAR..=FAR).contains(part));
        if far || self.range.0 < lo || self.range.1 > hi {
            Shape::unknown(ty)
        } else {
            self
        }
    }

    fn plus(self, other: Shape) -> Shape {
        let pair =
            |a: (i64, i64), b: (i64, i64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        Shape {
            coef: self.coef.saturating_add(other.coef),
            rest: pair(self.rest, other.rest),
            modulus: gcd(self.modulus, other.modulus),
            residue: self.residue.saturating_add(other.residue),
            var: match (self.is_exact(), other.is_exact()) {
                (true, _) => other.var,
                (false, true) => self.var,
                (false, false) => None,
            },
            range: pair(self.range, other.range),
        }
    }

    fn times(self, n: i64) -> Shape {
        let pair = |(lo, hi): (i64, i64)| {
            let (lo, hi) = (lo.saturating_mul(n), hi.saturating_mul(n));
            if n < 0 { (hi, lo) } else { (lo, hi) }
        };
        Shape {
            coef: self.coef.saturating_mul(n),
            rest: pair(self.rest),
            modulus: self.modulus.saturating_mul(n).saturating_abs(),
            residue: self.residue.saturating_mul(n),
            var: self.var,
            range: pair(self.range),
        }
    }

    /// The result of an operation on integers.
    pub(super) fn apply(op: ScalarOp, args: &[Shape]) -> Shape {
        use ScalarOp as O;
        let ty = op.result();
        let (Some(&a), b) = (args.first(), args.get(1).copied()) else {
            return Shape::unknown(ty);
        };
        match (op, b) {
            (O::U32FromI32 | O::I32FromU32, _) => a.unless_wrapped(ty),
            (O::U32Add | O::I32Add, Some(b)) => a.plus(b).unless_wrapped(ty),
            (O::U32Sub | O::I32Sub, Some(b)) => a.plus(b.times(-1)).unless_wrapped(ty),
            (O::U32Mul | O::I32Mul, Some(b)) => match (a.constant(), b.constant()) {
                (_, Some(n)) => a.times(n).unless_wrapped(ty),
                (Some(n), _) => b.times(n).unless_wrapped(ty),
                (None, None) => Shape::unknown(ty),
            },
            (O::U32And, Some(b)) => Shape::within((0, a.range.1.min(b.range.1))),
            (O::U32Min, Some(b)) => {
                Shape::within((a.range.0.min(b.range.0), a.range.1.min(b.range.1)))
            }
            (O::U32Mod, Some(b)) => match b.constant() {
                Some(n) if n > 0 => Shape::within((0, a.range.1.min(n - 1))),
                _ => Shape::within((0, a.range.1)),
            },
            (O::U32Div, Some(b)) => match b.constant() {
                Some(n) if n > 0 => Shape::within((a.range.0 / n, a.range.1 / n)),
                _ => Shape::within((0, a.range.1)),
            },
            (O::U32Shl, Some(b)) => match b.constant() {
                Some(n) => a.times(1 << (n & 31)).unless_wrapped(ty),
                None => Shape::unknown(ty),
            },
            (O::U32Shr, Some(b)) => match b.constant() {
                Some(n) => Shape::within((a.range.0 >> (n & 31), a.range.1 >> (n & 31))),
                None => Shape::within((0, a.range.1)),
            },
            _ => Shape::unknown(ty),
        }
    }

    /// One or the other.
    pub(super) fn join(self, other: Shape) -> Shape {
        if self == other {
            return self;
        }
        let range = (
            self.range.0.min(other.range.0),
            self.range.1.max(other.range.1),
        );
        if self.coef != other.coef {
            return Shape::within(range);
        }
        let apart = self.residue - other.residue;
        Shape {
            coef: self.coef,
            rest: (self.rest.0.min(other.rest.0), self.rest.1.max(other.rest.1)),
            modulus: gcd(gcd(self.modulus, other.modulus), apart),
            residue: self.residue,
            var: None,
            range,
        }
    }

    /// Whether two lanes of a workgroup of `size` can never have the same number, the one in this
    /// shape and the other in that.
    pub(super) fn parts_lanes(&self, other: &Shape, size: u32) -> bool {
        let size = i64::from(size);
        if self.range.1 < other.range.0 || other.range.1 < self.range.0 {
            return true;
        }
        if self.coef != other.coef || self.coef <= 0 {
            return false;
        }
        let spread = self.rest.1.max(other.rest.1) - self.rest.0.min(other.rest.0);
        if spread < self.coef {
            return true;
        }
        let whole_turns = |n: i64| n % size == 0;
        self.coef == 1
            && whole_turns(self.modulus)
            && whole_turns(other.modulus)
            && whole_turns(self.residue - other.residue)
    }

    /// The numbers that lanes `lanes.0 ..= lanes.1` take between them, where they are all in a row
    /// and every one is taken (once the counted variable has run, if there is one).
    pub(super) fn covers(&self, lanes: (i64, i64)) -> Option<(i64, i64)> {
        let count = lanes.1 - lanes.0 + 1;
        if count <= 0 || (!self.is_exact() && self.var.is_none()) {
            return None;
        }
        let width = self.rest.1 - self.rest.0;
        let dense = if self.is_exact() {
            self.coef == 1 || count == 1
        } else {
            // Rows of lanes one after another, or each lane's row beside the next.
            (self.coef == 1 && self.modulus <= count)
                || (self.modulus == 1 && (self.coef <= width + 1 || count == 1))
        };
        dense.then(|| {
            (
                self.coef * lanes.0 + self.rest.0,
                self.coef * lanes.1 + self.rest.1,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of two 32-bit numbers that do not fit, also where only a part of them does not.
    #[test]
    fn what_wraps_is_unknown() {
        let apply = |op, a, b| Shape::apply(op, &[a, b]);
        let all = Shape::unknown(Scalar::U32);
        for n in [2, 1 << 31, (1 << 31) + 1, i64::from(u32::MAX)] {
            let product = apply(ScalarOp::U32Mul, all, Shape::exact(n));
            assert_eq!(product, all, "{n}");
        }
        let least = Shape::unknown(Scalar::I32);
        let product = apply(ScalarOp::I32Mul, least, Shape::exact(i64::from(i32::MIN)));
        assert_eq!(product, least);
        // The one lane of a group is 0 whatever it is multiplied by.
        let mut lane = Shape::local(1);
        for _ in 0..5 {
            lane = apply(ScalarOp::U32Mul, lane, Shape::exact(1 << 20));
            assert!(lane.coef <= FAR, "{lane:?}");
        }
    }
}
