//! Structured control flow, shared by Source IR and Device IR.
//!
//! `L` is the leaf: what touches memory or the outside. A region's values are visible in the
//! regions nested in it, and a loop condition's values in the loop's body as well.

use super::entity::{Scalar, Scope, Value};
use super::op::ScalarOp;

/// What is known of a value besides its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Scalar,
    /// Its least scope.
    pub scope: Scope,
}

/// A constant, by bits. A boolean is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Const {
    /// Its type.
    pub ty: Scalar,
    /// Its bits.
    pub bits: u32,
}

/// Instructions in order, and what the region hands to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Region<L> {
    /// The instructions.
    pub insts: Vec<Inst<L>>,
    /// The values handed on: results of an `if`, next parameters of a loop.
    pub yields: Vec<Value>,
}

impl<L> Default for Region<L> {
    fn default() -> Self {
        Region {
            insts: Vec::new(),
            yields: Vec::new(),
        }
    }
}

impl<L> Region<L> {
    /// How deeply its regions nest, as printed: an `if` and a `while` are a level, a counted loop
    /// two. See `limits::MAX_NESTING`.
    pub fn nesting(&self) -> usize {
        self.insts.iter().map(Inst::nesting).max().unwrap_or(0)
    }
}

/// One operation and the values it defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst<L> {
    /// Values defined here; none, one, or as many as an `if` or loop yields.
    pub results: Vec<Value>,
    /// What is done.
    pub op: Op<L>,
}

impl<L> Inst<L> {
    /// How deeply the regions in it nest, by [`Region::nesting`].
    pub fn nesting(&self) -> usize {
        match &self.op {
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => 0,
            Op::If { then, els, .. } => 1 + then.nesting().max(els.nesting()),
            Op::Loop(l) => match &l.kind {
                LoopKind::Counted { .. } => 2 + l.body.nesting(),
                LoopKind::While { cond, .. } => 1 + cond.nesting().max(l.body.nesting()),
            },
        }
    }
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<L> {
    /// A constant.
    Const(Const),
    /// A pure operation on scalars.
    Scalar(ScalarOp, Vec<Value>),
    /// Whatever the level of the representation adds.
    Leaf(L),
    /// Both regions yield as many values as the instruction has results.
    If {
        /// A boolean.
        cond: Value,
        /// Evaluated when `cond` is true.
        then: Region<L>,
        /// Evaluated when `cond` is false.
        els: Region<L>,
    },
    /// A loop; its results are the last values of its parameters.
    Loop(Box<Loop<L>>),
}

/// A loop with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop<L> {
    /// How it counts, or what it tests.
    pub kind: LoopKind<L>,
    /// The loop's parameters: defined at the top of each turn, and handed on as the results.
    pub params: Vec<Value>,
    /// What the parameters start as.
    pub init: Vec<Value>,
    /// One turn. It yields the next parameters; where `breaks`, a boolean comes first, and when it
    /// is false no further turn is taken (the parameters yielded with it are the results).
    pub body: Region<L>,
    /// Whether `body` yields that boolean.
    pub breaks: bool,
}

/// What decides that a loop goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopKind<L> {
    /// `var` takes each of `lo ..= hi` in ascending order, by mathematical value, and none if
    /// `lo > hi`; right also when `hi` is the greatest value of the type. All of one type, int32
    /// or uint32; `lo` and `hi` are evaluated before the loop.
    Counted {
        /// Defined at the top of each turn.
        var: Value,
        /// The first value.
        lo: Value,
        /// The last value.
        hi: Value,
    },
    /// `cond` is evaluated at the top of each turn and yields one boolean; when it is false the
    /// loop ends with the parameters as they are.
    While {
        /// The condition; its values are visible in the body.
        cond: Region<L>,
        /// What is known of the loop's end.
        class: Termination,
    },
}

/// What is known of the end of a `While`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// A parameter strictly approaches a bound.
    Variant,
    /// Nothing was proved; drivers keep their loop bounding.
    Unproved,
}
