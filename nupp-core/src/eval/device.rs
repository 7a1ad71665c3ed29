//! The interpreter of Device IR: one workgroup at a time, its lanes in any order.
//!
//! A lane is a program counter and its values, so that lanes can be interleaved leaf by leaf. The
//! schedule is drawn from a seed; what a schedule cannot change is watched in every one: two lanes
//! that touch a workgroup word, one of them writing, with no barrier between; two lanes of the
//! dispatch that touch a storage word likewise; a barrier that not all lanes come to, or not in
//! the same turn; a workgroup word read before it is written; an index out of bounds. A NaN that
//! arithmetic makes has odd bits here, so that a missing gate shows.

use crate::artifact::UniformLayout;
use crate::device::ir::Module;
use crate::ir::entity::FuncId;
use crate::ir::op::ScalarOp;
use crate::verify::Verified;

mod code;
pub mod faults;
mod group;
mod memory;

use code::{Callees, Code};
use group::Group;
use memory::Memory;

/// The arithmetic of a device: the bits of an operation's result from those of its operands. The
/// operations of floats may err, as devices do; all others must be `scalar::apply`'s.
pub type Arithmetic = fn(ScalarOp, [u32; 3]) -> u32;

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceEvalError {
    /// An index past the end.
    Bounds {
        /// The buffer or array.
        memory: String,
        /// Its words.
        len: usize,
        /// The word.
        index: u32,
        /// The lane.
        lane: u32,
        /// The workgroup, by its place in the launch.
        group: u32,
    },
    /// Two lanes met with no barrier between.
    Race {
        /// The buffer or array.
        memory: String,
        /// The word.
        index: u32,
        /// The lane that was there first; in a storage buffer, by its place in the dispatch.
        first: u32,
        /// The other.
        second: u32,
        /// The workgroup of the second.
        group: u32,
    },
    /// Not every lane came to a barrier, or not in the same turn.
    Divergence {
        /// The one.
        lane: u32,
        /// The other.
        other: u32,
        /// The workgroup.
        group: u32,
    },
    /// A word of workgroup or private memory was read before it was written.
    Unwritten {
        /// The array.
        memory: String,
        /// The word.
        index: u32,
        /// The workgroup.
        group: u32,
    },
    /// More steps than the limit.
    Endless {
        /// The workgroup.
        group: u32,
        /// The steps.
        steps: u64,
    },
    /// The number of buffers or uniform words is not the module's.
    Binding {
        /// `buffers` or `uniform words`.
        what: &'static str,
        /// How many it takes.
        needed: usize,
        /// How many there are.
        given: usize,
    },
}

impl std::fmt::Display for DeviceEvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bounds {
                memory,
                len,
                lane,
                group,
                index,
            } => write!(
                f,
                "{memory} has {len} words, lane {lane} of workgroup {group} uses word {index}"
            ),
            Self::Race {
                first,
                second,
                index,
                memory,
                group,
            } => write!(
                f,
                "lanes {first} and {second} meet in word {index} of {memory}, workgroup {group}"
            ),
            Self::Divergence { lane, group, other } => write!(
                f,
                "lane {lane} of workgroup {group} does not come to the barrier of lane {other}"
            ),
            Self::Unwritten {
                index,
                memory,
                group,
            } => write!(
                f,
                "word {index} of {memory} is read before it is written, workgroup {group}"
            ),
            Self::Endless { group, steps } => {
                write!(f, "workgroup {group} has not ended after {steps} steps")
            }
            Self::Binding {
                needed,
                what,
                given,
            } => write!(f, "the module takes {needed} {what}, {given} are given"),
        }
    }
}

impl std::error::Error for DeviceEvalError {}

/// What a dispatch is given besides its buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch<'a> {
    /// Lanes (map) or groups (workgroups).
    pub count: u32,
    /// Each span's length in elements.
    pub lengths: &'a [u32],
    /// Each span's offset in its buffer, in elements.
    pub offsets: &'a [u32],
    /// The authored uniforms, by bits.
    pub uniforms: &'a [u32],
    /// The most workgroups in a row of the launch, at least 1.
    pub width: u32,
    /// Draws the order of lanes and workgroups.
    pub seed: u64,
}

