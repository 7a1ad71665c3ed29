//! A kernel for each form of access, loop and tree that the two first samples lack, by hand: maps
//! here, workgroup kernels in `groups`.
//!
//! All pass the verifier as they are; the tests of the interpreters and of the verifier run and
//! break them.

mod groups;
mod visit;

pub use groups::{controlled, group_sums, scan};
pub use visit::each_instruction;

use super::{element, equal_lengths, float_span, scope, uint_span};
use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, ScratchId, SpanId, StructId, UniformId, Value};
use crate::ir::flow::LoopKind;
use crate::ir::kernel::{
    Access, Body, CmpOp, Elem, Guard, GuardCond, Kernel, Leaf, LengthCond, LengthSum, ParamRef,
    SourceRegion, SpanDecl, StructDecl, Target, TreeKind, UniformDecl,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Place};

/// A kernel of these parts, with its scopes.
fn whole(
    name: &str,
    spans: Vec<SpanDecl>,
    uniforms: &[(&str, Scalar)],
    guards: Vec<Guard>,
    b: Builder<Leaf>,
    body: impl FnOnce(SourceRegion) -> Body,
) -> Kernel {
    let (values, region) = b.finish(Vec::new());
    let span_params = (0..spans.len() as u32).map(|i| ParamRef::Span(SpanId(i)));
    let uniform_params = (0..uniforms.len() as u32).map(|i| ParamRef::Uniform(UniformId(i)));
    let uniform = |&(name, ty): &(&str, Scalar)| UniformDecl {
        name: name.into(),
        ty,
    };
    let mut kernel = Kernel {
        name: name.into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: span_params.chain(uniform_params).collect(),
        spans,
        uniforms: uniforms.iter().map(uniform).collect(),
        guards,
        values,
        body: body(region),
    };
    scope::assign(&mut kernel);
    kernel
}

/// The guard `factor * #small <= #large`.
fn at_most(factor: i64, small: SpanId, large: SpanId) -> Guard {
    let sum = |factor, span| LengthSum {
        terms: vec![(factor, span)],
        constant: 0,
    };
    Guard {
        cond: GuardCond::Lengths(LengthCond::Cmp {
            op: CmpOp::Le,
            lhs: sum(factor, small),
            rhs: sum(1, large),
        }),
        message: Some("the long span is too short".into()),
        text: format!("{factor} * #{small} <= #{large}"),
    }
}

fn at(span: SpanId, index: Value, facts: &[Value]) -> Leaf {
    Leaf::Load {
        place: Place::At {
            span,
            index,
            proof: Certificate::Cursor {
                facts: facts.iter().map(|&fact| (fact, true)).collect(),
            },
        },
        field: 0,
    }
}

fn store(place: Place, value: Value) -> Leaf {
    Leaf::Store {
        place,
        field: 0,
        value,
    }
}

fn own(span: SpanId) -> Place {
    Place::Element {
        span,
        offset: 0,
        proof: Certificate::Primary,
    }
}

/// `index - 1` of a map.
fn offset(b: &mut Builder<Leaf>, index: Value) -> Value {
    let one = b.u32(1);
    b.scalar(ScalarOp::U32Sub, &[index, one])
}

/// A uint32 of an int32.
fn unsigned(b: &mut Builder<Leaf>, value: Value) -> Value {
    b.scalar(ScalarOp::U32FromI32, &[value])
}

