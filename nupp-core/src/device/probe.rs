//! Finds out what a device's arithmetic can be trusted with, and chooses a profile.
//!
//! The probe is a kernel: each of its tests applies a few operations to [`SAMPLES`] chosen operands.
//! It runs twice. The operations alone, lowered for [`Profile::DEVICE`], show what the device gives: all
//! right, right but for flushed subnormals, or wrong; from that [`Probe::judge`] makes a profile. Lowered
//! for that profile, with everything as kernels have it, every test must be right to the bit
//! ([`Probe::confirm`]); if one is not, the profile of integer code is tried, and if that is not right
//! either the device can run no float kernel. Nothing is read from names or versions.

use super::profile::{Profile, Route};
use crate::ir::entity::Scalar;
use crate::ir::kernel::Kernel;
use crate::ir::op::ScalarOp;
use crate::verify::{Verified, VerifyError};
use nupp_ir::scalar;
use std::ops::Range;

mod kernel;
mod operands;
#[cfg(all(test, feature = "interpreters"))]
mod tests;

pub use operands::hard_operands;

/// Operands of each test.
pub const SAMPLES: usize = 256;

/// What a device gave for one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Every result is right.
    Exact,
    /// Every result is right, or what it is where subnormals are flushed to zero.
    Flushes(Evidence),
    /// Some result is neither.
    Wrong(Evidence),
}

/// One result that is not right, by bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The test, in the notation of a formula.
    pub test: &'static str,
    /// x, y and z.
    pub operands: [u32; 3],
    /// What the device gave.
    pub given: u32,
    /// What is right.
    pub right: u32,
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.operands;
        write!(
            f,
            "`{}` of x = {x:#010x}, y = {y:#010x}, z = {z:#010x} gave {:#010x}, not {:#010x}",
            self.test, self.given, self.right
        )
    }
}

/// What is known of a device's operations, and the profile made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What the bare operation gave, for each that a profile knows the route of.
    pub findings: Vec<(ScalarOp, Finding)>,
    /// The routes to take.
    pub profile: Profile,
}

/// A test: a formula, and what it is as a tree.
struct Test {
    formula: &'static str,
    tree: Tree,
}

/// A formula over the operands of a sample.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    /// An operand as a float.
    Float(usize),
    /// An operand as a uint32.
    Word(usize),
    /// A float that the kernel's text holds.
    Literal(u32),
    /// A uint32 that the kernel's text holds.
    Number(u32),
    /// A float that is the same for all lanes of the dispatch.
    Uniform(usize),
    /// An operation.
    Op(ScalarOp, Vec<Tree>),
}

/// The uniforms that the probe runs with: no sum of them is exact.
pub const UNIFORMS: [u32; 2] = [0x3f80_0001, 0x3eaa_aaab];

/// The operations whose routes a profile knows. Each has a test of its own, the first ones, in this order.
const OPERATIONS: [ScalarOp; 11] = [
    ScalarOp::F32Add,
    ScalarOp::F32Sub,
    ScalarOp::F32Mul,
    ScalarOp::F32Fma,
    ScalarOp::F32Div,
    ScalarOp::F32Sqrt,
    ScalarOp::F32Eq,
    ScalarOp::F32Lt,
    ScalarOp::F32Le,
    ScalarOp::F32FromI32,
    ScalarOp::F32FromU32,
];

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The operations alone, lowered for [`Profile::DEVICE`]; [`Probe::judge`] looks at the results.
    Bare,
    /// A part of all tests, lowered for a profile that is to be confirmed; [`Probe::confirm`] looks at
    /// the results of all parts, one after the other.
    Part(usize),
}

impl Stage {
    /// The parts that all tests are run in. The time that SwiftShader's compiler takes grows with the
    /// square of a function's length.
    pub const PARTS: [Stage; 3] = [Stage::Part(0), Stage::Part(1), Stage::Part(2)];

    /// The tests that are run, of so many.
    fn tests(self, count: usize) -> Range<usize> {
        match self {
            Stage::Bare => 0..OPERATIONS.len(),
            Stage::Part(part) => {
                let end = |part: usize| count * part / Stage::PARTS.len();
                end(part)..end(part + 1)
            }
        }
    }
}

/// The probe: its kernels, their operands, and the judgement of what they gave.
pub struct Probe {
    bare: Verified<Kernel>,
    parts: Vec<Verified<Kernel>>,
    tests: Vec<Test>,
    operands: [Vec<u32>; 3],
}

impl Probe {
    /// Builds the probe.
    ///
    /// # Errors
    /// Never, as a test shows; the verifier's word is not taken for granted here.
    pub fn new() -> Result<Self, VerifyError> {
        let tests = operands::tests();
        let verified = |stage: Stage| {
            let of = &tests[stage.tests(tests.len())];
            crate::verify::source::verify(kernel::kernel(of))
        };
        Ok(Probe {
            bare: verified(Stage::Bare)?,
            parts: Stage::PARTS
                .into_iter()
                .map(verified)
                .collect::<Result<_, _>>()?,
            operands: operands::operands(&tests),
            tests,
        })
    }

    /// The kernel of a run: a map that writes one uint32 span and reads three, all as long as
    /// [`Probe::operands`], and takes [`UNIFORMS`].
    pub fn kernel(&self, stage: Stage) -> &Verified<Kernel> {
        match stage {
            Stage::Bare => &self.bare,
            Stage::Part(part) => &self.parts[part],
        }
    }

    /// What the three spans hold that it reads.
    pub fn operands(&self, stage: Stage) -> [&[u32]; 3] {
        let tests = stage.tests(self.tests.len());
        let samples = tests.start * SAMPLES..tests.end * SAMPLES;
        self.operands.each_ref().map(|all| &all[samples.clone()])
    }

