//! The tests of the probe and their operands.
//!
//! The first tests are the operations alone, on operands that are hard for them: quotients and roots
//! next to the middle of two floats, fused sums that a rounded product decides otherwise, edges of
//! all kinds. The others are what drivers are known to rewrite, and the software operations, so that a
//! profile is confirmed with everything that kernels are made of.

use super::{SAMPLES, Test, Tree};
use crate::ir::op::ScalarOp as Op;
use nupp_ir::scalar;

/// Bits that special cases turn on.
const EDGES: [u32; 24] = [
    0x0000_0000,
    0x0000_0001,
    0x0000_0003,
    0x003f_ffff,
    0x0040_0000,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x1fff_ffff,
    0x2000_0000,
    0x3380_0000,
    0x3eaa_aaab,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4f00_0000,
    0x7e80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_1234,
];

/// All tests.
pub(super) fn tests() -> Vec<Test> {
    let (x, y, z) = (|| Tree::Float(0), || Tree::Float(1), || Tree::Float(2));
    let (u, v) = (|| Tree::Uniform(0), || Tree::Uniform(1));
    let word = |n| Tree::Word(n);
    let number = |x: f32| Tree::Literal(x.to_bits());
    let op = |op: Op, args: Vec<Tree>| Tree::Op(op, args);
    let add = |a, b| Tree::Op(Op::F32Add, vec![a, b]);
    let sub = |a, b| Tree::Op(Op::F32Sub, vec![a, b]);
    let mul = |a, b| Tree::Op(Op::F32Mul, vec![a, b]);
    let div = |a, b| Tree::Op(Op::F32Div, vec![a, b]);
    let fma = |a, b, c| Tree::Op(Op::F32Fma, vec![a, b, c]);
    let sqrt = |a| Tree::Op(Op::F32Sqrt, vec![a]);
    let sum = || add(x(), y());
    let rest = || sub(sum(), x());
    let list: Vec<(&'static str, Tree)> = vec![
        ("x + y", sum()),
        ("x - y", sub(x(), y())),
        ("x * y", mul(x(), y())),
        ("fma(x, y, z)", fma(x(), y(), z())),
        ("x / y", div(x(), y())),
        ("sqrt(x)", sqrt(x())),
        ("x == y", op(Op::F32Eq, vec![x(), y()])),
        ("x < y", op(Op::F32Lt, vec![x(), y()])),
        ("x <= y", op(Op::F32Le, vec![x(), y()])),
        ("f32(int32 x)", op(Op::F32FromI32, vec![word(0)])),
        ("f32(uint32 x)", op(Op::F32FromU32, vec![word(0)])),
        (
            "not (x == x)",
            op(Op::BoolNot, vec![op(Op::F32Eq, vec![x(), x()])]),
        ),
        ("(x + y) - x", rest()),
        (
            "two-sum",
            add(sub(x(), sub(sum(), rest())), sub(y(), rest())),
        ),
        ("x * y + z", add(mul(x(), y()), z())),
        ("x * y - x * z", sub(mul(x(), y()), mul(x(), z()))),
        ("(x * 3) * 5", mul(mul(x(), number(3.0)), number(5.0))),
        ("x + 0", add(x(), number(0.0))),
        ("0 - x", sub(number(0.0), x())),
        ("x - x", sub(x(), x())),
        ("1 / x", div(number(1.0), x())),
        ("sqrt(x) * sqrt(x)", mul(sqrt(x()), sqrt(x()))),
        ("(u + v) - u", sub(add(u(), v()), u())),
        ("u * v + x", add(mul(u(), v()), x())),
        (
            "x < y and x or y",
            op(Op::F32Select, vec![op(Op::F32Lt, vec![x(), y()]), x(), y()]),
        ),
        (
            "x < y and 1 or -1",
            op(
                Op::F32Select,
                vec![op(Op::F32Lt, vec![x(), y()]), number(1.0), number(-1.0)],
            ),
        ),
        ("min(x, y)", op(Op::F32Min, vec![x(), y()])),
        ("floor(x)", op(Op::F32Floor, vec![x()])),
        ("round(x)", op(Op::F32Round, vec![x()])),
        ("uint32 of x, clamped", op(Op::U32SaturateF32, vec![x()])),
        ("binary16 of x", op(Op::F32ToF16, vec![x()])),
        ("x // y as int32", op(Op::I32Div, vec![word(0), word(1)])),
        ("what stands for x among 100 words, or y", choices()),
    ];
    let list = list.into_iter();
    list.map(|(formula, tree)| Test { formula, tree }).collect()
}

/// Choices among so many words: functions look their exceptions up so. A driver that makes conditions of
/// them, one in the other, was seen to forget those past the 80th.
pub(super) const CHOICES: u32 = 100;

