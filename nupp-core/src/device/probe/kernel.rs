//! The kernel of the probe: a map whose lane belongs to one test, by its number.

use super::{SAMPLES, Test, Tree};
use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, SpanId, UniformId, Value};
use crate::ir::kernel::{
    Access, Body, CmpOp, Elem, Guard, GuardCond, Kernel, Leaf, LengthCond, LengthSum, ParamRef,
    SpanDecl, Target, UniformDecl,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Place};
use crate::ir::scope;

const SPANS: [(&str, Access); 4] = [
    ("results", Access::Write),
    ("x", Access::Read),
    ("y", Access::Read),
    ("z", Access::Read),
];

/// What the trees of a kernel under construction are made of.
struct Operands {
    words: [Value; 3],
    floats: [Value; 3],
    uniforms: [Value; 2],
}

/// The kernel of these tests.
pub(super) fn kernel(tests: &[Test]) -> Kernel {
    const { assert!(SAMPLES.is_power_of_two()) };
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let words = [1, 2, 3].map(|n: u32| {
        let place = Place::Element {
            span: SpanId(n),
            offset: 0,
            proof: Certificate::Guard { chain: vec![n - 1] },
        };
        b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32)
    });
    let operands = Operands {
        words,
        floats: words.map(|word| b.scalar(ScalarOp::F32FromBits, &[word])),
        uniforms: [0, 1].map(|n| b.leaf(Leaf::Uniform(UniformId(n)), Scalar::F32)),
    };
    let one = b.u32(1);
    let zero_based = b.scalar(ScalarOp::U32Sub, &[index, one]);
    let bits = b.u32(SAMPLES.trailing_zeros());
    let number = b.scalar(ScalarOp::U32Shr, &[zero_based, bits]);
    let mut result = b.u32(0);
    for (n, test) in (0..).zip(tests) {
        let mine = b.u32(n);
        let mine = b.scalar(ScalarOp::U32Eq, &[number, mine]);
        b.open();
        let value = build(&mut b, &test.tree, &operands, &mut Vec::new());
        let value = word(&mut b, value);
        let then = b.close(vec![value]);
        b.open();
        let els = b.close(vec![result]);
        result = b.if_(mine, then, els)[0];
    }
    b.effect(Leaf::Store {
        place: Place::Element {
            span: SpanId(0),
            offset: 0,
            proof: Certificate::Primary,
        },
        field: 0,
        value: result,
    });
    let (values, region) = b.finish(Vec::new());
    let mut kernel = Kernel {
        name: "arithmetic_probe".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..4)
            .map(|n| ParamRef::Span(SpanId(n)))
            .chain((0..2).map(|n| ParamRef::Uniform(UniformId(n))))
            .collect(),
        spans: SPANS
            .map(|(name, access)| SpanDecl {
                name: name.into(),
                elem: Elem::Scalar(Scalar::U32),
                access,
            })
            .into(),
        uniforms: ["u", "v"]
            .map(|name| UniformDecl {
                name: name.into(),
                ty: Scalar::F32,
            })
            .into(),
        guards: (1..4).map(as_long_as_the_results).collect(),
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

/// Builds a tree, equal parts of it once.
fn build<'t>(
    b: &mut Builder<Leaf>,
    tree: &'t Tree,
    operands: &Operands,
    built: &mut Vec<(&'t Tree, Value)>,
) -> Value {
    if let Some((_, value)) = built.iter().find(|(known, _)| *known == tree) {
        return *value;
    }
    let value = match tree {
        Tree::Float(n) => operands.floats[*n],
        Tree::Word(n) => operands.words[*n],
        Tree::Uniform(n) => operands.uniforms[*n],
        Tree::Literal(bits) => b.constant(Scalar::F32, *bits),
        Tree::Number(bits) => b.constant(Scalar::U32, *bits),
        Tree::Op(op, args) => {
            let args: Vec<Value> = args
                .iter()
                .map(|arg| build(b, arg, operands, built))
                .collect();
            let args: Vec<Value> = args
                .into_iter()
                .zip(op.args())
                .map(|(arg, &ty)| match (b.ty(arg), ty) {
                    (Scalar::U32, Scalar::I32) => b.scalar(ScalarOp::I32FromU32, &[arg]),
                    _ => arg,
                })
                .collect();
            b.scalar(*op, &args)
        }
    };
    built.push((tree, value));
    value
}

/// A value as the word that is stored.
fn word(b: &mut Builder<Leaf>, value: Value) -> Value {
    match b.ty(value) {
        Scalar::U32 => value,
        Scalar::I32 => b.scalar(ScalarOp::U32FromI32, &[value]),
        Scalar::F32 => b.scalar(ScalarOp::F32ToBits, &[value]),
        Scalar::Bool => {
            let (one, zero) = (b.u32(1), b.u32(0));
            b.scalar(ScalarOp::U32Select, &[value, one, zero])
        }
    }
}

fn as_long_as_the_results(n: u32) -> Guard {
    let sum = |span| LengthSum {
        terms: vec![(1, SpanId(span))],
        constant: 0,
    };
    Guard {
        cond: GuardCond::Lengths(LengthCond::Cmp {
            op: CmpOp::Eq,
            lhs: sum(n),
            rhs: sum(0),
        }),
        message: None,
        text: format!("#{} == #results", SPANS[n as usize].0),
    }
}
