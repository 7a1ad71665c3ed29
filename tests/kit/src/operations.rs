//! Kernels of one operation: `output[i] = op(a[i], b[i], c[i])`, and for a float `used[i]` its square, so
//! that the result is an operand as well.

use crate::embed::embed;
use nupp_compile::driver;
use nupp_core::artifact::{BindingSpec, KernelSpec};
use nupp_core::ir::build::Builder;
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::kernel::{Access, Body, Elem, Kernel, Leaf, ParamRef, SpanDecl, Target};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Certificate, Place};
use nupp_core::ir::{flow, samples, scope};
use nupp_ir::scalar;

const NAMES: [&str; 5] = ["output", "used", "a", "b", "c"];
fn element(span: u32) -> Place {
    let chain = vec![span - u32::from(span > 0)];
    let proof = match span {
        0 => Certificate::Primary,
        _ => Certificate::Guard { chain },
    };
    Place::Element {
        span: SpanId(span),
        offset: 0,
        proof,
    }
}

fn load(b: &mut Builder<Leaf>, span: u32, ty: Scalar) -> Value {
    let word = if ty == Scalar::Bool { Scalar::U32 } else { ty };
    let value = b.leaf(
        Leaf::Load {
            place: element(span),
            field: 0,
        },
        word,
    );
    if ty != Scalar::Bool {
        return value;
    }
    let one = b.u32(1);
    let low = b.scalar(ScalarOp::U32And, &[value, one]);
    b.scalar(ScalarOp::U32Eq, &[low, one])
}

/// The kernel of one operation.
fn kernel(op: ScalarOp) -> Kernel {
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let args: Vec<Value> = (2..)
        .zip(op.args())
        .map(|(n, &ty)| load(&mut b, n, ty))
        .collect();
    let mut result = b.scalar(op, &args);
    if op.result() == Scalar::Bool {
        let (one, zero) = (b.u32(1), b.u32(0));
        result = b.scalar(ScalarOp::U32Select, &[result, one, zero]);
    }
    b.effect(Leaf::Store {
        place: element(0),
        field: 0,
        value: result,
    });
    if op.result() == Scalar::F32 {
        let value = b.scalar(ScalarOp::F32Mul, &[result, result]);
        b.effect(Leaf::Store {
            place: element(1),
            field: 0,
            value,
        });
    }
    let region = flow::Region {
        insts: b.take_insts(),
        yields: Vec::new(),
    };
    let words = |ty| if ty == Scalar::Bool { Scalar::U32 } else { ty };
    let mut types = vec![words(op.result()), Scalar::F32];
    types.extend((0..3).map(|n| op.args().get(n).map_or(Scalar::U32, |&ty| words(ty))));
    let access = |n| if n < 2 { Access::Write } else { Access::Read };
    let spans: Vec<SpanDecl> = types
        .into_iter()
        .enumerate()
        .map(|(n, ty)| SpanDecl {
            name: NAMES[n].into(),
            elem: Elem::Scalar(ty),
            access: access(n),
        })
        .collect();
    let guards = (1..5)
        .map(|n| samples::equal_lengths(&spans, SpanId(n), SpanId(0)))
        .collect();
    let mut kernel = Kernel {
        name: format!("op_{}", op.name().replace('.', "_")),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..5).map(|n| ParamRef::Span(SpanId(n))).collect(),
        spans,
        uniforms: Vec::new(),
        guards,
        values: b.finish(Vec::new()).0,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

/// What the macro would embed for the kernel of an operation, all spans of words to the host, whatever
/// they are to the kernel.
///
/// # Errors
/// Where the kernel is refused, which none is.
pub fn spec(op: ScalarOp) -> Result<&'static KernelSpec, String> {
    let compiled = driver::finish(kernel(op)).map_err(|fault| format!("{fault:?}"))?;
    let spec = embed(&compiled)?;
    let words = spec.bindings.iter().map(|&binding| BindingSpec {
        element: "uint32",
        ..binding
    });
    Ok(Box::leak(Box::new(KernelSpec {
        bindings: words.collect::<Vec<_>>().leak(),
        ..*spec
    })))
}

/// The operations that have such a kernel: all that a program can write.
pub fn all() -> Vec<ScalarOp> {
    // Bits as they are belong to devices.
    let all = ScalarOp::ALL.iter().copied();
    all.filter(|op| *op != ScalarOp::F32RawBits).collect()
}

/// What the kernel of an operation writes for these words: the result, and its square where it is a
/// float.
pub fn value(op: ScalarOp, words: [u32; 3]) -> (u32, Option<u32>) {
    let mut args = words;
    for (arg, ty) in args.iter_mut().zip(op.args()) {
        if *ty == Scalar::Bool {
            *arg &= 1;
        }
    }
    let value = scalar::apply(op, &args);
    if op.result() != Scalar::F32 {
        return (value, None);
    }
    let value = scalar::canonical(value);
    (
        value,
        Some(scalar::apply(ScalarOp::F32Mul, &[value, value])),
    )
}