fn choices() -> Tree {
    let number = |n: u32| Tree::Number(n);
    (0..CHOICES).fold(Tree::Word(1), |other, n| {
        let found = Tree::Op(Op::U32Eq, vec![Tree::Word(0), number(n)]);
        let value = number(n.wrapping_mul(0x9e37_79b9) | 1);
        Tree::Op(Op::U32Select, vec![found, value, other])
    })
}

/// The operands of all tests, one after the other.
pub(super) fn operands(tests: &[Test]) -> [Vec<u32>; 3] {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = [const { Vec::new() }; 3];
    for test in tests {
        for sample in 0..SAMPLES {
            let hard = match &test.tree {
                Tree::Op(op, _) => hard(*op, &mut random),
                _ => meeting(&mut random),
            };
            let sample = match sample % 4 {
                0 | 1 => hard,
                2 => edges(&mut random),
                _ => [random.next(), random.next(), random.next()],
            };
            for (all, bits) in all.iter_mut().zip(sample) {
                all.push(bits);
            }
        }
    }
    all
}

/// So many triples of operands that are hard for an operation: quotients and roots next to the middle of
/// two floats, fused sums that cancel, small numbers to choose by, operands of like size for the others. The same
/// ones every time.
pub fn hard_operands(op: Op, count: usize) -> impl Iterator<Item = [u32; 3]> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    (0..count).map(move |_| hard(op, &mut random))
}

fn hard(op: Op, random: &mut Random) -> [u32; 3] {
    match op {
        Op::F32Div => quotient(random),
        Op::F32Sqrt => root(random),
        Op::F32Fma => fused(random),
        // Some below and some above those that are chosen among.
        Op::U32Select => [random.below(CHOICES * 5 / 4), random.next(), random.next()],
        _ => meeting(random),
    }
}

/// A small generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }

    /// 24 bits, the first of them set.
    fn mantissa(&mut self) -> u32 {
        (self.next() & 0x007f_ffff) | 0x0080_0000
    }

    /// A float in 1 .. 2 or its negative.
    fn near_one(&mut self) -> u32 {
        (self.next() & 0x807f_ffff) | 0x3f80_0000
    }
}

fn edges(random: &mut Random) -> [u32; 3] {
    [(); 3].map(|()| {
        let edge = EDGES[random.below(EDGES.len() as u32) as usize];
        edge | (random.next() & 0x8000_0000)
    })
}

/// Operands of like size, so that sums cancel and comparisons are close; some of them subnormal.
fn meeting(random: &mut Random) -> [u32; 3] {
    let exponent = match random.below(4) {
        0 => random.below(30) << 23,
        _ => (110 + random.below(34)) << 23,
    };
    let mut near = || (random.next() & 0x807f_ffff) | (exponent + (random.below(3) << 23));
    let (x, y) = (near(), near());
    [x, y, near()]
}

/// A quotient that lies next to the middle of two floats.
fn quotient(random: &mut Random) -> [u32; 3] {
    let divisor = u64::from(random.mantissa());
    // 25 bits, the last of them set: a middle.
    let middle = u64::from(random.mantissa()) * 2 + 1;
    let product = divisor * middle;
    let shift = 64 - product.leading_zeros() - 24;
    let dividend = (product >> shift) as u32 + random.below(2);
    let float = |mantissa: u32| (mantissa as f32).to_bits();
    [float(dividend), float(divisor as u32), random.near_one()]
}

/// A root that lies next to the middle of two floats.
fn root(random: &mut Random) -> [u32; 3] {
    let middle = u64::from(random.mantissa()) * 2 + 1;
    let square = middle * middle;
    let shift = 64 - square.leading_zeros() - 24;
    let radicand = (square >> shift) as u32 + random.below(2);
    // An odd shift is made up for by the exponent.
    let bits = (radicand as f32).to_bits() + ((shift & 1) << 23);
    [bits, random.near_one(), random.near_one()]
}

/// A fused sum that cancels, or that a rounded product decides otherwise.
fn fused(random: &mut Random) -> [u32; 3] {
    let (x, y) = (random.near_one(), random.near_one());
    let product = scalar::apply(Op::F32Mul, &[x, y]);
    let z = match random.below(4) {
        0 => product ^ 0x8000_0000,
        1 => (product ^ 0x8000_0000)
            .wrapping_add(random.below(5))
            .wrapping_sub(2),
        // A third operand of which the product is about half the last place.
        2 => (random.next() & 0x807f_ffff) | ((127 + 23 + random.below(3)) << 23),
        _ => random.near_one(),
    };
    match random.below(4) {
        // Scaled down to where results and operands are subnormal.
        0 => [
            x - (100 << 23),
            y - (25 << 23),
            z.wrapping_sub(125 << 23) & 0x80ff_ffff,
        ],
        _ => [x, y, z],
    }
}
