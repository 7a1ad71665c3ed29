//! Runs Source IR, lanes in any order: the oracle that every other executor is held to.
//!
//! It is written for plainness. Lanes run one after the other, each to the end of the map or of
//! its phase; scratch is fresh for each group and filled with its initial values; a tree runs
//! stage by stage. A verified kernel gives the same words in every order and never leaves its
//! bounds; both are checked here all the same, since the oracle also tests the verifier.

use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::kernel::{Body, Groups, GuardCond, Kernel, ScratchDecl, SourceRegion};
use crate::verify::Verified;

mod guards;
mod lanes;
mod memory;
mod order;
#[cfg(test)]
mod tests;
mod trees;

pub use order::LaneOrder;

use super::scalar;

/// Instructions that [`run`] allows one kernel.
pub const BUDGET: u64 = 1 << 32;

/// Why a run ended early. Spans may have been written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// Another number of spans or uniforms than the kernel has.
    Count {
        /// Spans or uniforms.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many the kernel takes.
        needed: usize,
    },
    /// A span's words are no whole number of elements, or more than uint32 counts.
    Length {
        /// The span.
        span: SpanId,
        /// Its words.
        words: usize,
    },
    /// A guard does not hold; the first in source order is named.
    Guard {
        /// Its position in the kernel's `guards`.
        position: usize,
        /// Its message, or the condition as written.
        text: String,
    },
    /// Groups times the divisor of a rounded-up group rule exceed 2^32.
    TooManyGroups {
        /// The groups.
        groups: u64,
        /// The divisor.
        divisor: u32,
    },
    /// An access out of bounds, which no verified kernel makes.
    OutOfBounds {
        /// A span or a scratch array, as printed.
        what: String,
        /// Where it is touched.
        index: i128,
        /// Its elements.
        count: usize,
    },
    /// Two scatters into one element, which the author said would not happen.
    Scatter {
        /// The span.
        span: SpanId,
        /// The zero-based element.
        slot: u32,
        /// The lane that was first; lanes are numbered through the whole dispatch, from 0.
        first: u64,
        /// The lane that came second.
        second: u64,
    },
    /// More instructions than allowed.
    Budget {
        /// How many are allowed.
        budget: u64,
    },
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count {
                given,
                what,
                needed,
            } => write!(f, "{given} {what} given, {needed} needed"),
            Self::Length { span, words } => {
                write!(f, "{span} holds {words} words, which is no length")
            }
            Self::Guard { position, text } => write!(f, "guard {position} does not hold: {text}"),
            Self::TooManyGroups { groups, divisor } => {
                write!(f, "{groups} groups of {divisor} exceed 2^32")
            }
            Self::OutOfBounds { what, count, index } => {
                write!(f, "{what} has {count} elements and is touched at {index}")
            }
            Self::Scatter {
                span,
                first,
                second,
                slot,
            } => write!(
                f,
                "{span}: lanes {first} and {second} scatter to element {slot}"
            ),
            Self::Budget { budget } => write!(f, "the kernel runs more than {budget} instructions"),
        }
    }
}

impl std::error::Error for EvalError {}

/// Runs a kernel. `spans` are words, elements field by field, in declaration order; `uniforms` are
/// words in declaration order.
///
/// # Errors
/// The first error met. An error of counts, lengths, guards or the group rule leaves the spans as
/// they were.
pub fn run(
    kernel: &Verified<Kernel>,
    spans: &mut [Vec<u32>],
    uniforms: &[u32],
    order: LaneOrder,
) -> Result<(), EvalError> {
    run_within(kernel, spans, uniforms, order, BUDGET)
}

/// [`run`] with another number of instructions allowed.
///
/// # Errors
/// As [`run`].
pub fn run_within(
    kernel: &Verified<Kernel>,
    spans: &mut [Vec<u32>],
    uniforms: &[u32],
    order: LaneOrder,
    budget: u64,
) -> Result<(), EvalError> {
    let lengths = lengths(kernel, spans)?;
    let needed = kernel.uniforms.len();
    if uniforms.len() != needed {
        return Err(EvalError::Count {
            what: "uniforms",
            given: uniforms.len(),
            needed,
        });
    }
    let fields = |elem| kernel.elem_fields(elem);
    let mut machine = Machine {
        values: vec![0; kernel.values.len()],
        types: kernel.values.iter().map(|info| info.ty).collect(),
        fields: kernel.spans.iter().map(|s| fields(s.elem)).collect(),
        spans,
        uniforms,
        lengths,
        groups: None,
        scratch: Vec::new(),
        scratch_fields: Vec::new(),
        lane: Lane::default(),
        scattered: vec![Vec::new(); kernel.spans.len()],
        left: budget,
        budget,
    };
    machine.check_guards(kernel)?;
    match &kernel.body {
        Body::Map {
            primary,
            index,
            region,
        } => machine.map(machine.lengths[primary.index()], *index, region, order),
        Body::Groups(groups) => {
            machine.scratch_fields = groups.scratch.iter().map(|s| fields(s.elem)).collect();
            machine.groups = Some(groups);
            machine.run_groups(groups, order)
        }
    }
}

