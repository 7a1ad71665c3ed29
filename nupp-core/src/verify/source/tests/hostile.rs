//! Kernels that nobody wrote: changed encodings that still decode.
//!
//! None may make the verifier panic, and none that it accepts may leave its bounds or depend on
//! the order of lanes, which is what it promises.

use super::*;
use crate::eval::source::{EvalError, LaneOrder, run_within};
use crate::ir::codec::{decode, encode};
use crate::verify::Verified;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
    /// Mostly small, so that cursors land near the ends of spans.
    pub fn word(&mut self) -> u32 {
        match self.below(8) {
            0 => self.next(),
            1 => u32::MAX - self.next() % 4,
            _ => self.next() % 48,
        }
    }
}

/// Runs a kernel on spans of one length, and of others where its guards allow it.
fn run_accepted(kernel: &Verified<Kernel>, random: &mut Random) -> u32 {
    let mut ran = 0;
    for lengths in 0..4 {
        let base = [0, 1, 16, 37][random.below(4)];
        let spans = kernel.spans.iter().map(|decl| {
            let count = if lengths == 0 { base } else { random.below(40) };
            let words = count * kernel.elem_words(decl.elem) as usize;
            (0..words).map(|_| random.word()).collect()
        });
        let spans: Vec<Vec<u32>> = spans.collect();
        let uniforms: Vec<u32> = kernel.uniforms.iter().map(|_| random.word() % 8).collect();
        let outcome = |order| {
            let mut spans = spans.clone();
            run_within(kernel, &mut spans, &uniforms, order, 200_000).map(|()| spans)
        };
        let first = outcome(LaneOrder::Ascending);
        match &first {
            Ok(_) => ran += 1,
            Err(EvalError::OutOfBounds { .. }) => {
                panic!("{first:?} in\n{}", crate::ir::print::print(kernel))
            }
            Err(_) => continue,
        }
        for order in [LaneOrder::Reversed, LaneOrder::Shuffled(5)] {
            assert_eq!(outcome(order), first, "{}", crate::ir::print::print(kernel));
        }
    }
    ran
}

#[test]
fn changed_kernels_are_refused_or_keep_the_promise() {
    let mut random = Random(0xfeed_5eed_1234_5678);
    let (mut accepted, mut refused, mut ran) = (0, 0, 0);
    for sample in more::all() {
        // The group of 256 lanes takes too long for its worth here; the others have all its parts.
        let turns = if sample.name == "sample_groups" {
            50
        } else {
            500
        };
        let bytes = encode(&sample);
        for _ in 0..turns {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(2) {
                let at = 5 + random.below(changed.len() - 5);
                match random.below(3) {
                    0 => changed[at] ^= 1 << random.below(8),
                    1 => changed[at] = changed[at].wrapping_add(1),
                    _ => changed[at] = random.next() as u8 & 0x1f,
                }
            }
            let Ok(kernel) = decode(&changed) else {
                continue;
            };
            if kernel == sample {
                continue;
            }
            match verify(kernel) {
                Ok(kernel) => {
                    accepted += 1;
                    ran += run_accepted(&kernel, &mut random);
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 100, "only {accepted} changed kernels verified");
    assert!(refused > 300, "only {refused} changed kernels were refused");
    assert!(ran > 100, "only {ran} runs were to the end");
}
