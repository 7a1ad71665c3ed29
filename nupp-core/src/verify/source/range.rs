//! Intervals of integers by mathematical value, and what each operation makes of them.
//!
//! An interval is closed and never empty. Where an operation may wrap, the result is the whole
//! type; everything is computed in 128-bit integers, which no 32-bit operands overflow.

use crate::ir::entity::Scalar;
use crate::ir::op::ScalarOp;

/// The greatest uint32.
pub const U32_MAX: i128 = u32::MAX as i128;

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least value.
    pub lo: i128,
    /// The greatest value.
    pub hi: i128,
}

impl Interval {
    /// From `lo` to `hi`.
    pub const fn new(lo: i128, hi: i128) -> Self {
        Interval { lo, hi }
    }

    /// One value.
    pub const fn point(value: i128) -> Self {
        Interval::new(value, value)
    }

    /// All values of a type. A float has none that matters here; it counts as a word.
    pub fn of_type(ty: Scalar) -> Self {
        match ty {
            Scalar::I32 => Interval::new(i32::MIN as i128, i32::MAX as i128),
            Scalar::U32 | Scalar::F32 => Interval::new(0, U32_MAX),
            Scalar::Bool => Interval::new(0, 1),
        }
    }

    /// The least interval that holds both.
    pub fn join(self, other: Interval) -> Interval {
        Interval::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// What is in both; `self` where nothing is, which only unreachable code can see.
    pub fn meet(self, other: Interval) -> Interval {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo <= hi {
            Interval::new(lo, hi)
        } else {
            self
        }
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Its one value, if it has only one.
    pub fn single(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }
}

/// The interval of an operation's result, from those of its operands. A boolean is 0 or 1.
pub fn of_op(op: ScalarOp, args: &[Interval]) -> Interval {
    use ScalarOp::*;
    let whole = Interval::of_type(op.result());
    let arg = |i: usize| args.get(i).copied().unwrap_or(whole);
    let (a, b) = (arg(0), arg(1));
    // A result that would leave the type wraps, so nothing is known of it.
    let fit = |x: Interval| if whole.contains(x) { x } else { whole };
    match op {
        U32Add | I32Add => fit(Interval::new(a.lo + b.lo, a.hi + b.hi)),
        U32Sub | I32Sub => fit(Interval::new(a.lo - b.hi, a.hi - b.lo)),
        U32Mul | I32Mul => fit(products(a, b)),
        I32Neg => fit(Interval::new(-a.hi, -a.lo)),
        U32Min | I32Min => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        U32Max | I32Max => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        U32FromI32 | I32FromU32 => fit(a),
        U32Div => divided(a, b),
        U32Mod => remainder(a, b),
        I32Div if a.lo >= 0 && b.lo > 0 => divided(a, b),
        I32Mod if a.lo >= 0 && b.lo > 0 => remainder(a, b),
        U32And => Interval::new(0, a.hi.min(b.hi)),
        // A non-negative side clears the sign bit.
        I32And if a.lo >= 0 && b.lo >= 0 => Interval::new(0, a.hi.min(b.hi)),
        I32And if a.lo >= 0 => Interval::new(0, a.hi),
        I32And if b.lo >= 0 => Interval::new(0, b.hi),
        U32Or | U32Xor => Interval::new(0, ones(a.hi.max(b.hi))),
        U32Shr | I32Shr => shifted_right(a, b, whole),
        U32Shl | I32Shl => shifted_left(a, b, whole),
        U32Popcount | U32LeadingZeros | U32TrailingZeros => Interval::new(0, 32),
        U32MulHigh => Interval::new((a.lo * b.lo) >> 32, (a.hi * b.hi) >> 32),
        F32ToF16 | F32ToBf16 => Interval::new(0, 0xffff),
        U32Select | I32Select => match a.single() {
            Some(0) => arg(2),
            Some(_) => b,
            None => b.join(arg(2)),
        },
        BoolAnd => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        BoolOr => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        BoolNot => Interval::new(1 - a.hi, 1 - a.lo),
        BoolSelect => match a.single() {
            Some(0) => arg(2),
            Some(_) => b,
            None => b.join(arg(2)),
        },
        U32Eq | I32Eq => compared(a.hi < b.lo || b.hi < a.lo, a.single().is_some() && a == b),
        U32Lt | I32Lt => compared(a.lo >= b.hi, a.hi < b.lo),
        U32Le | I32Le => compared(a.lo > b.hi, a.hi <= b.lo),
        I32Div | I32Mod | I32And | I32Or | I32Xor | I32Not | I32MulHigh | U32Not
        | U32RotateLeft | U32RotateRight | U32WrapF32 | U32SaturateF32 | I32WrapF32
        | I32SaturateF32 | BoolXor => whole,
        F32Add | F32Sub | F32Mul | F32Div | F32Sqrt | F32Fma | F32Min | F32Max | F32Neg
        | F32Abs | F32CopySign | F32Floor | F32Ceil | F32Trunc | F32Round | Math(_) | F32Eq
        | F32Lt | F32Le | F32IsNan | F32IsInf | F32FromBits | F32ToBits | F32FromI32
        | F32FromU32 | F32FromF16 | F32FromBf16 | F32Select | F32RawBits => whole,
    }
}

fn compared(never: bool, always: bool) -> Interval {
    match (never, always) {
        (true, _) => Interval::point(0),
        (_, true) => Interval::point(1),
        _ => Interval::new(0, 1),
    }
}

fn products(a: Interval, b: Interval) -> Interval {
    let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
    let [first, rest @ ..] = corners.map(Interval::point);
    rest.into_iter().fold(first, Interval::join)
}

/// Of non-negative operands; a divisor of 0 gives 0.
fn divided(a: Interval, b: Interval) -> Interval {
    let lo = if b.lo == 0 { 0 } else { a.lo / b.hi };
    Interval::new(lo, a.hi / b.lo.max(1))
}

/// Of non-negative operands; a divisor of 0 gives 0.
fn remainder(a: Interval, b: Interval) -> Interval {
    if a.hi < b.lo {
        return a;
    }
    Interval::new(0, a.hi.min((b.hi - 1).max(0)))
}

/// The least `2^n - 1` that is no less.
fn ones(x: i128) -> i128 {
    let bits = 128 - x.max(0).leading_zeros();
    (1i128 << bits) - 1
}

fn shifted_right(a: Interval, count: Interval, whole: Interval) -> Interval {
    if count.hi > 31 {
        // The count is taken modulo 32, so nothing is known of it; a value only nears zero.
        return Interval::new(a.lo.min(0).max(whole.lo), a.hi.max(0));
    }
    let (near, far) = (count.lo, count.hi);
    let lo = if a.lo < 0 { a.lo >> near } else { a.lo >> far };
    let hi = if a.hi < 0 { a.hi >> far } else { a.hi >> near };
    Interval::new(lo, hi)
}

fn shifted_left(a: Interval, count: Interval, whole: Interval) -> Interval {
    if count.hi > 31 {
        return whole;
    }
    let factor = Interval::new(1 << count.lo, 1 << count.hi);
    let shifted = products(a, factor);
    if whole.contains(shifted) {
        shifted
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::scalar::apply;

    fn value(ty: Scalar, bits: u32) -> i128 {
        match ty {
            Scalar::I32 => i128::from(bits as i32),
            Scalar::U32 | Scalar::F32 | Scalar::Bool => i128::from(bits),
        }
    }

    const WORDS: &[u32] = &[
        0,
        1,
        2,
        3,
        7,
        8,
        31,
        32,
        33,
        100,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ff00,
        0xffff_ffff,
    ];

    /// Intervals between any two of the words, and inside each some values.
    fn intervals(ty: Scalar) -> Vec<(Interval, Vec<u32>)> {
        let words = if ty == Scalar::Bool {
            &WORDS[..2]
        } else {
            WORDS
        };
        let mut words = words.to_vec();
        words.sort_by_key(|&w| value(ty, w));
        let mut list = Vec::new();
        for i in 0..words.len() {
            for j in i..words.len() {
                let interval = Interval::new(value(ty, words[i]), value(ty, words[j]));
                list.push((interval, words[i..=j].to_vec()));
            }
        }
        list
    }

    #[test]
    fn every_result_lies_in_the_interval_of_its_operands() {
        let mut narrowed = 0;
        for &op in ScalarOp::ALL {
            let types = op.args();
            if types.contains(&Scalar::F32) || types.len() > 2 {
                continue;
            }
            let second = types.get(1).copied();
            let others = second.map_or_else(|| vec![(Interval::point(0), vec![0])], intervals);
            for (a, left) in intervals(types[0]) {
                for (b, right) in &others {
                    let range = of_op(op, &[a, *b][..types.len()]);
                    narrowed += u32::from(range != Interval::of_type(op.result()));
                    for &x in &left {
                        for &y in right {
                            let got = apply(op, &[x, y][..types.len()]);
                            let got = value(op.result(), got);
                            assert!(
                                range.lo <= got && got <= range.hi,
                                "{} of {a:?}, {b:?} is {range:?} without {got}",
                                op.name()
                            );
                        }
                    }
                }
            }
        }
        assert!(narrowed > 10_000, "only {narrowed} results were narrowed");
    }

    #[test]
    fn constants_and_masks_narrow_as_much_as_they_can() {
        use ScalarOp::*;
        let u = Interval::new;
        assert_eq!(of_op(U32Mod, &[u(0, U32_MAX), u(4, 4)]), u(0, 3));
        assert_eq!(of_op(U32And, &[u(0, U32_MAX), u(7, 7)]), u(0, 7));
        assert_eq!(of_op(U32Shr, &[u(0, 255), u(2, 2)]), u(0, 63));
        assert_eq!(of_op(U32Shl, &[u(0, 63), u(2, 2)]), u(0, 252));
        assert_eq!(of_op(U32Add, &[u(1, U32_MAX), u(1, 1)]), u(0, U32_MAX));
        assert_eq!(of_op(I32Sub, &[u(0, 9), u(1, 1)]), u(-1, 8));
        assert_eq!(of_op(U32FromI32, &[u(-1, 8)]), u(0, U32_MAX));
    }
}