/// The lengths of the spans in elements.
fn lengths(kernel: &Kernel, spans: &[Vec<u32>]) -> Result<Vec<u32>, EvalError> {
    let needed = kernel.spans.len();
    if spans.len() != needed {
        return Err(EvalError::Count {
            what: "spans",
            given: spans.len(),
            needed,
        });
    }
    let pairs = kernel.spans.iter().zip(spans).enumerate();
    let length = pairs.map(|(i, (decl, words))| {
        let each = kernel.elem_words(decl.elem) as usize;
        let whole = words.len() % each == 0;
        let length = u32::try_from(words.len() / each).ok().filter(|_| whole);
        length.ok_or(EvalError::Length {
            span: SpanId(i as u32),
            words: words.len(),
        })
    });
    length.collect()
}

/// The numbers of the lane that runs.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// A map's zero-based element, or the lane in its group.
    local: u32,
    group: u32,
    /// Through the whole dispatch.
    global: u64,
}

/// The state of a run. Values of all lanes share one table: a lane's values are defined before it
/// uses them, and lanes run one after the other.
struct Machine<'a> {
    values: Vec<u32>,
    types: Vec<Scalar>,
    spans: &'a mut [Vec<u32>],
    fields: Vec<Vec<Scalar>>,
    uniforms: &'a [u32],
    lengths: Vec<u32>,
    groups: Option<&'a Groups>,
    scratch: Vec<Vec<u32>>,
    scratch_fields: Vec<Vec<Scalar>>,
    lane: Lane,
    /// For each span that is scattered into, one more than the lane that wrote each element.
    scattered: Vec<Vec<u64>>,
    left: u64,
    budget: u64,
}

impl<'a> Machine<'a> {
    fn check_guards(&mut self, kernel: &'a Kernel) -> Result<(), EvalError> {
        for (position, guard) in kernel.guards.iter().enumerate() {
            let holds = match &guard.cond {
                GuardCond::Lengths(cond) => guards::holds(cond, &self.lengths),
                GuardCond::Scalar(region) => {
                    self.region(region)?;
                    region.yields.iter().all(|&v| self.get(v) != 0)
                }
            };
            if !holds {
                let text = guard.message.clone();
                return Err(EvalError::Guard {
                    position,
                    text: text.unwrap_or_else(|| guard.text.clone()),
                });
            }
        }
        Ok(())
    }

    fn get(&self, value: Value) -> u32 {
        self.values[value.index()]
    }

    fn set(&mut self, value: Value, word: u32) {
        self.values[value.index()] = word;
    }

    fn map(
        &mut self,
        count: u32,
        index: Value,
        region: &'a SourceRegion,
        order: LaneOrder,
    ) -> Result<(), EvalError> {
        for local in order.lanes(count, 0) {
            self.lane = Lane {
                local,
                group: 0,
                global: local.into(),
            };
            self.set(index, local + 1);
            self.region(region)?;
        }
        Ok(())
    }

    fn run_groups(&mut self, groups: &'a Groups, order: LaneOrder) -> Result<(), EvalError> {
        let length = u64::from(self.lengths[groups.rule.span.index()]);
        let divisor = groups.rule.divisor;
        let count = if groups.rule.ceil {
            length.div_ceil(divisor.into())
        } else {
            length / u64::from(divisor)
        };
        if groups.rule.ceil && count * u64::from(divisor) > 1 << 32 {
            return Err(EvalError::TooManyGroups {
                groups: count,
                divisor,
            });
        }
        // The length is a uint32, so the count is one.
        for group in order.lanes(count as u32, 1) {
            self.lane = Lane {
                group,
                ..Lane::default()
            };
            self.scratch = groups.scratch.iter().map(fresh).collect();
            self.set(groups.group, group);
            self.nodes(&groups.nodes, groups, order)?;
        }
        Ok(())
    }
}

/// A scratch array as a group first sees it.
fn fresh(decl: &ScratchDecl) -> Vec<u32> {
    let slot: Vec<u32> = decl.initial.iter().map(|c| visible(c.ty, c.bits)).collect();
    slot.repeat(decl.count as usize)
}

/// A word as a store makes it visible.
fn visible(ty: Scalar, word: u32) -> u32 {
    match ty {
        Scalar::F32 => scalar::canonical(word),
        Scalar::I32 | Scalar::U32 | Scalar::Bool => word,
    }
}
