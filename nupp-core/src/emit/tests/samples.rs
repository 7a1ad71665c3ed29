//! Device modules written by hand, with the words they must give.

use crate::artifact::UniformLayout;
use crate::device::ir::{
    ArrayDecl, BufferDecl, Builtin, DeviceLeaf, DeviceRegion, Function, Module, printable,
};
use crate::eval::scalar::apply;
use crate::ir::build::Builder;
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{LoopKind, Termination, ValueInfo};
use crate::ir::op::ScalarOp;

pub type Build = Builder<DeviceLeaf>;

/// Every operation that Device IR may hold, in table order.
pub fn operations() -> Vec<ScalarOp> {
    let all = ScalarOp::ALL.iter().copied();
    all.filter(|&op| printable(op)).collect()
}

/// A module of one read buffer `b0` and one written buffer `b1`.
pub fn module(name: &str, (values, body): (Vec<ValueInfo>, DeviceRegion)) -> Module {
    let buffer = |name: &str, write| BufferDecl {
        name: name.to_owned(),
        write,
        words: 1,
    };
    Module {
        name: name.to_owned(),
        profile: "conservative",
        buffers: vec![buffer("input", false), buffer("output", true)],
        uniforms: UniformLayout {
            spans: 2,
            uniforms: 0,
        },
        workgroup: Vec::new(),
        private: Vec::new(),
        size: 64,
        covers: 64,
        values,
        functions: Vec::new(),
        body,
        software: Vec::new(),
        barriers: 0,
    }
}

/// Reads word `index` of the input.
pub fn input(b: &mut Build, index: u32) -> Value {
    let index = b.u32(index);
    b.leaf(DeviceLeaf::BufferLoad { buffer: 0, index }, Scalar::U32)
}

/// Writes word `index` of the output, from a value of any type.
pub fn output(b: &mut Build, index: u32, value: Value) {
    let index = b.u32(index);
    let value = to_word(b, value);
    b.effect(DeviceLeaf::BufferStore {
        buffer: 1,
        index,
        value,
    });
}

/// The word of a value; a truth value is 1 or 0.
fn to_word(b: &mut Build, value: Value) -> Value {
    match b.ty(value) {
        Scalar::U32 => value,
        Scalar::I32 => b.scalar(ScalarOp::U32FromI32, &[value]),
        Scalar::F32 => b.scalar(ScalarOp::F32RawBits, &[value]),
        Scalar::Bool => {
            let (one, zero) = (b.u32(1), b.u32(0));
            b.scalar(ScalarOp::U32Select, &[value, one, zero])
        }
    }
}

/// A value of a type from a word; as a truth value, its lowest bit.
pub fn from_word(b: &mut Build, ty: Scalar, word: Value) -> Value {
    match ty {
        Scalar::U32 => word,
        Scalar::I32 => b.scalar(ScalarOp::I32FromU32, &[word]),
        Scalar::F32 => b.scalar(ScalarOp::F32FromBits, &[word]),
        Scalar::Bool => {
            let one = b.u32(1);
            let low = b.scalar(ScalarOp::U32And, &[word, one]);
            b.scalar(ScalarOp::U32Eq, &[low, one])
        }
    }
}

/// Bits as an operand of a type.
pub fn as_operand(ty: Scalar, bits: u32) -> u32 {
    match ty {
        Scalar::Bool => bits & 1,
        Scalar::F32 | Scalar::I32 | Scalar::U32 => bits,
    }
}

/// What every operation gives for three operands.
pub fn expected_operations(operands: [u32; 3]) -> Vec<u32> {
    let result = |op: ScalarOp| {
        let args: Vec<u32> = (op.args().iter().zip(operands))
            .map(|(&ty, bits)| as_operand(ty, bits))
            .collect();
        match op {
            // The table canonicalises what Device IR leaves as it is.
            ScalarOp::F32FromBits => args[0],
            op => apply(op, &args),
        }
    };
    operations().into_iter().map(result).collect()
}

