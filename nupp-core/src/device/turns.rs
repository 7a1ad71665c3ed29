//! Loops that a driver leaves early, and how a kernel notices it.
//!
//! A driver may bound how often loops turn: Mesa's llvmpipe counts the turns of all loops of an invocation
//! down from 65,535, and once nothing is left each loop is left after its first turn. Nothing says so, and
//! the loop's own condition does not either, since whatever follows it may be compiled as if only that had
//! ended it. But a later loop shows it. So a watched module ends with a loop of [`LAST`] turns, how many
//! being unknown to the compiler: where it does not take them, a loop before it may have been left early.
//!
//! Whether a driver does this, and whether it then shows, is found out by a kernel of that shape
//! ([`kernel`], [`judge`]). Kernels that stay within [`FEW`] turns ([`most`]) need neither.

use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, SpanId, UniformId, Value};
use crate::ir::flow::LoopKind;
use crate::ir::kernel::{
    Access, Body, Elem, Kernel, Leaf, ParamRef, SpanDecl, Target, UniformDecl,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Place};
use crate::ir::scope;
use crate::verify::{Verified, VerifyError, source};

mod bound;

pub use bound::most;

/// Turns of all loops of a lane together that every device is trusted with.
pub const FEW: u64 = 32_768;

/// Turns of the loop at the end of a watched module: more than the one or two that a compiler takes out of
/// a loop.
pub const LAST: u32 = 8;

/// What that loop makes of 0, by [`step`].
pub const LAST_GIVES: u32 = (3_u32.pow(LAST) - 1) / 2;

/// A turn of the last loop: `3 * n + 1`.
pub fn step<L>(b: &mut Builder<L>, n: Value) -> Value {
    let (three, one) = (b.u32(3), b.u32(1));
    let tripled = b.scalar(ScalarOp::U32Mul, &[n, three]);
    b.scalar(ScalarOp::U32Add, &[tripled, one])
}

/// What a device does with long loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// It runs them to their ends.
    Whole,
    /// It leaves them early, and a last loop shows it.
    Shown,
    /// It leaves them early, and nothing shows it.
    Hidden,
}

/// Elements of the kernel's span.
pub const RESULTS: u32 = 2;

/// The uniforms with which the kernel is dispatched: turns of one loop, of each of two nested ones, and of
/// the last one.
pub const UNIFORMS: [u32; 3] = [70_000, 300, LAST];

/// What the results say.
pub fn judge(results: [u32; RESULTS as usize]) -> Loops {
    let [single, nested, _] = UNIFORMS;
    let turn = |n: u32, turn: u32| (n ^ turn).wrapping_mul(PRIME);
    let long = (1..=single).fold(0, turn);
    let long = (1..=nested).fold(long, |n, _| (1..=nested).fold(n, turn));
    if results == [long, LAST_GIVES] {
        Loops::Whole
    } else if results[1] != LAST_GIVES {
        Loops::Shown
    } else {
        Loops::Hidden
    }
}

/// Of the function FNV-1a, whose steps cannot be taken together.
const PRIME: u32 = 16_777_619;

/// The kernel that finds out, over [`RESULTS`] words:
///
/// ```text
/// map(exclusive results: uint32, single: uint32, nested: uint32, last: uint32)
///   for index = 1, #results do
///     long = 0, and (long ~ j) * PRIME in each turn j of `single`, then of `nested` times `nested`
///     shown = 0, and 3 * shown + 1 in each turn of `last`
///     results[index] = long or shown, by index
/// ```
///
/// # Errors
/// None: the kernel is the same always, and passes the verifier.
pub fn kernel() -> Result<Verified<Kernel>, VerifyError> {
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let [single, nested, last] =
        [0, 1, 2].map(|n| b.leaf(Leaf::Uniform(UniformId(n)), Scalar::U32));
    let zero = b.u32(0);
    let long = counted(&mut b, single, zero, mix);
    let long = counted(&mut b, nested, long, |b, _, n| counted(b, nested, n, mix));
    let shown = counted(&mut b, last, zero, |b, _, n| step(b, n));
    let one = b.u32(1);
    let first = b.scalar(ScalarOp::U32Eq, &[index, one]);
    let value = b.scalar(ScalarOp::U32Select, &[first, long, shown]);
    b.effect(Leaf::Store {
        place: Place::Element {
            span: SpanId(0),
            offset: 0,
            proof: Certificate::Primary,
        },
        field: 0,
        value,
    });
    source::verify(around(b, index))
}

/// A loop from 1 to `hi` that carries one word.
fn counted(
    b: &mut Builder<Leaf>,
    hi: Value,
    init: Value,
    turn: impl FnOnce(&mut Builder<Leaf>, Value, Value) -> Value,
) -> Value {
    let lo = b.u32(1);
    let params = b.loop_params(&[init]);
    let var = b.counted_var(lo, hi);
    b.open();
    let next = turn(b, var, params[0]);
    let body = b.close(vec![next]);
    let kind = LoopKind::Counted { var, lo, hi };
    b.loop_(kind, params, vec![init], body, false)[0]
}

fn mix(b: &mut Builder<Leaf>, turn: Value, n: Value) -> Value {
    let mixed = b.scalar(ScalarOp::U32Xor, &[n, turn]);
    let prime = b.u32(PRIME);
    b.scalar(ScalarOp::U32Mul, &[mixed, prime])
}

/// The kernel around the body of its lanes.
fn around(b: Builder<Leaf>, index: Value) -> Kernel {
    let (values, region) = b.finish(Vec::new());
    let uniforms = (0..3).map(|n| ParamRef::Uniform(UniformId(n)));
    let mut kernel = Kernel {
        name: "loop_probe".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: std::iter::once(ParamRef::Span(SpanId(0)))
            .chain(uniforms)
            .collect(),
        spans: vec![SpanDecl {
            name: "results".into(),
            elem: Elem::Scalar(Scalar::U32),
            access: Access::Write,
        }],
        uniforms: ["single", "nested", "last"]
            .map(|name| UniformDecl {
                name: name.into(),
                ty: Scalar::U32,
            })
            .into(),
        guards: Vec::new(),
        values,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

#[cfg(all(test, feature = "interpreters"))]
mod tests;
