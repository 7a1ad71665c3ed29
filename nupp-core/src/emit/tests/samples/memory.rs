//! Functions, private arrays, and workgroup arrays between barriers.

use super::flow::count;
use super::{Build, from_word, input, module, output, to_word};
use crate::artifact::UniformLayout;
use crate::device::ir::{
    ArrayDecl, BufferDecl, Builtin, DeviceLeaf, DeviceRegion, Function, Module,
};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{LoopKind, Termination};
use crate::ir::op::ScalarOp;

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

/// Raises word 1 of an atomic buffer to each of four words of the input, and writes what each found.
pub fn raised() -> Module {
    let mut b = Build::new();
    let at = b.u32(1);
    for n in 0..4 {
        let value = input(&mut b, n);
        let raise = DeviceLeaf::BufferMax {
            buffer: 2,
            index: at,
            value,
        };
        let before = b.leaf(raise, Scalar::U32);
        output(&mut b, n, before);
    }
    let mut module = module("raised", b.finish(Vec::new()));
    module.buffers.push(BufferDecl {
        name: "claims".to_owned(),
        write: true,
        words: 1,
        atomic: true,
    });
    module
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
