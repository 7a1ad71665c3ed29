//! Workgroup kernels: sums of groups, scans, and a controller with loops and choices.

use super::{at, at_most, below, store, unsigned, whole};
use crate::ir::build::Builder;
use crate::ir::entity::{PhaseId, Scalar, ScratchId, SpanId, Value};
use crate::ir::flow::{Const, LoopKind};
use crate::ir::kernel::{
    Access, Body, Combine, Elem, GroupRule, Groups, GuardCond, Kernel, Leaf, LengthCond, Node,
    NodeSeq, Phase, Repeat, ScratchDecl, SourceRegion, Tree, TreeKind,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::ir::samples::{equal_lengths, float_span, uint_span};

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