    /// Judges the results of [`Stage::Bare`].
    pub fn judge(&self, results: &[u32]) -> Verdict {
        let finding = |(test, op)| (op, self.finding(test, results));
        let findings: Vec<(ScalarOp, Finding)> =
            OPERATIONS.into_iter().enumerate().map(finding).collect();
        let profile = profile(&findings);
        Verdict { findings, profile }
    }

    /// Whether every result of all [`Stage::PARTS`], one after the other, is right, whatever the profile.
    ///
    /// # Errors
    /// The first result that is not.
    pub fn confirm(&self, results: &[u32]) -> Result<(), Evidence> {
        (0..self.tests.len() * SAMPLES)
            .find_map(|sample| self.wrong(sample, results))
            .map_or(Ok(()), Err)
    }

    fn wrong(&self, sample: usize, results: &[u32]) -> Option<Evidence> {
        let test = &self.tests[sample / SAMPLES];
        let operands = [0, 1, 2].map(|n: usize| self.operands[n][sample]);
        let given = results.get(sample).copied().unwrap_or_default();
        let right = test.stored(operands, &scalar::apply);
        (given != right).then_some(Evidence {
            test: test.formula,
            operands,
            given,
            right,
        })
    }

    fn finding(&self, test: usize, results: &[u32]) -> Finding {
        let mut finding = Finding::Exact;
        for sample in test * SAMPLES..(test + 1) * SAMPLES {
            let Some(evidence) = self.wrong(sample, results) else {
                continue;
            };
            let flushed = self.tests[test].stored(evidence.operands, &flushing);
            // A device may flush before it rounds: what would round up to the least normal number.
            let least = flushed & !SIGN == LEAST_NORMAL && evidence.given == flushed & SIGN;
            if evidence.given != flushed && !least {
                return Finding::Wrong(evidence);
            }
            if finding == Finding::Exact {
                finding = Finding::Flushes(evidence);
            }
        }
        finding
    }
}

impl Test {
    /// Its value as the kernel stores it, where operations are these.
    fn stored(&self, operands: [u32; 3], apply: &dyn Fn(ScalarOp, &[u32]) -> u32) -> u32 {
        let value = self.tree.value(operands, apply);
        match &self.tree {
            Tree::Op(op, _) if op.result() == Scalar::F32 => scalar::canonical(value),
            _ => value,
        }
    }
}

impl Tree {
    fn value(&self, operands: [u32; 3], apply: &dyn Fn(ScalarOp, &[u32]) -> u32) -> u32 {
        match self {
            Tree::Float(n) | Tree::Word(n) => operands[*n],
            Tree::Literal(bits) | Tree::Number(bits) => *bits,
            Tree::Uniform(n) => UNIFORMS[*n],
            Tree::Op(op, args) => {
                let args: Vec<u32> = args.iter().map(|arg| arg.value(operands, apply)).collect();
                apply(*op, &args)
            }
        }
    }
}

const SIGN: u32 = 0x8000_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// Zero of the same sign for a subnormal.
pub fn flushed(bits: u32) -> u32 {
    if bits & !SIGN < LEAST_NORMAL {
        bits & SIGN
    } else {
        bits
    }
}

/// An operation of a device that flushes subnormal operands and results to zero.
pub fn flushing(op: ScalarOp, args: &[u32]) -> u32 {
    let floats = op.args().iter().all(|&ty| ty == Scalar::F32);
    let args: Vec<u32> = args
        .iter()
        .map(|&arg| if floats { flushed(arg) } else { arg })
        .collect();
    let value = scalar::apply(op, &args);
    if op.result() == Scalar::F32 {
        flushed(value)
    } else {
        value
    }
}

/// The fastest routes that findings allow.
fn profile(findings: &[(ScalarOp, Finding)]) -> Profile {
    let all = |ops: &[ScalarOp], fits: fn(&Finding) -> bool| {
        let mut of = findings.iter().filter(|(op, _)| ops.contains(op));
        of.all(|(_, finding)| fits(finding))
    };
    let exact = |finding: &Finding| matches!(finding, Finding::Exact);
    let at_most_flushes = |finding: &Finding| !matches!(finding, Finding::Wrong(_));
    let bare_or = |ops: &[ScalarOp], otherwise: Route| {
        if all(ops, exact) {
            Route::Opaque
        } else {
            otherwise
        }
    };
    let guarded_or = |ops: &[ScalarOp], otherwise: Route| {
        let other = if all(ops, at_most_flushes) {
            Route::Guarded
        } else {
            otherwise
        };
        bare_or(ops, other)
    };
    let refined = if all(&[ScalarOp::F32Mul, ScalarOp::F32Fma], at_most_flushes) {
        Route::Refined
    } else {
        Route::Software
    };
    let made = Profile {
        name: "probed",
        add: guarded_or(&[ScalarOp::F32Add, ScalarOp::F32Sub], Route::Software),
        mul: guarded_or(&[ScalarOp::F32Mul], Route::Software),
        fma: guarded_or(&[ScalarOp::F32Fma], Route::Software),
        div: guarded_or(&[ScalarOp::F32Div], refined),
        sqrt: guarded_or(&[ScalarOp::F32Sqrt], refined),
        compare: bare_or(
            &[ScalarOp::F32Eq, ScalarOp::F32Lt, ScalarOp::F32Le],
            Route::Software,
        ),
        from_int: bare_or(
            &[ScalarOp::F32FromI32, ScalarOp::F32FromU32],
            Route::Software,
        ),
    };
    let same = |named: &&Profile| named.routes() == made.routes();
    Profile::ALL.iter().find(same).copied().unwrap_or(made)
}
