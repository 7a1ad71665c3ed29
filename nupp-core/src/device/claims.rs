//! What is checked where it runs: what a checked module claims, and how two lanes that met, or a loop
//! that the driver left early, are found in it.
//!
//! A checked module has one buffer more, behind those of its spans. Its words are touched in atomic
//! steps alone and are all 0 before a dispatch: two for the dispatch, one for each element of each
//! scattered span, in declaration order, and one for each lane. The second of the dispatch is raised by a
//! lane whose loops were left early (`device::turns`). All others are of scatters: a lane stands in them as the complement
//! of its number, so that the greatest is the first and 0 is nobody. To scatter, a lane raises its
//! element's word to itself. Whoever finds 0 there stores; nobody else does, so that no two lanes write
//! one word even where they meet. Otherwise the later one of the two has met an earlier one: it raises
//! the dispatch's word to itself, and its own word to the complement of the element's number.
//!
//! In whatever order that happens, an element's word ends as the first lane there, and every other lane
//! that scattered to it was the later one once. So the dispatch's word ends as the first lane that meets
//! an earlier one, its own word as the first element at which it does, and that element's word as the
//! lane it meets there. [`reader`] gathers all this, for a host that then reads five words a dispatch.

use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, SpanId, UniformId, Value};
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{
    Access, Body, Elem, Kernel, Leaf, Node, ParamRef, SourceInst, SpanDecl, Target, UniformDecl,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Place};
use crate::ir::scope;
use crate::verify::{Verified, VerifyError, source};

/// The word of a dispatch's claims that is not 0 where lanes met.
pub const MET: u32 = 0;

/// The word that is not 0 where a loop was left early.
pub const LEFT: u32 = 1;

/// The first word of an element.
pub const SLOTS: u32 = 2;

/// Words that [`reader`] writes a dispatch.
pub const RECORD: u32 = 5;

/// What a module checks where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// That no two lanes scatter to one element.
    pub scatter: bool,
    /// That the driver runs its loops to their ends.
    pub loops: bool,
}

impl Checks {
    /// Whether anything is checked.
    pub fn any(self) -> bool {
        self.scatter || self.loops
    }
}

/// The words that a dispatch claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Elements of all scattered spans.
    pub slots: u64,
    /// Lanes of the dispatch; none where scatters are not checked.
    pub lanes: u64,
}

impl Claims {
    /// Words of the buffer.
    pub fn words(self) -> u64 {
        u64::from(SLOTS) + self.slots + self.lanes
    }
}

/// Two lanes that scattered to one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The element, counted through the scattered spans in declaration order, from 0.
    pub slot: u32,
    /// The lane that was there first, by its number in the dispatch.
    pub first: u32,
    /// The first lane of the dispatch that meets an earlier one, or itself.
    pub second: u32,
}

impl Meeting {
    /// What a record says: nothing where all were distinct.
    pub fn of(record: [u32; RECORD as usize]) -> Option<Self> {
        let [met, slot, first, second, _] = record;
        (met != 0).then_some(Meeting {
            slot,
            first,
            second,
        })
    }
}

/// Whether a record says that a loop was left early.
pub fn left_early(record: [u32; RECORD as usize]) -> bool {
    record[4] != 0
}

/// The spans that a kernel scatters into, in declaration order.
pub fn scattered(kernel: &Kernel) -> Vec<SpanId> {
    let mut found = vec![false; kernel.spans.len()];
    match &kernel.body {
        Body::Map { region, .. } => insts(&region.insts, &mut found),
        Body::Groups(groups) => nodes(&groups.nodes, &mut found),
    }
    let spans = (0..).map(SpanId).zip(found);
    spans
        .filter_map(|(span, found)| found.then_some(span))
        .collect()
}

fn nodes(list: &[Node], found: &mut [bool]) {
    for node in list {
        match node {
            // A lane's business; trees have no span.
            Node::Inst(_) | Node::Tree(_) => {}
            Node::Phase(phase) => insts(&phase.region.insts, found),
            Node::Repeat(repeat) => nodes(&repeat.body.nodes, found),
            Node::Select { then, els, .. } => {
                nodes(&then.nodes, found);
                nodes(&els.nodes, found);
            }
        }
    }
}