impl Dispatch<'_> {
    /// The words of the uniform block, and the rows of the launch.
    fn block(&self, module: &Module) -> (Vec<u32>, u32, u32) {
        let groups = self.count.div_ceil(module.covers.max(1));
        let width = groups.min(self.width.max(1));
        let rows = if width == 0 {
            0
        } else {
            groups.div_ceil(width)
        };
        let layout = module.uniforms;
        let mut words = vec![0; layout.words() as usize];
        let mut set = |word: u32, value: u32| {
            if let Some(slot) = words.get_mut(word as usize) {
                *slot = value;
            }
        };
        set(UniformLayout::COUNT, self.count);
        set(UniformLayout::WIDTH, width);
        for (span, &length) in (0..).zip(self.lengths) {
            set(layout.length(span), length);
        }
        for (span, &offset) in (0..).zip(self.offsets) {
            set(layout.offset(span), offset);
        }
        for (uniform, &value) in (0..).zip(self.uniforms) {
            set(layout.uniform(uniform), value);
        }
        (words, width, rows)
    }
}

/// Runs a whole dispatch on buffers of words.
///
/// # Errors
/// What the watch found, or a binding that is not the module's.
pub fn run(
    module: &Verified<Module>,
    buffers: &mut [Vec<u32>],
    dispatch: &Dispatch<'_>,
) -> Result<(), DeviceEvalError> {
    run_unverified(module, buffers, dispatch)
}

/// As [`run`], for a module that a test has broken. It must still be well formed.
///
/// # Errors
/// As [`run`].
pub fn run_unverified(
    module: &Module,
    buffers: &mut [Vec<u32>],
    dispatch: &Dispatch<'_>,
) -> Result<(), DeviceEvalError> {
    run_by(module, buffers, dispatch, code::exact)
}

/// As [`run_unverified`], on a device with this arithmetic.
///
/// # Errors
/// As [`run`].
pub fn run_by(
    module: &Module,
    buffers: &mut [Vec<u32>],
    dispatch: &Dispatch<'_>,
    arithmetic: Arithmetic,
) -> Result<(), DeviceEvalError> {
    let (needed, given) = (module.buffers.len(), buffers.len());
    if needed != given {
        return Err(DeviceEvalError::Binding {
            what: "buffers",
            needed,
            given,
        });
    }
    let (needed, given) = (module.uniforms.uniforms as usize, dispatch.uniforms.len());
    if needed != given {
        return Err(DeviceEvalError::Binding {
            what: "uniform words",
            needed,
            given,
        });
    }
    let (words, width, rows) = dispatch.block(module);
    let code = Code::of_body(module);
    let callees = Callees {
        functions: Code::of_functions(module),
        arithmetic,
    };
    let mut memory = Memory::new(module, buffers);
    let mut random = Random(dispatch.seed);
    for at in random.order(width * rows) {
        memory.start_group(module);
        let place = (at % width, at / width, at);
        Group::new(module, &code, &callees, &words, place, random.next()).run(&mut memory)?;
    }
    Ok(())
}

/// Calls a function of the module.
///
/// Gives 0 for a function that is not there.
pub fn call(module: &Module, func: FuncId, args: &[u32]) -> u32 {
    Caller::new(module).call(func, args)
}

/// Calls functions of one module many times.
pub struct Caller {
    callees: Callees,
    values: Vec<u32>,
}

impl Caller {
    /// Prepares the module's functions.
    pub fn new(module: &Module) -> Self {
        Caller::by(module, code::exact)
    }

    /// Prepares the module's functions for a device with this arithmetic.
    pub fn by(module: &Module, arithmetic: Arithmetic) -> Self {
        Caller {
            callees: Callees {
                functions: Code::of_functions(module),
                arithmetic,
            },
            values: vec![0; module.values.len()],
        }
    }

    /// Calls one; gives 0 where there is none.
    pub fn call(&mut self, func: FuncId, args: &[u32]) -> u32 {
        code::call(&self.callees, func, args, &mut self.values)
    }
}

/// A small generator, so that a seed fixes the schedule everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u32) -> u32 {
        if n == 0 {
            0
        } else {
            (self.next() % u64::from(n)) as u32
        }
    }

    /// The numbers below `n` in some order.
    fn order(&mut self, n: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n).collect();
        match self.below(4) {
            0 => {}
            1 => order.reverse(),
            _ => {
                for i in (1..n).rev() {
                    order.swap(i as usize, self.below(i + 1) as usize);
                }
            }
        }
        order
    }
}
