//! A kernel for each form of access, loop and tree that the two first samples lack, by hand.
//!
//! All pass the verifier as they are; the tests of the interpreters and of the verifier run and
//! break them.

use super::{element, equal_lengths, float_span, scope, uint_span};
use crate::ir::build::Builder;
use crate::ir::entity::{PhaseId, Scalar, ScratchId, SpanId, StructId, UniformId, Value};
use crate::ir::flow::{Const, LoopKind, Op};
use crate::ir::kernel::{
    Access, Body, CmpOp, Combine, Elem, GroupRule, Groups, Guard, GuardCond, Kernel, Leaf,
    LengthCond, LengthSum, Node, NodeSeq, ParamRef, Phase, Repeat, ScratchDecl, SourceRegion,
    SpanDecl, StructDecl, Target, Tree, TreeKind, UniformDecl,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Family, Operand, Place};

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

/// A scratch array that starts as 0.
fn array(name: &str, ty: Scalar, count: u32) -> ScratchDecl {
    ScratchDecl {
        name: name.into(),
        elem: Elem::Scalar(ty),
        initial: vec![Const { ty, bits: 0 }],
        count,
    }
}

/// The lane's own slot.
fn mine(array: ScratchId) -> Place {
    Place::Own {
        array,
        slot: Family::Strided {
            k: Operand::Const(0),
        },
    }
}

/// Any slot by constant or interval.
fn slot(array: ScratchId, index: Value, proof: Certificate) -> Leaf {
    Leaf::Load {
        place: Place::Slot {
            array,
            index,
            proof,
        },
        field: 0,
    }
}

/// Builds a phase; the closure gets the lane number.
fn phase(b: &mut Builder<Leaf>, id: u32, body: impl FnOnce(&mut Builder<Leaf>, Value)) -> Node {
    let local = b.external(Scalar::U32);
    b.open();
    body(b, local);
    Node::Phase(Phase {
        id: PhaseId(id),
        local,
        region: b.close(Vec::new()),
    })
}

/// What was built since the last phase, as nodes.
fn controller(b: &mut Builder<Leaf>) -> impl Iterator<Item = Node> {
    b.take_insts().into_iter().map(Node::Inst)
}

