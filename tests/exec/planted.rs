//! The harness itself: a planted fault in any executor must be found.
//!
//! One operation of a kernel is exchanged for a near relative, in the embedded IR; the interpreter then
//! computes what a wrong executor would, and the comparison with the right words must fail.

use crate::harness::{Words, embedded};
use crate::maps::{Planted, planted_kernels};
use nupp_core::eval::source::{self, LaneOrder};
use nupp_core::ir::entity::Value;
use nupp_core::ir::flow::{Op, Region};
use nupp_core::ir::kernel::{Body, Kernel, Leaf};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::print::print;
use nupp_core::verify;
use nupp_testkit::compare::difference;

/// A near relative of the same type.
fn relative(op: ScalarOp) -> Option<ScalarOp> {
    use ScalarOp as O;
    Some(match op {
        O::F32Add => O::F32Sub,
        O::F32Mul => O::F32Add,
        O::F32Min => O::F32Max,
        O::F32Le => O::F32Lt,
        O::F32Lt => O::F32Le,
        O::U32Add => O::U32Sub,
        O::U32Div => O::U32Mod,
        O::U32Shl => O::U32Shr,
        O::I32Div => O::I32Mod,
        O::U32WrapF32 => O::U32SaturateF32,
        _ => return None,
    })
}

/// Whether anything uses what this value names: a word of the printed kernel besides its definition.
fn used(kernel: &Kernel, value: Value) -> bool {
    let (text, name) = (print(kernel), value.to_string());
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| *word == name)
        .count()
        > 1
}

/// Exchanges the `nth` operation that has a relative and a use; gives false if there are not so many.
fn exchange(kernel: &Kernel, region: &mut Region<Leaf>, nth: &mut usize) -> bool {
    for inst in &mut region.insts {
        let unused = inst.results.iter().all(|value| !used(kernel, *value));
        let done = match &mut inst.op {
            Op::Scalar(..) if unused => false,
            Op::Scalar(op, _) => match relative(*op) {
                Some(other) if *nth == 0 => {
                    *op = other;
                    true
                }
                Some(_) => {
                    *nth -= 1;
                    false
                }
                None => false,
            },
            Op::If { then, els, .. } => exchange(kernel, then, nth) || exchange(kernel, els, nth),
            Op::Loop(whole) => exchange(kernel, &mut whole.body, nth),
            Op::Const(_) | Op::Leaf(_) => false,
        };
        if done {
            return true;
        }
    }
    false
}

fn interpreted(kernel: Kernel, spans: &[Words], uniforms: &[u32]) -> Option<Vec<Words>> {
    let kernel = verify::source::verify(kernel).ok()?;
    let mut spans = spans.to_vec();
    source::run_within(&kernel, &mut spans, uniforms, LaneOrder::Ascending, 1 << 24).ok()?;
    Some(spans)
}

#[test]
fn every_exchanged_operation_is_found() {
    let mut planted = 0;
    for Planted {
        spec,
        spans,
        uniforms,
    } in planted_kernels()
    {
        let name = spec.name;
        let kernel = embedded(spec).into_inner();
        let right = interpreted(kernel.clone(), &spans, &uniforms).expect("the kernel as it is");
        for nth in 0.. {
            let mut wrong = kernel.clone();
            let Body::Map { region, .. } = &mut wrong.body else {
                panic!("`{name}` is a map")
            };
            if !exchange(&kernel, region, &mut { nth }) {
                break;
            }
            // An exchange that the verifier refuses (a proof rested on it) never runs.
            let Some(result) = interpreted(wrong, &spans, &uniforms) else {
                continue;
            };
            let found = right
                .iter()
                .zip(&result)
                .any(|(r, w)| difference(r, w).is_some());
            assert!(
                found,
                "`{name}`: exchanging operation {nth} changes nothing, so no test could see it"
            );
            planted += 1;
        }
    }
    assert!(planted >= 12, "only {planted} faults were planted");
}
