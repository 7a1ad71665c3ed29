//! A function of one argument on every input.
//!
//! Inputs are taken in parts by as many workers as there are cores.

use super::{BLOCK, Block, Compiled, word, workers};
use nupp_ir::math::Function;
use nupp_ir::math::hash::{self, PART};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const PARTS: usize = (1 << 32) / PART;

/// What a part gives: its hash, and what differs.
type Part = (u64, Vec<(u32, u32)>);

fn part(function: Function, right: fn(f32) -> f32, at: usize, step: usize) -> Part {
    let values = function.visit(Compiled);
    let (mut words, mut wrong) = (Vec::new(), Vec::new());
    for first in (at * PART..(at + 1) * PART).step_by(BLOCK * step) {
        let first = first as u32;
        let x: Block = std::array::from_fn(|n| f32::from_bits(first + n as u32));
        let [separate, fused] = values([&x, &x]);
        for n in 0..BLOCK {
            let right = word(right(x[n]));
            words.push(right);
            if separate[n].to_bits() != right || fused[n].to_bits() != right {
                wrong.push((first + n as u32, right));
            }
        }
    }
    (hash::part(words), wrong)
}

/// Prints what differs in every so many blocks, and says whether nothing does.
pub fn compare(function: Function, right: fn(f32) -> f32, step: usize) -> bool {
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(usize, Part)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= PARTS {
                return done;
            }
            done.push((at, part(function, right, at, step)));
        }
    };
    let mut parts: Vec<(usize, Part)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers()).map(|_| scope.spawn(work)).collect();
        let done = handles.into_iter().map(|handle| handle.join());
        done.flat_map(|done| done.expect("a worker does not panic"))
            .collect()
    });
    parts.sort_by_key(|&(at, _)| at);
    let hash = hash::whole(parts.iter().map(|(_, (part, _))| *part));
    let wrong: Vec<_> = parts.iter().flat_map(|(_, (_, wrong))| wrong).collect();
    println!(
        "{}: {} differ in 1 block of {step}, hash {hash:#018x}, {:.0} s",
        function.name(),
        wrong.len(),
        start.elapsed().as_secs_f32()
    );
    for (input, output) in wrong.iter().take(1000) {
        println!("    ({input:#010x}, {output:#010x}),");
    }
    wrong.is_empty()
}
