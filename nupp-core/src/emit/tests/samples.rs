//! Device modules written by hand, with the words they must give.

use crate::artifact::UniformLayout;
use crate::device::ir::{BufferDecl, DeviceLeaf, DeviceRegion, Module, printable};
use crate::eval::scalar::apply;
use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::ValueInfo;
use crate::ir::op::ScalarOp;

pub mod flow;
pub mod memory;

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
        atomic: false,
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
        register_bytes: 0,
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
