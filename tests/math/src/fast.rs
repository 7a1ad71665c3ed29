//! A fast function of one argument: how far it is from the true value, which binary64 has well enough,
//! and whether both ways of carrying products give one value.

use super::{BLOCK, Block, Compiled, reference, units, workers};
use nupp_ir::math::Function;
use std::time::Instant;

/// The most units in the last place by which a fast function may be wrong.
pub const BOUND: f64 = 2.0;

/// The greatest distance and where it is, and whether every value is one and within the bound.
type Found = (f64, u32, bool);

fn look(function: Function, worker: usize, workers: usize, step: usize) -> Found {
    let (values, wide) = (function.visit(Compiled), reference::wide(function));
    let mut found = (0.0, 0, true);
    for n in (worker..1 << 24).step_by(workers) {
        if n / workers % step != 0 {
            continue;
        }
        let first = (n * BLOCK) as u32;
        let x: Block = std::array::from_fn(|n| f32::from_bits(first + n as u32));
        let [separate, fused] = values([&x, &x]);
        for n in 0..BLOCK {
            let right = wide(x[n].into());
            found.2 &= separate[n].to_bits() == fused[n].to_bits();
            if right.is_nan() || separate[n].is_nan() {
                found.2 &= right.is_nan() && separate[n].to_bits() == 0x7fc0_0000;
                continue;
            }
            let error = units(separate[n], right);
            found.2 &= error <= BOUND;
            if error > found.0 {
                (found.0, found.1) = (error, first + n as u32);
            }
        }
    }
    found
}

/// Prints the greatest distance in one of so many blocks, and says whether it is allowed.
pub fn measure(function: Function, step: usize) -> bool {
    let (start, workers) = (Instant::now(), workers());
    let found: Vec<Found> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || look(function, worker, workers, step)))
            .collect();
        let found = handles.into_iter().map(|handle| handle.join());
        found
            .map(|found| found.expect("a worker does not panic"))
            .collect()
    });
    let most = found
        .iter()
        .copied()
        .reduce(|a, b| if a.0 < b.0 { b } else { a });
    let (most, input, _) = most.unwrap_or((0.0, 0, false));
    println!(
        "{}: at most {most:.4} units away in 1 block of {step}, at {input:#010x}, {:.0} s",
        function.name(),
        start.elapsed().as_secs_f32()
    );
    found.iter().all(|found| found.2)
}
