//! Two kernels written by hand in Source IR, one of each shape, for tests of everything after the
//! front end.
//!
//! They hold one of each thing that is hard to carry through: a cursor read under its comparison,
//! a divergent loop, a fused multiply-add, scratch, a fixed tree, a cross-lane read after it, and
//! bounds by the group rule. Both pass the verifier as they are. `more` holds a kernel for each
//! form of access and node that these two have not.

use super::build::Builder;
use super::entity::{PhaseId, Scalar, ScratchId, SpanId, UniformId, Value};
use super::flow::{Const, LoopKind, Termination};
use super::kernel::{
    Access, Body, CmpOp, Combine, Elem, GroupRule, Groups, Guard, GuardCond, Kernel, Leaf,
    LengthCond, LengthSum, Node, ParamRef, Phase, ScratchDecl, SpanDecl, Target, Tree, TreeKind,
    UniformDecl,
};
use super::op::ScalarOp;
use super::place::{Certificate, Family, Operand, Place};
use super::scope;
use crate::math::Function;

pub mod more;

/// A float span.
pub fn float_span(name: &str, access: Access) -> SpanDecl {
    SpanDecl {
        name: name.into(),
        elem: Elem::Scalar(Scalar::F32),
        access,
    }
}

/// A uint32 span.
pub fn uint_span(name: &str, access: Access) -> SpanDecl {
    SpanDecl {
        name: name.into(),
        elem: Elem::Scalar(Scalar::U32),
        access,
    }
}

/// The guard `#a == #b`.
pub fn equal_lengths(spans: &[SpanDecl], a: SpanId, b: SpanId) -> Guard {
    let sum = |span| LengthSum {
        terms: vec![(1, span)],
        constant: 0,
    };
    Guard {
        cond: GuardCond::Lengths(LengthCond::Cmp {
            op: CmpOp::Eq,
            lhs: sum(a),
            rhs: sum(b),
        }),
        message: None,
        text: format!("#{} == #{}", spans[a.index()].name, spans[b.index()].name),
    }
}

