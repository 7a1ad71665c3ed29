//! Workgroup kernels: the acceptance cases and each form of the language, on every executor.
//!
//! Each file has its kernels, their tests, and `samples`: every kernel once, with a small input, for
//! the tests that look at all of them ([`all`]).

mod all;
mod barriers;
mod compaction;
mod decoder;
mod exponentials;
mod families;
mod flow;
mod large;
mod products;
mod quantized;
mod sizes;
mod trees;
mod uniform_choices;

/// Folds as `phases:reduce` does: strides n/2 … 1, in place.
fn fold<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut slots = values.to_vec();
    let mut stride = slots.len() / 2;
    while stride > 0 {
        for i in 0..stride {
            slots[i] = combine(slots[i], slots[i + stride]);
        }
        stride /= 2;
    }
    slots
}