/// A matrix product by cursors, `c = a * b`, with `columns` and `inner` as uniforms:
///
/// ```text
/// for index = 1, #c do
///   local off = index - 1
///   local row, col = off div columns, off mod columns
///   local sum = 0.0
///   for i = 0, last do                                      -- last = inner - 1, int32
///     local k = u32.fromI32(i)
///     local x, y = row * inner + k, k * columns + col
///     if x < #a and y < #b then sum = f32.fma(a[x + 1], b[y + 1], sum) end
///   end
///   c[index] = sum
/// ```
pub fn product() -> Kernel {
    let (c, left, right) = (SpanId(0), SpanId(1), SpanId(2));
    let spans = vec![
        float_span("c", Access::Write),
        float_span("a", Access::Read),
        float_span("b", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let off = offset(&mut b, index);
    let columns = b.leaf(Leaf::Uniform(UniformId(0)), Scalar::U32);
    let inner = b.leaf(Leaf::Uniform(UniformId(1)), Scalar::U32);
    let row = b.scalar(ScalarOp::U32Div, &[off, columns]);
    let col = b.scalar(ScalarOp::U32Mod, &[off, columns]);
    let first = b.scalar(ScalarOp::U32Mul, &[row, inner]);
    let as_int = b.scalar(ScalarOp::I32FromU32, &[inner]);
    let (zero, one) = (b.i32(0), b.i32(1));
    let last = b.scalar(ScalarOp::I32Sub, &[as_int, one]);
    let init = vec![b.f32(0.0)];
    let params = b.loop_params(&init);
    let var = b.counted_var(zero, last);
    b.open();
    let k = unsigned(&mut b, var);
    let x = b.scalar(ScalarOp::U32Add, &[first, k]);
    let step = b.scalar(ScalarOp::U32Mul, &[k, columns]);
    let y = b.scalar(ScalarOp::U32Add, &[step, col]);
    let x_inside = below(&mut b, x, left);
    let y_inside = below(&mut b, y, right);
    let both = b.scalar(ScalarOp::BoolAnd, &[x_inside, y_inside]);
    b.open();
    let u = b.leaf(at(left, x, &[x_inside]), Scalar::F32);
    let v = b.leaf(at(right, y, &[both]), Scalar::F32);
    let sum = b.scalar(ScalarOp::F32Fma, &[u, v, params[0]]);
    let then = b.close(vec![sum]);
    b.open();
    let els = b.close(vec![params[0]]);
    let next = b.if_(both, then, els);
    let body = b.close(next);
    let kind = LoopKind::Counted {
        var,
        lo: zero,
        hi: last,
    };
    let sum = b.loop_(kind, params, init, body, false)[0];
    b.effect(store(own(c), sum));
    let uniforms = [("columns", Scalar::U32), ("inner", Scalar::U32)];
    whole(
        "sample_product",
        spans,
        &uniforms,
        Vec::new(),
        b,
        |region| Body::Map {
            primary: c,
            index,
            region,
        },
    )
}

/// `cursor < #span`.
fn below(b: &mut Builder<Leaf>, cursor: Value, span: SpanId) -> Value {
    let length = b.leaf(Leaf::Length(span), Scalar::U32);
    b.scalar(ScalarOp::U32Lt, &[cursor, length])
}

/// A map that writes four structs a lane and counts them, with neighbours:
///
/// ```text
/// assert(4 * #counts <= #pairs, "the long span is too short"); assert(#input == #counts)
/// for index = 1, #counts do
///   for j = 0, 3 do                                         -- ends early where `j == stop`
///     pairs[(index - 1) * 4 + j + 1].b = index
///     pairs[(index - 1) * 4 + j + 1].a = j
///   end
///   if index > 1 then counts[index] = input[index - 1] end
/// ```
pub fn blocks() -> Kernel {
    let (counts, pairs, input) = (SpanId(0), SpanId(1), SpanId(2));
    let spans = vec![
        uint_span("counts", Access::Write),
        SpanDecl {
            name: "pairs".into(),
            elem: Elem::Struct(StructId(0)),
            access: Access::Write,
        },
        uint_span("input", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let stop = b.leaf(Leaf::Uniform(UniformId(0)), Scalar::I32);
    let (lo, hi) = (b.i32(0), b.i32(3));
    let var = b.counted_var(lo, hi);
    b.open();
    let j = unsigned(&mut b, var);
    let jf = b.scalar(ScalarOp::F32FromI32, &[var]);
    for (field, value) in [(1, index), (0, jf)] {
        let place = Place::Block {
            span: pairs,
            stride: 4,
            slot: j,
            proof: Certificate::Guard { chain: vec![0] },
            slot_proof: Certificate::Interval,
        };
        b.effect(Leaf::Store {
            place,
            field,
            value,
        });
    }
    let stopped = b.scalar(ScalarOp::I32Eq, &[var, stop]);
    let go_on = b.scalar(ScalarOp::BoolNot, &[stopped]);
    let body = b.close(vec![go_on]);
    b.loop_(
        LoopKind::Counted { var, lo, hi },
        Vec::new(),
        Vec::new(),
        body,
        true,
    );
    previous(&mut b, index, [input, counts]);
    let guards = vec![
        at_most(4, counts, pairs),
        equal_lengths(&spans, input, counts),
    ];
    let uniforms = [("stop", Scalar::I32)];
    let mut kernel = whole("sample_blocks", spans, &uniforms, guards, b, |region| {
        Body::Map {
            primary: counts,
            index,
            region,
        }
    });
    kernel.structs.push(StructDecl {
        name: "Pair".into(),
        fields: vec![("a".into(), Scalar::F32), ("b".into(), Scalar::U32)],
    });
    kernel
}

/// `if index > 1 then to[index] = from[index - 1] end`.
fn previous(b: &mut Builder<Leaf>, index: Value, [from, to]: [SpanId; 2]) {
    let one = b.u32(1);
    let later = b.scalar(ScalarOp::U32Lt, &[one, index]);
    b.open();
    let before = b.leaf(
        Leaf::Load {
            place: Place::Element {
                span: from,
                offset: -1,
                proof: Certificate::All(vec![
                    Certificate::Guard { chain: vec![1] },
                    Certificate::Cursor {
                        facts: vec![(later, true)],
                    },
                ]),
            },
            field: 0,
        },
        Scalar::U32,
    );
    b.effect(store(own(to), before));
    let then = b.close(Vec::new());
    b.if_(later, then, SourceRegion::default());
}

/// A map that scatters its input to cursors and copies it as well:
///
/// ```text
/// assert(#input == #copy); assert(#cursors == #copy)
/// for index = 1, #copy do
///   copy[index] = input[index]
///   local c = cursors[index]
///   if c < #output then output:scatter(c, input[index]) end
/// ```
pub fn scatter() -> Kernel {
    let (copy, output, input, cursors) = (SpanId(0), SpanId(1), SpanId(2), SpanId(3));
    let spans = vec![
        float_span("copy", Access::Write),
        float_span("output", Access::Write),
        float_span("input", Access::Read),
        uint_span("cursors", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let proof = |guard| Certificate::Guard { chain: vec![guard] };
    let value = b.leaf(element(input, proof(0)), Scalar::F32);
    b.effect(store(own(copy), value));
    let c = b.leaf(element(cursors, proof(1)), Scalar::U32);
    let inside = below(&mut b, c, output);
    b.open();
    b.effect(Leaf::Scatter {
        span: output,
        index: c,
        proof: Certificate::Cursor {
            facts: vec![(inside, true)],
        },
        values: vec![value],
    });
    let then = b.close(Vec::new());
    b.if_(inside, then, SourceRegion::default());
    let guards = vec![
        equal_lengths(&spans, input, copy),
        equal_lengths(&spans, cursors, copy),
    ];
    whole("sample_scatter", spans, &[], guards, b, |region| {
        Body::Map {
            primary: copy,
            index,
            region,
        }
    })
}

/// Every sample with a name, the two first ones included.
pub fn all() -> Vec<Kernel> {
    let temporary = Some(ScratchId(1));
    vec![
        super::map(),
        super::groups(),
        product(),
        blocks(),
        scatter(),
        group_sums(),
        scan(8, TreeKind::InclusiveScan { temporary }),
        scan(16, TreeKind::InclusiveScan { temporary: None }),
        scan(4, TreeKind::ExclusiveScan),
        controlled(),
    ]
}
