//! A kernel: its parameters, its guards and its body, one of two shapes.

use super::entity::{PhaseId, Scalar, ScratchId, SpanId, StructId, UniformId, Value};
use super::flow::{Const, Inst, LoopKind, Region, ValueInfo};
use super::op::ScalarOp;
use super::place::{Certificate, Place};

/// A region of Source IR.
pub type SourceRegion = Region<Leaf>;
/// An instruction of Source IR.
pub type SourceInst = Inst<Leaf>;

/// A kernel in Source IR.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The authored name.
    pub name: String,
    /// Where it may run.
    pub target: Target,
    /// Struct types that its spans and scratch name.
    pub structs: Vec<StructDecl>,
    /// Spans in declaration order; the first written one is the primary output.
    pub spans: Vec<SpanDecl>,
    /// Scalar parameters in declaration order.
    pub uniforms: Vec<UniformDecl>,
    /// All parameters in declaration order.
    pub params: Vec<ParamRef>,
    /// Guards in source order.
    pub guards: Vec<Guard>,
    /// What is known of each value, indexed by [`Value`].
    pub values: Vec<ValueInfo>,
    /// What runs.
    pub body: Body,
}

/// Where a kernel may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// On a GPU, and on the CPU with the same bits.
    Gpu,
    /// On the CPU only.
    Cpu,
}

/// One parameter, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamRef {
    /// A span.
    Span(SpanId),
    /// A scalar.
    Uniform(UniformId),
}

/// A record of scalars.
#[derive(Clone, Debug, PartialEq)]
pub struct StructDecl {
    /// The authored name.
    pub name: String,
    /// Field names and types, none of them `Bool`.
    pub fields: Vec<(String, Scalar)>,
}

/// The type of a span's or scratch array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// A scalar other than `Bool`.
    Scalar(Scalar),
    /// A struct.
    Struct(StructId),
}

/// How a span may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `borrows`: read.
    Read,
    /// `exclusive`: written; read only at the element the lane owns.
    Write,
}

/// A span parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanDecl {
    /// The authored name.
    pub name: String,
    /// Its elements.
    pub elem: Elem,
    /// How it is used.
    pub access: Access,
}

/// A scalar parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformDecl {
    /// The authored name.
    pub name: String,
    /// Its type, not `Bool`.
    pub ty: Scalar,
}

/// A condition checked before anything runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// The condition.
    pub cond: GuardCond,
    /// The authored message, if there is one.
    pub message: Option<String>,
    /// The condition as written, for messages.
    pub text: String,
}

/// What a guard states.
#[derive(Clone, Debug, PartialEq)]
pub enum GuardCond {
    /// A relation of span lengths, in exact integers.
    Lengths(LengthCond),
    /// CPU kernels only: any boolean over uniforms and lengths; the region yields it.
    Scalar(SourceRegion),
}

/// A relation of span lengths.
#[derive(Clone, Debug, PartialEq)]
pub enum LengthCond {
    /// `lhs op rhs`, in exact integers.
    Cmp {
        /// The comparison.
        op: CmpOp,
        /// Left side.
        lhs: LengthSum,
        /// Right side.
        rhs: LengthSum,
    },
    /// Both.
    And(Box<LengthCond>, Box<LengthCond>),
    /// Either.
    Or(Box<LengthCond>, Box<LengthCond>),
    /// Not.
    Not(Box<LengthCond>),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `~=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// `constant + Σ factor * #span`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LengthSum {
    /// Each span at most once.
    pub terms: Vec<(i64, SpanId)>,
    /// The constant.
    pub constant: i64,
}

/// The two shapes of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// One lane an element of the primary output.
    Map {
        /// The span whose length is the dispatch length.
        primary: SpanId,
        /// The one-based uint32 index, 1 ..= #primary.
        index: Value,
        /// What a lane does; yields nothing.
        region: SourceRegion,
    },
    /// Groups of lanes that run phases.
    Groups(Groups),
}

/// A workgroup kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// How many groups run.
    pub rule: GroupRule,
    /// Lanes a group, 1 ..= 256.
    pub size: u32,
    /// Scratch arrays.
    pub scratch: Vec<ScratchDecl>,
    /// The zero-based group number, uint32.
    pub group: Value,
    /// The controller. Values of scope `Dispatch` at its start are the locals before `workgroups`.
    pub nodes: Vec<Node>,
}

/// How the number of groups follows from a span's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRule {
    /// The span.
    pub span: SpanId,
    /// The divisor, at least 1.
    pub divisor: u32,
    /// Rounds up (`divCeil`) instead of down.
    pub ceil: bool,
}

/// A scratch array.
#[derive(Clone, Debug, PartialEq)]
pub struct ScratchDecl {
    /// The authored name.
    pub name: String,
    /// Its elements.
    pub elem: Elem,
    /// What each slot starts as, a word a field.
    pub initial: Vec<Const>,
    /// Slots.
    pub count: u32,
}