/// One sum a group, the last group partial and filled with zeros:
///
/// ```text
/// assert(#input <= 4 * #output)
/// gpu.workgroups(u32.divCeil(u32.wrap(#input), 4), 4, function(group, phases)
///   local s = phases:scratch(0.0, 4)
///   phases:run(function(lane)
///     local c = group * 4 + lane
///     if c < #input then s[lane] = input[c + 1] end
///   end)
///   phases:reduceSum(s)
///   phases:run(function(lane) if lane == 0 then output[group + 1] = s[0] end end)
/// ```
pub fn group_sums() -> Kernel {
    let (output, input, s) = (SpanId(0), SpanId(1), ScratchId(0));
    let spans = vec![
        float_span("output", Access::Write),
        float_span("input", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let group = b.external(Scalar::U32);
    let four = b.u32(4);
    let base = b.scalar(ScalarOp::U32Mul, &[group, four]);
    let mut nodes: Vec<Node> = controller(&mut b).collect();
    nodes.push(phase(&mut b, 0, |b, lane| {
        let c = b.scalar(ScalarOp::U32Add, &[base, lane]);
        let inside = below(b, c, input);
        b.open();
        let value = b.leaf(at(input, c, &[inside]), Scalar::F32);
        b.effect(store(mine(s), value));
        let then = b.close(Vec::new());
        b.if_(inside, then, SourceRegion::default());
    }));
    nodes.push(Node::Tree(Tree {
        id: PhaseId(1),
        kind: TreeKind::Reduce,
        array: s,
        combine: Combine::Op(ScalarOp::F32Add),
    }));
    nodes.push(phase(&mut b, 2, |b, lane| {
        let zero = b.u32(0);
        let first = b.scalar(ScalarOp::U32Eq, &[lane, zero]);
        b.open();
        let sum = b.leaf(slot(s, zero, Certificate::Const), Scalar::F32);
        let place = Place::GroupSlot {
            span: output,
            lane: 0,
            proof: Certificate::Primary,
        };
        b.effect(store(place, sum));
        let then = b.close(Vec::new());
        b.if_(first, then, SourceRegion::default());
    }));
    let mut guard = at_most(1, input, output);
    if let GuardCond::Lengths(LengthCond::Cmp { rhs, .. }) = &mut guard.cond {
        rhs.terms[0].0 = 4;
    }
    let groups = Groups {
        rule: GroupRule {
            span: input,
            divisor: 4,
            ceil: true,
        },
        size: 4,
        scratch: vec![array("s", Scalar::F32, 4)],
        group,
        nodes,
    };
    whole("sample_group_sums", spans, &[], vec![guard], b, |_| {
        Body::Groups(groups)
    })
}

/// Scans 1, 2, 3 … `count` of a group of `count` lanes, and writes the scanned array and the
/// author's second array, where there is one:
///
/// ```text
/// assert(#other == #output)
/// gpu.workgroups(u32.div(u32.wrap(#output), count), count, function(group, phases)
///   phases:run(function(lane) s[lane] = lane + 1 end)
///   phases:inclusiveScan(s, t)                              -- or the tree that is given
///   phases:run(function(lane) output[group * count + lane + 1] = s[lane] ... end)
/// ```
pub fn scan(count: u32, kind: TreeKind) -> Kernel {
    let (output, other, s, t) = (SpanId(0), SpanId(1), ScratchId(0), ScratchId(1));
    let spans = vec![
        uint_span("output", Access::Write),
        uint_span("other", Access::Write),
    ];
    let mut b = Builder::<Leaf>::new();
    let group = b.external(Scalar::U32);
    let fill = phase(&mut b, 0, |b, lane| {
        let one = b.u32(1);
        let n = b.scalar(ScalarOp::U32Add, &[lane, one]);
        b.effect(store(mine(s), n));
    });
    let tree = Node::Tree(Tree {
        id: PhaseId(1),
        kind,
        array: s,
        combine: Combine::Op(ScalarOp::U32Add),
    });
    let write = phase(&mut b, 2, |b, _| {
        for (array, span) in [(s, output), (t, other)] {
            let load = Leaf::Load {
                place: mine(array),
                field: 0,
            };
            let value = b.leaf(load, Scalar::U32);
            let place = Place::GroupBlock {
                span,
                stride: count,
                slot: Family::Strided {
                    k: Operand::Const(0),
                },
                proof: Certificate::Primary,
            };
            b.effect(store(place, value));
        }
    });
    let guards = vec![equal_lengths(&spans, other, output)];
    let groups = Groups {
        rule: GroupRule {
            span: output,
            divisor: count,
            ceil: false,
        },
        size: count,
        scratch: vec![
            array("s", Scalar::U32, count),
            array("t", Scalar::U32, count),
        ],
        group,
        nodes: vec![fill, tree, write],
    };
    whole("sample_scan", spans, &[], guards, b, |_| {
        Body::Groups(groups)
    })
}

/// A controller with a loop, a choice and a load of its own, over blocked slots and a combination
/// of the author's:
///
/// ```text
/// assert(#input == #output)
/// gpu.workgroups(u32.div(u32.wrap(#output), 16), 8, function(group, phases)
///   local s = phases:scratch(0, 16)
///   local limit = 0
///   if group < #input then limit = input[group + 1] & 3 end
///   for turn = 0, limit do                                  -- uint32
///     if turn == 1 then phases:run(function(lane)
///       for j = 0, 1 do s[lane * 2 + j] = s[lane * 2 + j] + lane end
///     end) else phases:reduce(s, function(a, b) return a * 3 + b end) end
///   end
///   phases:run(function(lane) output[group * 16 + lane * 2 + 1] = s[(lane + 1) & 15] end)
/// ```
pub fn controlled() -> Kernel {
    let (output, input, s) = (SpanId(0), SpanId(1), ScratchId(0));
    let spans = vec![
        uint_span("output", Access::Write),
        uint_span("input", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let group = b.external(Scalar::U32);
    let zero = b.u32(0);
    let inside = below(&mut b, group, input);
    b.open();
    let loaded = b.leaf(at(input, group, &[inside]), Scalar::U32);
    let three = b.u32(3);
    let masked = b.scalar(ScalarOp::U32And, &[loaded, three]);
    let then = b.close(vec![masked]);
    b.open();
    let els = b.close(vec![zero]);
    let limit = b.if_(inside, then, els)[0];
    let mut nodes: Vec<Node> = controller(&mut b).collect();
    let var = b.counted_var(zero, limit);
    b.open();
    let one = b.u32(1);
    let second = b.scalar(ScalarOp::U32Eq, &[var, one]);
    let mut body = NodeSeq::default();
    body.nodes.extend(controller(&mut b));
    let then = vec![phase(&mut b, 0, |b, lane| add_to_blocks(b, s, lane))];
    let els = vec![Node::Tree(Tree {
        id: PhaseId(1),
        kind: TreeKind::Reduce,
        array: s,
        combine: three_times(&mut b),
    })];
    b.close(Vec::new());
    let seq = |nodes| NodeSeq {
        nodes,
        yields: Vec::new(),
    };
    body.nodes.push(Node::Select {
        cond: second,
        then: seq(then),
        els: seq(els),
        results: Vec::new(),
    });
    nodes.push(Node::Repeat(Box::new(Repeat {
        kind: LoopKind::Counted {
            var,
            lo: zero,
            hi: limit,
        },
        params: Vec::new(),
        init: Vec::new(),
        body,
        breaks: false,
        results: Vec::new(),
    })));
    nodes.push(phase(&mut b, 2, |b, lane| {
        write_neighbour(b, lane, [s], output)
    }));
    let guards = vec![equal_lengths(&spans, input, output)];
    let groups = Groups {
        rule: GroupRule {
            span: output,
            divisor: 16,
            ceil: false,
        },
        size: 8,
        scratch: vec![array("s", Scalar::U32, 16)],
        group,
        nodes,
    };
    whole("sample_controlled", spans, &[], guards, b, |_| {
        Body::Groups(groups)
    })
}

/// `function(a, b) return a * 3 + b end`.
fn three_times(b: &mut Builder<Leaf>) -> Combine {
    let params = [b.external(Scalar::U32), b.external(Scalar::U32)];
    b.open();
    let three = b.u32(3);
    let product = b.scalar(ScalarOp::U32Mul, &[params[0], three]);
    let sum = b.scalar(ScalarOp::U32Add, &[product, params[1]]);
    Combine::Region {
        params,
        region: b.close(vec![sum]),
    }
}

fn add_to_blocks(b: &mut Builder<Leaf>, s: ScratchId, lane: Value) {
    let (lo, hi) = (b.i32(0), b.i32(1));
    let var = b.counted_var(lo, hi);
    b.open();
    let j = unsigned(b, var);
    let place = Place::Own {
        array: s,
        slot: Family::Blocked {
            stride: 2,
            j: Operand::Value(j),
        },
    };
    let load = Leaf::Load {
        place: place.clone(),
        field: 0,
    };
    let old = b.leaf(load, Scalar::U32);
    let new = b.scalar(ScalarOp::U32Add, &[old, lane]);
    b.effect(store(place, new));
    let body = b.close(Vec::new());
    b.loop_(
        LoopKind::Counted { var, lo, hi },
        Vec::new(),
        Vec::new(),
        body,
        false,
    );
}

fn write_neighbour(b: &mut Builder<Leaf>, lane: Value, [s]: [ScratchId; 1], output: SpanId) {
    let (one, mask) = (b.u32(1), b.u32(15));
    let next = b.scalar(ScalarOp::U32Add, &[lane, one]);
    let around = b.scalar(ScalarOp::U32And, &[next, mask]);
    let value = b.leaf(slot(s, around, Certificate::Interval), Scalar::U32);
    let place = Place::GroupBlock {
        span: output,
        stride: 16,
        slot: Family::Blocked {
            stride: 2,
            j: Operand::Const(0),
        },
        proof: Certificate::Primary,
    };
    b.effect(store(place, value));
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

/// Applies a change to every instruction of a kernel, in order, inner ones after the one that
/// holds them: how tests break a kernel at one place.
pub fn each_instruction(kernel: &mut Kernel, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    match &mut kernel.body {
        Body::Map { region, .. } => in_region(region, change),
        Body::Groups(groups) => in_nodes(&mut groups.nodes, change),
    }
}

fn in_nodes(nodes: &mut [Node], change: &mut dyn FnMut(&mut Op<Leaf>)) {
    for node in nodes {
        match node {
            Node::Inst(inst) => in_op(&mut inst.op, change),
            Node::Phase(phase) => in_region(&mut phase.region, change),
            Node::Tree(tree) => {
                if let Combine::Region { region, .. } = &mut tree.combine {
                    in_region(region, change);
                }
            }
            Node::Repeat(repeat) => in_nodes(&mut repeat.body.nodes, change),
            Node::Select { then, els, .. } => {
                in_nodes(&mut then.nodes, change);
                in_nodes(&mut els.nodes, change);
            }
        }
    }
}

fn in_region(region: &mut SourceRegion, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    for inst in &mut region.insts {
        in_op(&mut inst.op, change);
    }
}

fn in_op(op: &mut Op<Leaf>, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    change(op);
    match op {
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
        Op::If { then, els, .. } => {
            in_region(then, change);
            in_region(els, change);
        }
        Op::Loop(inner) => {
            if let LoopKind::While { cond, .. } = &mut inner.kind {
                in_region(cond, change);
            }
            in_region(&mut inner.body, change);
        }
    }
}
