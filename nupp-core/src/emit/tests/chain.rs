//! Chains of operations, each result an operand of the next operation alone.
//!
//! Written as text a chain is one expression, unless the printer cuts it. The judges refuse a module whose
//! text nests more deeply than compilers bear; here the values are looked at as well.

use super::samples::{Build, as_operand, from_word, input, module, operations, output};
use super::{CANONICAL, machines, outputs, run, spirv, validate};
use crate::device::ir::Module;
use crate::eval::scalar::{apply, canonical};
use crate::ir::entity::{Scalar, Value};
use crate::ir::op::ScalarOp;
use spirv::Options;

/// More than the judges bear in one expression.
const LINKS: u32 = 120;

/// A chain of one operation. Input 0 is the last operand of the first link, inputs 1 and 2 are the other
/// operands of each.
fn chain(op: ScalarOp) -> Module {
    let mut b = Build::new();
    let operand = |b: &mut Build, position: usize, word: u32| {
        let word = input(b, word);
        from_word(b, op.args()[position], word)
    };
    let others = op.args().len() - 1;
    let first = operand(&mut b, others, 0);
    let end = (0..LINKS).fold(first, |last, _| {
        let mut args: Vec<Value> = (0..others)
            .map(|n| operand(&mut b, n, n as u32 + 1))
            .collect();
        args.push(last);
        b.scalar(op, &args)
    });
    output(&mut b, 0, end);
    module(op.name(), b.finish(Vec::new()))
}

/// What the chain gives for these inputs.
fn expected(op: ScalarOp, inputs: [u32; 3]) -> u32 {
    let others = op.args().len() - 1;
    (0..LINKS).fold(inputs[0], |last, _| {
        let operands = inputs[1..=others].iter().chain([&last]).zip(op.args());
        let args: Vec<u32> = operands.map(|(&bits, &ty)| as_operand(ty, bits)).collect();
        apply(op, &args)
    })
}

/// The operations whose result can be their last operand.
fn links() -> impl Iterator<Item = ScalarOp> {
    let all = operations().into_iter();
    all.filter(|op| op.args().last() == Some(&op.result()))
}

#[test]
fn chains_of_any_operation_pass_every_judge_and_mean_the_same() {
    for op in links() {
        let module = chain(op);
        validate(&module);
        for inputs in [[1, 0, 1], [0x3f80_0001, 3, 5]] {
            let right = expected(op, inputs);
            for (route, mut machine) in machines(&module) {
                let given = outputs(&mut machine, &module, &inputs, 1)[0];
                // A NaN that arithmetic made may have any payload.
                let given = match op.result() {
                    Scalar::F32 => canonical(given),
                    Scalar::U32 | Scalar::I32 | Scalar::Bool => given,
                };
                assert_eq!(given, right, "{} of {inputs:x?} by {route}", op.name());
            }
        }
    }
}

/// What a driver reads by itself is not cut, and what is cut takes one variable of each type.
#[test]
fn only_what_is_read_by_others_is_cut() {
    let module = chain(ScalarOp::U32Xor);
    let count = |options: &Options, opcode: u32| {
        let words = spirv::emit_module(&module, options);
        let list = run::instructions(&words);
        list.iter().filter(|inst| inst.opcode == opcode).count()
    };
    let whole = Options {
        cut_chains: false,
        ..CANONICAL
    };
    let (variable, store) = (59, 62);
    assert_eq!(
        count(&CANONICAL, variable),
        count(&whole, variable) + 1,
        "a variable"
    );
    let cuts = (LINKS - 1) as usize / spirv::MOST as usize;
    assert_eq!(count(&CANONICAL, store), count(&whole, store) + cuts);
}