/// Each operation on the first words of the input; operation `k` writes word `k`.
pub fn operations_of_memory() -> Module {
    let mut b = Build::new();
    let words = [0, 1, 2].map(|index| input(&mut b, index));
    for (k, op) in (0..).zip(operations()) {
        let args: Vec<Value> = (op.args().iter().zip(words))
            .map(|(&ty, word)| from_word(&mut b, ty, word))
            .collect();
        let value = b.scalar(op, &args);
        output(&mut b, k, value);
    }
    module("operations of memory", b.finish(Vec::new()))
}

/// Each operation on constants: what a compiler of WGSL may not evaluate before the time.
pub fn operations_of_constants(operands: [u32; 3]) -> Module {
    let mut b = Build::new();
    for (k, op) in (0..).zip(operations()) {
        let args: Vec<Value> = (op.args().iter().zip(operands))
            .map(|(&ty, bits)| b.constant(ty, as_operand(ty, bits)))
            .collect();
        let value = b.scalar(op, &args);
        output(&mut b, k, value);
    }
    module("operations of constants", b.finish(Vec::new()))
}

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
fn count(
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

/// A function that calls another, `f(x) = g(x, x + 1)`, `g(x, y) = x < y ? x * y : 0.5 as bits`.
pub fn functions() -> Module {
    let mut b = Build::new();
    let (x, y) = (b.external(Scalar::U32), b.external(Scalar::U32));
    b.open();
    let below = b.scalar(ScalarOp::U32Lt, &[x, y]);
    b.open();
    let product = b.scalar(ScalarOp::U32Mul, &[x, y]);
    let then = b.close(vec![product]);
    b.open();
    let half = b.f32(0.5);
    let half = b.scalar(ScalarOp::F32RawBits, &[half]);
    let els = b.close(vec![half]);
    let result = b.if_(below, then, els);
    let g = b.close(result);
    let z = b.external(Scalar::U32);
    b.open();
    let one = b.u32(1);
    let next = b.scalar(ScalarOp::U32Add, &[z, one]);
    let called = call(&mut b, 0, vec![z, next]);
    let f = b.close(vec![called]);
    let word = input(&mut b, 0);
    let result = call(&mut b, 1, vec![word]);
    output(&mut b, 0, result);
    let function = |name: &str, params, body| Function {
        name: name.to_owned(),
        params,
        result: Scalar::U32,
        body,
    };
    let mut module = module("functions", b.finish(Vec::new()));
    module.functions = vec![function("g", vec![x, y], g), function("f g", vec![z], f)];
    module
}

fn call(b: &mut Build, func: u32, args: Vec<Value>) -> Value {
    let func = FuncId(func);
    b.leaf(DeviceLeaf::Call { func, args }, Scalar::U32)
}

/// Private arrays of each type, written in one loop and read backwards in another; the result is
/// `Σ k·(7 - k)` over 0 ..= 7 in each.
pub fn private_arrays() -> Module {
    let mut b = Build::new();
    let types = [Scalar::U32, Scalar::I32, Scalar::F32];
    for (array, ty) in (0..).zip(types) {
        let (zero, seven) = (b.u32(0), b.u32(7));
        count(&mut b, zero, seven, zero, |b, index, param| {
            let value = from_word(b, ty, index);
            b.effect(DeviceLeaf::PrivateStore {
                array,
                index,
                value,
            });
            param
        });
        let sum = count(&mut b, zero, seven, zero, |b, k, sum| {
            let index = b.scalar(ScalarOp::U32Sub, &[seven, k]);
            let value = b.leaf(DeviceLeaf::PrivateLoad { array, index }, ty);
            let value = to_word(b, value);
            let product = b.scalar(ScalarOp::U32Mul, &[k, value]);
            b.scalar(ScalarOp::U32Add, &[sum, product])
        });
        output(&mut b, array, sum);
    }
    let mut module = module("private arrays", b.finish(Vec::new()));
    module.private = arrays(&types, 8);
    module
}

fn arrays(types: &[Scalar], len: u32) -> Vec<ArrayDecl> {
    let array = |&ty: &Scalar| ArrayDecl {
        name: "slots".to_owned(),
        ty,
        len,
    };
    types.iter().map(array).collect()
}

/// Stages over a workgroup array, in a controller loop of as many turns as a uniform word says and
/// under a condition on a word of the read buffer: barriers in every kind of control flow.
pub fn barriers() -> Module {
    let mut b = Build::new();
    let lane = b.leaf(DeviceLeaf::Builtin(Builtin::LocalIndex), Scalar::U32);
    let group = b.leaf(DeviceLeaf::Builtin(Builtin::WorkgroupX), Scalar::U32);
    let row = b.leaf(DeviceLeaf::Builtin(Builtin::WorkgroupY), Scalar::U32);
    let turns = b.leaf(DeviceLeaf::UniformWord(UniformLayout::COUNT), Scalar::U32);
    let q = b.leaf(DeviceLeaf::UniformWord(UniformLayout::Q2), Scalar::U32);
    let flag = b.leaf(
        DeviceLeaf::BufferLoad {
            buffer: 0,
            index: group,
        },
        Scalar::U32,
    );
    let one = b.u32(1);
    let sum = count(&mut b, one, turns, q, |b, turn, sum| {
        let start = b.scalar(ScalarOp::U32Add, &[turn, lane]);
        shared_store(b, 0, lane, start);
        b.effect(DeviceLeaf::Barrier);
        let wanted = b.scalar(ScalarOp::U32Le, &[turn, flag]);
        b.open();
        let stride = b.u32(32);
        let init = vec![stride];
        let params = b.loop_params(&init);
        b.open();
        let zero = b.u32(0);
        let more = b.scalar(ScalarOp::U32Lt, &[zero, params[0]]);
        let cond = b.close(vec![more]);
        b.open();
        step(b, lane, params[0]);
        let half = b.scalar(ScalarOp::U32Shr, &[params[0], one]);
        let body = b.close(vec![half]);
        let class = Termination::Variant;
        b.loop_(LoopKind::While { cond, class }, params, init, body, false);
        let then = b.close(Vec::new());
        b.if_(wanted, then, DeviceRegion::default());
        let index = b.u32(0);
        let total = b.leaf(DeviceLeaf::SharedLoad { array: 0, index }, Scalar::U32);
        b.effect(DeviceLeaf::Barrier);
        b.scalar(ScalarOp::U32Add, &[sum, total])
    });
    let index = b.scalar(ScalarOp::U32Add, &[group, row]);
    let first = b.u32(0);
    let leads = b.scalar(ScalarOp::U32Eq, &[lane, first]);
    b.open();
    b.effect(DeviceLeaf::BufferStore {
        buffer: 1,
        index,
        value: sum,
    });
    let then = b.close(Vec::new());
    b.if_(leads, then, DeviceRegion::default());
    let mut module = module("barriers", b.finish(Vec::new()));
    module.workgroup = arrays(&[Scalar::U32, Scalar::F32], 64);
    module.barriers = 3;
    module
}

fn shared_store(b: &mut Build, array: u32, index: Value, value: Value) {
    b.effect(DeviceLeaf::SharedStore {
        array,
        index,
        value,
    });
}

/// Some lanes change their own slot, then all meet.
fn step(b: &mut Build, lane: Value, stride: Value) {
    let active = b.scalar(ScalarOp::U32Lt, &[lane, stride]);
    b.open();
    let leaf = DeviceLeaf::SharedLoad {
        array: 0,
        index: lane,
    };
    let old = b.leaf(leaf, Scalar::U32);
    let sum = b.scalar(ScalarOp::U32Add, &[old, stride]);
    shared_store(b, 0, lane, sum);
    let then = b.close(Vec::new());
    b.if_(active, then, DeviceRegion::default());
    b.effect(DeviceLeaf::Barrier);
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
