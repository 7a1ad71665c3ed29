//! Runs of a generated map kernel: spans and uniforms, and the words that the direct evaluator gives.

use crate::grouped::Run;
use crate::inputs::{floats, integers};
use crate::random::Random;
use crate::typed;
use nupp_front::hir::Program;

/// Empty, one lane, and a partial workgroup.
pub const LENGTHS: [usize; 3] = [0, 1, 300];

/// A run with this many lanes, which also decide the values.
///
/// # Errors
/// What the direct evaluator says.
pub fn run(program: &Program, seed: u64, len: usize) -> Result<Run, typed::Failure> {
    let mut random = Random::new(seed ^ 0xabcd);
    let uniforms = vec![
        floats(&mut random, 1)[0],
        integers(&mut random, 1)[0],
        integers(&mut random, 1)[0],
    ];
    let pairs = floats(&mut random, len)
        .into_iter()
        .zip(integers(&mut random, len));
    let pairs = pairs.flat_map(|(left, right)| [left, right]).collect();
    let gathered = random.below(9) as usize;
    let spans = vec![
        vec![7; len],
        vec![7; len],
        floats(&mut random, len),
        integers(&mut random, len),
        floats(&mut random, gathered),
        pairs,
    ];
    let mut expected = spans.clone();
    typed::run(program, &program.kernels[0], &mut expected, &uniforms)?;
    Ok(Run {
        spans,
        uniforms,
        expected,
    })
}
