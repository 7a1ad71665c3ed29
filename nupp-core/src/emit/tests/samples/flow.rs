//! Conditions and loops of every kind, with what they give, written in Rust.

use super::{Build, from_word, input, module, output, to_word};
use crate::device::ir::{DeviceRegion, Module};
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{LoopKind, Termination};
use crate::ir::op::ScalarOp;

/// The bounds of the counted loops: whether signed, and `lo`, `hi`.
pub const BOUNDS: &[(bool, u32, u32)] = &[
    (true, 1, 4),
    (true, 0, 0),
    (true, 3, 2),
    (true, -2i32 as u32, 1),
    (true, i32::MAX as u32 - 2, i32::MAX as u32),
    (true, i32::MIN as u32, i32::MIN as u32 + 1),
    (true, i32::MAX as u32, i32::MIN as u32),
    (false, 0, 3),
    (false, 5, 5),
    (false, u32::MAX - 1, u32::MAX),
    (false, u32::MAX, 0),
    (false, 1, 0),
];

/// What a counted loop leaves: `sum = sum * 3 + var` a turn, from 1.
pub fn expected_counted() -> Vec<u32> {
    let turns = |&(signed, lo, hi): &(bool, u32, u32)| {
        let range: Vec<u32> = if signed {
            (lo as i32..=hi as i32).map(|i| i as u32).collect()
        } else {
            (lo..=hi).collect()
        };
        (range.into_iter()).fold(1u32, |sum, i| sum.wrapping_mul(3).wrapping_add(i))
    };
    BOUNDS.iter().map(turns).collect()
}

/// Counted loops; the bounds of loop `k` are constants or words `2k`, `2k + 1` of the input.
pub fn counted(constant: bool) -> Module {
    let mut b = Build::new();
    for (k, &(signed, lo, hi)) in (0..).zip(BOUNDS) {
        let ty = if signed { Scalar::I32 } else { Scalar::U32 };
        let [lo, hi] = [(2 * k, lo), (2 * k + 1, hi)].map(|(word, bits)| {
            if constant {
                return b.constant(ty, bits);
            }
            let word = input(&mut b, word);
            from_word(&mut b, ty, word)
        });
        let init = b.u32(1);
        let result = count(&mut b, lo, hi, init, |b, var, sum| {
            let three = b.u32(3);
            let var = to_word(b, var);
            let sum = b.scalar(ScalarOp::U32Mul, &[sum, three]);
            b.scalar(ScalarOp::U32Add, &[sum, var])
        });
        output(&mut b, k, result);
    }
    module("counted", b.finish(Vec::new()))
}

/// A counted loop with one parameter.
pub fn count(
    b: &mut Build,
    lo: Value,
    hi: Value,
    init: Value,
    turn: impl FnOnce(&mut Build, Value, Value) -> Value,
) -> Value {
    let params = b.loop_params(&[init]);
    let var = b.counted_var(lo, hi);
    b.open();
    let next = turn(b, var, params[0]);
    let body = b.close(vec![next]);
    let kind = LoopKind::Counted { var, lo, hi };
    b.loop_(kind, params, vec![init], body, false)[0]
}

/// Fibonacci by a swap in a `while`, conditions in a loop in a loop, and both kinds of loop left
/// early. Inputs: the number of turns, and a limit.
pub fn flow() -> Module {
    let mut b = Build::new();
    let (turns, limit) = (input(&mut b, 0), input(&mut b, 1));
    let fibonacci = fibonacci(&mut b, turns);
    output(&mut b, 0, fibonacci);
    let nested = nested(&mut b, turns);
    output(&mut b, 1, nested);
    let (at, sum) = broken_count(&mut b, turns, limit);
    output(&mut b, 2, at);
    output(&mut b, 3, sum);
    let broken = broken_while(&mut b, turns, limit);
    output(&mut b, 4, broken);
    bare(&mut b, turns, limit);
    module("flow", b.finish(Vec::new()))
}

/// What [`flow`] writes.
pub fn expected_flow(turns: u32, limit: u32) -> Vec<u32> {
    let (mut x, mut y) = (0u32, 1u32);
    for _ in 0..turns {
        (x, y) = (y, x.wrapping_add(y));
    }
    let mut nested = 0u32;
    for i in 1..=turns {
        for j in i..=turns {
            nested = match (j & 1 == 0, i & 1 == 0) {
                (true, true) => nested.wrapping_add(i * j),
                (true, false) => nested ^ j,
                (false, _) => nested.wrapping_mul(5),
            };
        }
    }
    let (mut at, mut sum) = (0, 0);
    for i in 0..=turns {
        (at, sum) = (i, sum + i);
        if sum >= limit {
            break;
        }
    }
    let mut broken = 1;
    while broken <= turns {
        broken *= 2;
        if broken >= limit {
            break;
        }
    }
    let mark = if turns < limit { 7 } else { 0 };
    vec![x, nested, at, sum, broken, mark]
}

fn fibonacci(b: &mut Build, turns: Value) -> Value {
    let (zero, one) = (b.u32(0), b.u32(1));
    let init = vec![zero, one, zero];
    let params = b.loop_params(&init);
    b.open();
    let more = b.scalar(ScalarOp::U32Lt, &[params[2], turns]);
    let cond = b.close(vec![more]);
    b.open();
    let sum = b.scalar(ScalarOp::U32Add, &[params[0], params[1]]);
    let next = b.scalar(ScalarOp::U32Add, &[params[2], one]);
    let body = b.close(vec![params[1], sum, next]);
    let class = Termination::Variant;
    let kind = LoopKind::While { cond, class };
    b.loop_(kind, params, init, body, false)[0]
}

