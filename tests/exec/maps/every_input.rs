//! All 2^32 words, in parts that threads take in turn.

use nupp::rt::testing::{self, Width};
use nupp_core::math::hash::PART;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether `NUPP_EXHAUSTIVE` asks for tests that take all inputs; they take minutes.
pub fn asked_for() -> bool {
    std::env::var_os("NUPP_EXHAUSTIVE").is_some()
}

/// The widths of the machine, or the one that `NUPP_CPU` names.
pub fn widths() -> Vec<Width> {
    let named = std::env::var("NUPP_CPU").ok();
    let mut widths = testing::widths();
    widths.retain(|width| named.as_ref().is_none_or(|name| *name == width.to_string()));
    assert!(!widths.is_empty(), "this machine has no width {named:?}");
    widths
}

/// The words of a part, by its first one.
pub fn part(first: u32) -> impl Iterator<Item = u32> {
    first..=first + (PART as u32 - 1)
}

/// What a function gives for the first words of all parts, in order, computed on all processors.
pub fn in_parts<R: Send>(work: impl Fn(u32) -> R + Sync) -> Vec<R> {
    let parts = (1_usize << 32) / PART;
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(parts)));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= parts {
                        break;
                    }
                    let result = work((part * PART) as u32);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((part, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(part, _)| part);
    done.into_iter().map(|(_, result)| result).collect()
}
