//! What the prover may look at: how each value was made, what the values from outside are, and how
//! the dispatch follows from a span's length.

use std::collections::BTreeMap;

use nupp_core::ir::build::{Builder, Def};
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::kernel::Leaf;
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::value_map::ValueMap;

/// What a value from outside the arithmetic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// A span's length.
    Length(SpanId),
    /// A map's one-based index.
    Index,
    /// The group number.
    Group,
    /// The lane number of a phase.
    Lane,
}

/// How the dispatch is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Lanes `1 ..= #primary`.
    Map {
        /// The primary output.
        primary: SpanId,
    },
    /// Groups `0 .. floor(#span / divisor)`, or rounded up.
    Groups {
        /// The span.
        span: SpanId,
        /// The divisor, at least 1.
        divisor: u32,
        /// Rounds up.
        ceil: bool,
        /// Lanes a group.
        size: u32,
    },
}

/// The values of one kernel.
pub(crate) struct World {
    /// The builder: definitions and types.
    pub b: Builder<Leaf>,
    /// What is known of values that have no definition to look through.
    pub roots: ValueMap<Root>,
    /// How the dispatch is bounded.
    pub rule: Rule,
}

/// `constant + Σ factor * value`, modulo 2^32.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modular {
    /// Factors other than 0.
    pub terms: BTreeMap<Value, u32>,
    /// The constant.
    pub constant: u32,
}

impl Modular {
    fn add(mut self, other: &Modular, times: u32) -> Modular {
        self.constant = self
            .constant
            .wrapping_add(other.constant.wrapping_mul(times));
        for (value, factor) in &other.terms {
            let slot = self.terms.entry(*value).or_insert(0);
            *slot = slot.wrapping_add(factor.wrapping_mul(times));
        }
        self.terms.retain(|_, factor| *factor != 0);
        self
    }

    /// Takes a term out; its factor, or 0.
    pub(crate) fn take(&mut self, value: Value) -> u32 {
        self.terms.remove(&value).unwrap_or(0)
    }
}

/// Terms of a sum looked at; a longer one counts as one opaque value.
const MAX_SUM: u32 = 64;

impl World {
    /// Whether a value is an integer.
    pub(crate) fn is_integer(&self, v: Value) -> bool {
        matches!(self.b.ty(v), Scalar::I32 | Scalar::U32)
    }

    /// The integers a value's definition names.
    pub(crate) fn operands(&self, v: Value) -> Vec<Value> {
        let all: Vec<Value> = match self.b.def(v) {
            Def::Scalar(_, args) => args.clone(),
            Def::If { then, els, .. } => vec![*then, *els],
            Def::Counted { lo, hi } => vec![*lo, *hi],
            Def::External
            | Def::Const(_)
            | Def::Leaf
            | Def::LoopParam { .. }
            | Def::LoopResult { .. } => Vec::new(),
        };
        all.into_iter().filter(|v| self.is_integer(*v)).collect()
    }

    /// An integer as a sum, modulo 2^32; casts between the integers change nothing in it.
    pub(crate) fn modular(&self, v: Value) -> Modular {
        let mut budget = MAX_SUM;
        self.modular_within(v, &mut budget)
    }

    fn modular_within(&self, v: Value, budget: &mut u32) -> Modular {
        let opaque = || Modular {
            terms: BTreeMap::from([(v, 1)]),
            constant: 0,
        };
        if *budget == 0 {
            return opaque();
        }
        *budget -= 1;
        use ScalarOp as O;
        match self.b.def(v) {
            Def::Const(c) => Modular {
                constant: c.bits,
                ..Modular::default()
            },
            Def::Scalar(O::U32Add | O::I32Add, args) => {
                let right = self.modular_within(args[1], budget);
                self.modular_within(args[0], budget).add(&right, 1)
            }
            Def::Scalar(O::U32Sub | O::I32Sub, args) => {
                let right = self.modular_within(args[1], budget);
                self.modular_within(args[0], budget).add(&right, u32::MAX)
            }
            Def::Scalar(O::U32FromI32 | O::I32FromU32, args) => {
                self.modular_within(args[0], budget)
            }
            Def::Scalar(O::U32Mul | O::I32Mul, args) => {
                let (a, b) = (
                    self.modular_within(args[0], budget),
                    self.modular_within(args[1], budget),
                );
                if a.terms.is_empty() {
                    Modular::default().add(&b, a.constant)
                } else if b.terms.is_empty() {
                    Modular::default().add(&a, b.constant)
                } else {
                    opaque()
                }
            }
            Def::Scalar(O::U32Shl | O::I32Shl, args) => match self.b.as_const(args[1]) {
                Some(by) => {
                    let inner = self.modular_within(args[0], budget);
                    Modular::default().add(&inner, 1 << (by.bits & 31))
                }
                None => opaque(),
            },
            _ => opaque(),
        }
    }
}
