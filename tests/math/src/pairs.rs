//! A function of two arguments on pairs that are random but near where it does something: hypot by bits,
//! the frozen ones by their distance from the true value, as binary64 has it.

use super::{BLOCK, Block, Compiled, fast, reference, units, word, workers};
use nupp_ir::math::Function;
use std::time::Instant;

/// Blocks of pairs of a full comparison.
const BLOCKS: usize = 1 << 20;

/// The most units in the last place by which a frozen function may be wrong.
const BOUND: f64 = 0.500_02;

/// A small generator of words.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A float of a size near one.
    fn near(&mut self) -> f32 {
        f32::from_bits(self.next() & 0x83ff_ffff | 0x3d00_0000)
    }
}

fn pair(function: Function, words: &mut Words, n: usize) -> [f32; 2] {
    let (x, y) = (words.next(), words.next());
    let alike = f32::from_bits(x & 0x7f80_0000 | y & 0x81ff_ffff);
    match (function, n % 4) {
        (_, 0) => [x, y].map(f32::from_bits),
        (Function::Pow | Function::FastPow, 1 | 2) => {
            let x = words.near().abs();
            [x, words.near() * 100.0 / x.log2()]
        }
        (Function::Pow | Function::FastPow, _) => [words.near().abs(), (y % 64) as f32 - 32.0],
        (Function::Hypot | Function::FastHypot, 1 | 2) => {
            // The length is near the middle of two floats.
            let a = f64::from(words.next() >> 8 | 0x0080_0000);
            let above = f64::from(words.next() % 0x0060_0000 >> (words.next() % 23)) + 0.5;
            let b = (above * (2.0 * a + above)).sqrt() as f32;
            let scale = 2.0_f32.powi((x % 240) as i32 - 149);
            [a as f32 * scale, b * scale]
        }
        (_, 1) => [words.near(), words.near()],
        _ => [f32::from_bits(x), alike],
    }
}

/// What a worker finds.
#[derive(Default)]
struct Found {
    /// The greatest distance.
    most: f64,
    /// Values that are not the nearest float.
    other: usize,
    wrong: Vec<([f32; 2], f32, f32)>,
}

fn look(function: Function, worker: u64, blocks: usize) -> Found {
    let values = function.visit(Compiled);
    let (nearest, wide) = reference::two(function);
    let bound = match function {
        Function::Hypot => 0.5,
        Function::Pow | Function::Atan2 => BOUND,
        _ => fast::BOUND,
    };
    let mut words = Words(worker.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut found = Found::default();
    for _ in 0..blocks {
        let pairs: [[f32; 2]; BLOCK] = std::array::from_fn(|n| pair(function, &mut words, n));
        let args: [Block; 2] = [0, 1].map(|n| pairs.map(|pair| pair[n]));
        let [separate, fused] = values([&args[0], &args[1]]);
        for ((pair, separate), fused) in pairs.into_iter().zip(separate).zip(fused) {
            let right = nearest(pair[0], pair[1]);
            let mut sound = separate.to_bits() == fused.to_bits();
            if word(right) != separate.to_bits() {
                found.other += 1;
                let error = units(separate, wide(pair[0].into(), pair[1].into()));
                found.most = found.most.max(error);
                sound &= function != Function::Hypot && error <= bound;
            }
            if !sound {
                found.wrong.push((pair, separate, right));
            }
        }
    }
    found
}

/// Prints what differs in one of so many blocks, and says whether nothing does.
pub fn compare(function: Function, step: usize) -> bool {
    let (start, workers) = (Instant::now(), workers());
    let blocks = BLOCKS / step / workers;
    let found: Vec<Found> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..=workers as u64)
            .map(|worker| scope.spawn(move || look(function, worker, blocks)))
            .collect();
        let found = handles.into_iter().map(|handle| handle.join());
        found
            .map(|found| found.expect("a worker does not panic"))
            .collect()
    });
    let most = found
        .iter()
        .fold(0.5_f64, |most, found| most.max(found.most));
    let other: usize = found.iter().map(|found| found.other).sum();
    println!(
        "{}: {} pairs, {other} not the nearest float, at most {most:.7} units away, {:.0} s",
        function.name(),
        blocks * BLOCK * workers,
        start.elapsed().as_secs_f32()
    );
    let wrong = found.iter().flat_map(|found| &found.wrong);
    for ([x, y], given, right) in wrong.clone().take(100) {
        println!("    of ({x:e}, {y:e}): {given:e}, not {right:e}");
    }
    wrong.count() == 0
}