fn insts(list: &[SourceInst], found: &mut [bool]) {
    for inst in list {
        match &inst.op {
            Op::Leaf(Leaf::Scatter { span, .. }) => {
                if let Some(found) = found.get_mut(span.index()) {
                    *found = true;
                }
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
            Op::If { then, els, .. } => {
                insts(&then.insts, found);
                insts(&els.insts, found);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &inner.kind {
                    insts(&cond.insts, found);
                }
                insts(&inner.body.insts, found);
            }
        }
    }
}

const CLAIMS: SpanId = SpanId(1);

/// The kernel that gathers what a dispatch's claims say, over one record of [`RECORD`] words:
///
/// ```text
/// map(exclusive record: uint32, borrows claims: uint32, slots: uint32)
///   for index = 1, #record do
///     local met = claims[1], and 0 where there is none; as below
///     local slot = ~claims[2 + slots + ~met + 1]
///     local first = ~claims[2 + slot + 1]
///     record[index] = met, slot, first, ~met or claims[2], by index
/// ```
///
/// # Errors
/// None: the kernel is the same always, and passes the verifier.
pub fn reader() -> Result<Verified<Kernel>, VerifyError> {
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let slots = b.leaf(Leaf::Uniform(UniformId(0)), Scalar::U32);
    let length = b.leaf(Leaf::Length(CLAIMS), Scalar::U32);
    let begin = b.u32(SLOTS);
    let word = b.u32(MET);
    let met = claim(&mut b, word, length);
    let word = b.u32(LEFT);
    let left = claim(&mut b, word, length);
    let second = b.scalar(ScalarOp::U32Not, &[met]);
    let lanes = b.scalar(ScalarOp::U32Add, &[slots, begin]);
    let word = b.scalar(ScalarOp::U32Add, &[lanes, second]);
    let at = claim(&mut b, word, length);
    let slot = b.scalar(ScalarOp::U32Not, &[at]);
    let word = b.scalar(ScalarOp::U32Add, &[slot, begin]);
    let owner = claim(&mut b, word, length);
    let first = b.scalar(ScalarOp::U32Not, &[owner]);
    let mut value = second;
    for (n, other) in [(1, met), (2, slot), (3, first), (5, left)] {
        let n = b.u32(n);
        let this = b.scalar(ScalarOp::U32Eq, &[index, n]);
        value = b.scalar(ScalarOp::U32Select, &[this, other, value]);
    }
    b.effect(Leaf::Store {
        place: Place::Element {
            span: SpanId(0),
            offset: 0,
            proof: Certificate::Primary,
        },
        field: 0,
        value,
    });
    source::verify(reading(b, index))
}

/// The kernel around the body of its lanes.
fn reading(b: Builder<Leaf>, index: Value) -> Kernel {
    let (values, region) = b.finish(Vec::new());
    let span = |name: &str, access| SpanDecl {
        name: name.into(),
        elem: Elem::Scalar(Scalar::U32),
        access,
    };
    let mut kernel = Kernel {
        name: "dispatch_check".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: vec![
            ParamRef::Span(SpanId(0)),
            ParamRef::Span(CLAIMS),
            ParamRef::Uniform(UniformId(0)),
        ],
        spans: vec![span("record", Access::Write), span("claims", Access::Read)],
        uniforms: vec![UniformDecl {
            name: "slots".into(),
            ty: Scalar::U32,
        }],
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

/// A word of the claims; 0 past their end, where only a dispatch without a meeting looks.
fn claim(b: &mut Builder<Leaf>, word: Value, length: Value) -> Value {
    let inside = b.scalar(ScalarOp::U32Lt, &[word, length]);
    b.open();
    let place = Place::At {
        span: CLAIMS,
        index: word,
        proof: Certificate::Cursor {
            facts: vec![(inside, true)],
        },
    };
    let found = b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
    let then = b.close(vec![found]);
    b.open();
    let none = b.u32(0);
    let els = b.close(vec![none]);
    b.if_(inside, then, els)[0]
}