fn nested(b: &mut Build, turns: Value) -> Value {
    let (zero, one) = (b.u32(0), b.u32(1));
    count(b, one, turns, zero, |b, i, sum| {
        count(b, i, turns, sum, |b, j, sum| {
            let (i_even, j_even) = (even(b, i), even(b, j));
            b.open();
            b.open();
            let product = b.scalar(ScalarOp::U32Mul, &[i, j]);
            let added = b.scalar(ScalarOp::U32Add, &[sum, product]);
            let then = b.close(vec![added]);
            b.open();
            let mixed = b.scalar(ScalarOp::U32Xor, &[sum, j]);
            let els = b.close(vec![mixed]);
            let inner = b.if_(i_even, then, els);
            let then = b.close(inner);
            b.open();
            let five = b.u32(5);
            let scaled = b.scalar(ScalarOp::U32Mul, &[sum, five]);
            let els = b.close(vec![scaled]);
            b.if_(j_even, then, els)[0]
        })
    })
}

fn even(b: &mut Build, value: Value) -> Value {
    let (one, zero) = (b.u32(1), b.u32(0));
    let low = b.scalar(ScalarOp::U32And, &[value, one]);
    b.scalar(ScalarOp::U32Eq, &[low, zero])
}

fn broken_count(b: &mut Build, turns: Value, limit: Value) -> (Value, Value) {
    let zero = b.u32(0);
    let init = vec![zero, zero];
    let params = b.loop_params(&init);
    let var = b.counted_var(zero, turns);
    b.open();
    let sum = b.scalar(ScalarOp::U32Add, &[params[1], var]);
    let go_on = b.scalar(ScalarOp::U32Lt, &[sum, limit]);
    let body = b.close(vec![go_on, var, sum]);
    let kind = LoopKind::Counted {
        var,
        lo: zero,
        hi: turns,
    };
    let results = b.loop_(kind, params, init, body, true);
    (results[0], results[1])
}

fn broken_while(b: &mut Build, turns: Value, limit: Value) -> Value {
    let one = b.u32(1);
    let params = b.loop_params(&[one]);
    b.open();
    let more = b.scalar(ScalarOp::U32Le, &[params[0], turns]);
    let cond = b.close(vec![more]);
    b.open();
    let two = b.u32(2);
    let doubled = b.scalar(ScalarOp::U32Mul, &[params[0], two]);
    let go_on = b.scalar(ScalarOp::U32Lt, &[doubled, limit]);
    let body = b.close(vec![go_on, doubled]);
    let class = Termination::Unproved;
    let kind = LoopKind::While { cond, class };
    b.loop_(kind, params, vec![one], body, true)[0]
}

/// Conditions without results: one side empty, and each in turn.
fn bare(b: &mut Build, turns: Value, limit: Value) {
    let below = b.scalar(ScalarOp::U32Lt, &[turns, limit]);
    b.open();
    let seven = b.u32(7);
    output(b, 5, seven);
    let full = b.close(Vec::new());
    b.if_(below, full, DeviceRegion::default());
    b.open();
    let zero = b.u32(0);
    output(b, 5, zero);
    let full = b.close(Vec::new());
    b.if_(below, DeviceRegion::default(), full);
}

/// Conditions in each other, as many sequential early exits become.
pub fn nested_conditions(depth: usize) -> Module {
    fn nest(b: &mut Build, depth: usize, n: Value, x: Value) -> Value {
        if depth == 0 {
            return n;
        }
        let below = b.scalar(ScalarOp::U32Lt, &[n, x]);
        b.open();
        let then = b.close(vec![x]);
        b.open();
        let inner = nest(b, depth - 1, n, x);
        let els = b.close(vec![inner]);
        b.if_(below, then, els)[0]
    }
    around("nested conditions", |b, n, x| nest(b, depth, n, x))
}

/// Counted loops in each other.
pub fn nested_loops(depth: usize) -> Module {
    fn nest(b: &mut Build, depth: usize, n: Value, x: Value) -> Value {
        if depth == 0 {
            return b.scalar(ScalarOp::U32Add, &[n, x]);
        }
        count(b, n, x, x, |b, _, x| nest(b, depth - 1, n, x))
    }
    around("nested loops", |b, n, x| nest(b, depth, n, x))
}

/// A module that writes what is made of two words.
fn around(name: &str, make: impl FnOnce(&mut Build, Value, Value) -> Value) -> Module {
    let mut b = Build::new();
    let (n, x) = (input(&mut b, 0), input(&mut b, 1));
    let value = make(&mut b, n, x);
    output(&mut b, 0, value);
    module(name, b.finish(Vec::new()))
}

/// A little of each: a counted loop, a guarded division, a float sum, a condition.
pub fn excerpt() -> Module {
    around("an excerpt", |b, n, x| {
        let first = b.u32(1);
        let init = b.f32(0.5);
        let sum = count(b, first, n, init, |b, i, sum| {
            let part = b.scalar(ScalarOp::U32Div, &[i, x]);
            let part = b.scalar(ScalarOp::F32FromU32, &[part]);
            b.scalar(ScalarOp::F32Add, &[sum, part])
        });
        let small = b.scalar(ScalarOp::U32Lt, &[n, x]);
        b.open();
        let then = b.close(vec![sum]);
        b.open();
        let word = b.u32(0x7fc0_0000);
        let nan = b.scalar(ScalarOp::F32FromBits, &[word]);
        let els = b.close(vec![nan]);
        b.if_(small, then, els)[0]
    })
}