/// A node of the controller.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A uniform instruction: a scalar operation, a uniform, a length, or a load from a read span.
    Inst(SourceInst),
    /// A phase: each lane runs the region, then all lanes meet.
    Phase(Phase),
    /// A fixed tree over a scratch array.
    Tree(Tree),
    /// A loop of nodes; the loop's parts as in [`crate::ir::flow::Loop`].
    Repeat(Box<Repeat>),
    /// A choice between nodes.
    Select {
        /// A boolean of scope `Dispatch` or `Group`.
        cond: Value,
        /// When true.
        then: NodeSeq,
        /// When false.
        els: NodeSeq,
        /// As many values as each side yields.
        results: Vec<Value>,
    },
}

/// Nodes in order and what they hand on.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeSeq {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Values handed on.
    pub yields: Vec<Value>,
}

/// A loop of the controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// How it counts or what it tests; a `While` condition holds no phase.
    pub kind: LoopKind<Leaf>,
    /// Parameters.
    pub params: Vec<Value>,
    /// What they start as.
    pub init: Vec<Value>,
    /// One turn; yields as a loop body does.
    pub body: NodeSeq,
    /// Whether the body yields a boolean first.
    pub breaks: bool,
    /// The parameters' last values.
    pub results: Vec<Value>,
}

/// What each lane does between two meetings of the group.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its number, in source order.
    pub id: PhaseId,
    /// The zero-based lane number, uint32.
    pub local: Value,
    /// The lane's work; yields nothing.
    pub region: SourceRegion,
}

/// A fixed tree over the whole of one scratch array (or two, for a scan).
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Its number among the phases, in source order.
    pub id: PhaseId,
    /// What it computes.
    pub kind: TreeKind,
    /// The array; its count is a power of two.
    pub array: ScratchId,
    /// `combine(a, b)`: two parameters, one result.
    pub combine: Combine,
}

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// Strides count/2 … 1: `s[i] = combine(s[i], s[i + stride])` for i below the stride.
    Reduce,
    /// Distances 1, 2, 4 …: `new[i] = combine(old[i - d], old[i])`, else a copy; `temporary` is
    /// the other array of an authored pair.
    InclusiveScan {
        /// The second array, where the author named one.
        temporary: Option<ScratchId>,
    },
    /// The inclusive scan moved up by one slot; slot 0 holds the identity of the combination.
    ExclusiveScan,
}

/// The combination of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Combine {
    /// One operation.
    Op(ScalarOp),
    /// A function of the author's: pure, no leaf.
    Region {
        /// Its two parameters.
        params: [Value; 2],
        /// Yields one value.
        region: SourceRegion,
    },
}

/// What touches memory or the dispatch in Source IR.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A scalar parameter.
    Uniform(UniformId),
    /// A span's length, uint32.
    Length(SpanId),
    /// Reads one scalar: `field` counts a struct's fields, and is 0 for a scalar element.
    Load {
        /// Where.
        place: Place,
        /// Which field.
        field: u32,
    },
    /// Writes one scalar. A float that is NaN is stored as 0x7fc00000.
    Store {
        /// Where.
        place: Place,
        /// Which field.
        field: u32,
        /// What.
        value: Value,
    },
    /// A write at a computed element whose distinctness the author asserts; one value a field.
    Scatter {
        /// The span.
        span: SpanId,
        /// Zero-based element.
        index: Value,
        /// Why it is in bounds.
        proof: Certificate,
        /// One a field.
        values: Vec<Value>,
    },
}

impl Body {
    /// How deeply its regions nest, by [`Region::nesting`]; a choice or a loop of the controller
    /// counts as one of a lane.
    pub fn nesting(&self) -> usize {
        match self {
            Body::Map { region, .. } => region.nesting(),
            Body::Groups(groups) => deepest(&groups.nodes),
        }
    }
}

fn deepest(nodes: &[Node]) -> usize {
    let levels = |node: &Node| match node {
        Node::Inst(inst) => inst.nesting(),
        Node::Phase(phase) => phase.region.nesting(),
        Node::Tree(tree) => match &tree.combine {
            Combine::Op(_) => 0,
            Combine::Region { region, .. } => region.nesting(),
        },
        Node::Repeat(repeat) => match &repeat.kind {
            LoopKind::Counted { .. } => 2 + deepest(&repeat.body.nodes),
            LoopKind::While { cond, .. } => 1 + cond.nesting().max(deepest(&repeat.body.nodes)),
        },
        Node::Select { then, els, .. } => 1 + deepest(&then.nodes).max(deepest(&els.nodes)),
    };
    nodes.iter().map(levels).max().unwrap_or(0)
}

impl Kernel {
    /// The scalars of an element, in field order.
    pub fn elem_fields(&self, elem: Elem) -> Vec<Scalar> {
        match elem {
            Elem::Scalar(ty) => vec![ty],
            Elem::Struct(id) => self.structs[id.index()]
                .fields
                .iter()
                .map(|(_, ty)| *ty)
                .collect(),
        }
    }

    /// 32-bit words of an element.
    pub fn elem_words(&self, elem: Elem) -> u32 {
        match elem {
            Elem::Scalar(_) => 1,
            Elem::Struct(id) => self.structs[id.index()].fields.len() as u32,
        }
    }
}
