//! Runs of a generated workgroup kernel: lengths around its divisor, spans and uniforms, and the
//! words that the direct evaluator gives.

use crate::generate::GROUP_SIGNATURE;
use crate::inputs::{floats, integers};
use crate::random::Random;
use crate::typed;
use nupp_front::hir::{Program, Shape, Workgroups};

/// Inputs of one run, and what must come out.
#[derive(Clone, Debug)]
pub struct Run {
    /// Spans in declaration order.
    pub spans: Vec<Vec<u32>>,
    /// Uniforms in declaration order.
    pub uniforms: Vec<u32>,
    /// The spans afterwards.
    pub expected: Vec<Vec<u32>>,
}

/// The workgroup part of the program's kernel.
///
/// # Panics
/// If its first kernel is a map.
pub fn workgroups(program: &Program) -> &Workgroups {
    match &program.kernels[0].shape {
        Shape::Workgroups(groups) => groups,
        Shape::Map { .. } => panic!("a map in place of {GROUP_SIGNATURE}"),
    }
}

/// How many lengths there are.
pub const LENGTHS: usize = 6;

/// Empty, one, around one group, and several with a remainder.
pub fn lengths(program: &Program) -> [usize; LENGTHS] {
    let one = workgroups(program).divisor as usize;
    [0, 1, one - 1, one, one + 1, 3 * one + one / 2 + 1]
}

/// A run with this length of the spans that count, which also decides the values. The other spans
/// are as long as all groups need, or cut short.
///
/// # Errors
/// What the direct evaluator says.
pub fn run(program: &Program, seed: u64, len: usize) -> Result<Run, typed::Failure> {
    match cut(program, seed, len, true) {
        // A guard wants the full length.
        Err(typed::Failure::Guard(_)) => cut(program, seed, len, false),
        other => other,
    }
}

fn cut(program: &Program, seed: u64, len: usize, short: bool) -> Result<Run, typed::Failure> {
    let w = workgroups(program);
    let mut random = Random::new(seed ^ (len as u64) << 32 ^ 0x5eed);
    let lanes = len.div_ceil(w.divisor as usize) * w.size as usize;
    let mut long = [4 * lanes.max(len), lanes, 5 * lanes.max(len)];
    for most in &mut long {
        if random.once_in(3) && short {
            *most = random.below(*most as u32 + 1) as usize;
        }
    }
    let [words, sums, marks] = long;
    let gathered = random.below(9) as usize;
    let pairs = random.below(lanes as u32 + 2) as usize;
    let pairs = floats(&mut random, pairs)
        .into_iter()
        .flat_map(|left| [left, left.rotate_left(7)])
        .collect();
    let spans = vec![
        vec![7; len],
        vec![7; words],
        vec![7; sums],
        vec![7; marks],
        floats(&mut random, len),
        integers(&mut random, len),
        floats(&mut random, gathered),
        pairs,
    ];
    let uniforms = vec![
        floats(&mut random, 1)[0],
        integers(&mut random, 1)[0],
        integers(&mut random, 1)[0],
    ];
    let mut expected = spans.clone();
    typed::run(program, &program.kernels[0], &mut expected, &uniforms)?;
    Ok(Run {
        spans,
        uniforms,
        expected,
    })
}