/// A map over four spans:
///
/// ```text
/// map(exclusive output: float, borrows input: float, borrows cursors: uint32,
///     borrows table: float, scale: float)
///   assert(#input == #output); assert(#cursors == #output)
///   for index = 1, #output do
///     local x = input[index]
///     local c = cursors[index]
///     local t = 0.0
///     if c < #table then t = table[c + 1] end
///     local y = f32.fma(x, scale, t)
///     local n = 0
///     while n < (c & 7) do y = f32.fma(y, scale, x); n = n + 1 end
///     output[index] = y
/// ```
pub fn map() -> Kernel {
    let (output, input, cursors, table) = (SpanId(0), SpanId(1), SpanId(2), SpanId(3));
    let spans = vec![
        float_span("output", Access::Write),
        float_span("input", Access::Read),
        uint_span("cursors", Access::Read),
        float_span("table", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let x = b.leaf(
        element(input, Certificate::Guard { chain: vec![0] }),
        Scalar::F32,
    );
    let c = b.leaf(
        element(cursors, Certificate::Guard { chain: vec![1] }),
        Scalar::U32,
    );
    let scale = b.leaf(Leaf::Uniform(UniformId(0)), Scalar::F32);
    let t = load_or_zero(&mut b, table, c);
    let y = b.scalar(ScalarOp::F32Fma, &[x, scale, t]);
    let y = fma_loop(&mut b, [x, scale, y], c);
    b.effect(Leaf::Store {
        place: Place::Element {
            span: output,
            offset: 0,
            proof: Certificate::Primary,
        },
        field: 0,
        value: y,
    });
    let (values, region) = b.finish(Vec::new());
    let guards = vec![
        equal_lengths(&spans, input, output),
        equal_lengths(&spans, cursors, output),
    ];
    let mut kernel = Kernel {
        name: "sample_map".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..4)
            .map(|i| ParamRef::Span(SpanId(i)))
            .chain([ParamRef::Uniform(UniformId(0))])
            .collect(),
        spans,
        uniforms: vec![UniformDecl {
            name: "scale".into(),
            ty: Scalar::F32,
        }],
        guards,
        values,
        body: Body::Map {
            primary: output,
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

/// `float_map` of a function.
pub fn function_map(function: Function) -> Kernel {
    float_map(ScalarOp::Math(function))
}

/// A map that applies an operation of one float, or of two, to as many spans:
///
/// ```text
/// map(exclusive output: float, borrows x: float, borrows y: float)
///   assert(#x == #output)
///   assert(#y == #output)
///   for index = 1, #output do output[index] = f(x[index], y[index]) end
/// ```
pub fn float_map(op: ScalarOp) -> Kernel {
    let output = SpanId(0);
    let inputs = (1..).map(SpanId).take(op.args().len());
    let inputs: Vec<SpanId> = inputs.collect();
    let read = ["x", "y"].map(|name| float_span(name, Access::Read));
    let mut spans = vec![float_span("output", Access::Write)];
    spans.extend(read.into_iter().take(inputs.len()));
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let args = (0..).zip(&inputs).map(|(guard, &input)| {
        let equal = Certificate::Guard { chain: vec![guard] };
        b.leaf(element(input, equal), Scalar::F32)
    });
    let args: Vec<Value> = args.collect();
    let value = b.scalar(op, &args);
    b.effect(Leaf::Store {
        place: Place::Element {
            span: output,
            offset: 0,
            proof: Certificate::Primary,
        },
        field: 0,
        value,
    });
    let (values, region) = b.finish(Vec::new());
    let guards = inputs.iter();
    let guards = guards.map(|&input| equal_lengths(&spans, input, output));
    let mut kernel = Kernel {
        name: format!("sample_{}", op.name().replace('.', "_")),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..=inputs.len() as u32)
            .map(|i| ParamRef::Span(SpanId(i)))
            .collect(),
        guards: guards.collect(),
        spans,
        uniforms: Vec::new(),
        values,
        body: Body::Map {
            primary: output,
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

fn element(span: SpanId, proof: Certificate) -> Leaf {
    Leaf::Load {
        place: Place::Element {
            span,
            offset: 0,
            proof,
        },
        field: 0,
    }
}

/// `table[c + 1]` where `c < #table`, else 0.
fn load_or_zero(b: &mut Builder<Leaf>, table: SpanId, c: Value) -> Value {
    let length = b.leaf(Leaf::Length(table), Scalar::U32);
    let inside = b.scalar(ScalarOp::U32Lt, &[c, length]);
    b.open();
    let found = b.leaf(
        Leaf::Load {
            place: Place::At {
                span: table,
                index: c,
                proof: Certificate::Cursor {
                    facts: vec![(inside, true)],
                },
            },
            field: 0,
        },
        Scalar::F32,
    );
    let then = b.close(vec![found]);
    b.open();
    let zero = b.f32(0.0);
    let els = b.close(vec![zero]);
    b.if_(inside, then, els)[0]
}

/// `c & 7` turns of `y = fma(y, scale, x)`.
fn fma_loop(b: &mut Builder<Leaf>, [x, scale, y]: [Value; 3], c: Value) -> Value {
    let seven = b.u32(7);
    let limit = b.scalar(ScalarOp::U32And, &[c, seven]);
    let zero = b.u32(0);
    let init = vec![y, zero];
    let params = b.loop_params(&init);
    b.open();
    let again = b.scalar(ScalarOp::U32Lt, &[params[1], limit]);
    let cond = b.close(vec![again]);
    b.open();
    let next = b.scalar(ScalarOp::F32Fma, &[params[0], scale, x]);
    let one = b.u32(1);
    let n = b.scalar(ScalarOp::U32Add, &[params[1], one]);
    let body = b.close(vec![next, n]);
    let kind = LoopKind::While {
        cond,
        class: Termination::Variant,
    };
    b.loop_(kind, params, init, body, false)[0]
}

/// A 256-lane kernel that gives every element of a group the group's sum:
///
/// ```text
/// groups(exclusive output: float, borrows input: float)
///   assert(#input == #output)
///   gpu.workgroups(u32.div(u32.wrap(#output), 256), 256, function(group, phases)
///     local s = phases:scratch(0.0, 256)
///     phases:run(function(lane) s[lane] = input[group * 256 + lane + 1] end)
///     phases:reduceSum(s)
///     phases:run(function(lane) output[group * 256 + lane + 1] = s[0] end)
///   end)
/// ```
pub fn groups() -> Kernel {
    let (output, input) = (SpanId(0), SpanId(1));
    let spans = vec![
        float_span("output", Access::Write),
        float_span("input", Access::Read),
    ];
    let array = ScratchId(0);
    let mut b = Builder::<Leaf>::new();
    let group = b.external(Scalar::U32);
    let size = b.u32(256);
    let base = b.scalar(ScalarOp::U32Mul, &[group, size]);
    let mut nodes: Vec<Node> = b.take_insts().into_iter().map(Node::Inst).collect();
    nodes.push(load_phase(&mut b, array, input, base));
    nodes.push(Node::Tree(Tree {
        id: PhaseId(1),
        kind: TreeKind::Reduce,
        array,
        combine: Combine::Op(ScalarOp::F32Add),
    }));
    nodes.push(broadcast_phase(&mut b, array, output));
    let guards = vec![equal_lengths(&spans, input, output)];
    let mut kernel = Kernel {
        name: "sample_groups".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..2).map(|i| ParamRef::Span(SpanId(i))).collect(),
        spans,
        uniforms: Vec::new(),
        guards,
        values: b.finish(Vec::new()).0,
        body: Body::Groups(Groups {
            rule: GroupRule {
                span: output,
                divisor: 256,
                ceil: false,
            },
            size: 256,
            scratch: vec![ScratchDecl {
                name: "s".into(),
                elem: Elem::Scalar(Scalar::F32),
                initial: vec![Const {
                    ty: Scalar::F32,
                    bits: 0,
                }],
                count: 256,
            }],
            group,
            nodes,
        }),
    };
    scope::assign(&mut kernel);
    kernel
}

/// Each lane copies its element into its slot.
fn load_phase(b: &mut Builder<Leaf>, array: ScratchId, input: SpanId, base: Value) -> Node {
    let local = b.external(Scalar::U32);
    b.open();
    let cursor = b.scalar(ScalarOp::U32Add, &[base, local]);
    let loaded = b.leaf(
        Leaf::Load {
            place: Place::At {
                span: input,
                index: cursor,
                proof: Certificate::All(vec![
                    Certificate::Primary,
                    Certificate::Guard { chain: vec![0] },
                ]),
            },
            field: 0,
        },
        Scalar::F32,
    );
    b.effect(Leaf::Store {
        place: Place::Own {
            array,
            slot: Family::Strided {
                k: Operand::Const(0),
            },
        },
        field: 0,
        value: loaded,
    });
    Node::Phase(Phase {
        id: PhaseId(0),
        local,
        region: b.close(Vec::new()),
    })
}

/// Each lane stores slot 0 to its element.
fn broadcast_phase(b: &mut Builder<Leaf>, array: ScratchId, output: SpanId) -> Node {
    let local = b.external(Scalar::U32);
    b.open();
    let zero = b.u32(0);
    let sum = b.leaf(
        Leaf::Load {
            place: Place::Slot {
                array,
                index: zero,
                proof: Certificate::Const,
            },
            field: 0,
        },
        Scalar::F32,
    );
    b.effect(Leaf::Store {
        place: Place::GroupBlock {
            span: output,
            stride: 256,
            slot: Family::Strided {
                k: Operand::Const(0),
            },
            proof: Certificate::Primary,
        },
        field: 0,
        value: sum,
    });
    Node::Phase(Phase {
        id: PhaseId(2),
        local,
        region: b.close(Vec::new()),
    })
}
