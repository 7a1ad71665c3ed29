//! What reductions and scans of any length share: how many blocks each level has, the kernels of
//! one level, and the elements that there are kernels for.
//!
//! A block is 256 elements. One level turns its input into one value a block; the next level takes
//! those values, in order, as its input, until one remains. `docs/reduce.md` is the definition.

pub(crate) mod kernels;

use crate::rt::{KernelError, KernelSpec};

/// Elements of a block.
pub(crate) const BLOCK: usize = 256;

/// How many blocks each level has over this many elements; the last has one.
///
/// Nothing at all is one level of one block, so that there is a place for the value of no elements.
pub(crate) fn levels(length: usize) -> Vec<usize> {
    let mut blocks = length.div_ceil(BLOCK).max(1);
    let mut levels = vec![blocks];
    while blocks > 1 {
        blocks = blocks.div_ceil(BLOCK);
        levels.push(blocks);
    }
    levels
}

/// A kernel from one span to another.
pub(crate) type Cpu<T> = fn(&mut [T], &[T]) -> Result<(), KernelError>;

/// A kernel from two spans to another.
pub(crate) type Cpu2<T> = fn(&mut [T], &[T], &[T]) -> Result<(), KernelError>;

/// A kernel from one span to two others.
pub(crate) type CpuScan<T> = fn(&mut [T], &mut [T], &[T]) -> Result<(), KernelError>;

/// A kernel: what is embedded of it, and its CPU definition.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
pub struct Kernel<F> {
    pub(crate) spec: &'static KernelSpec,
    pub(crate) cpu: F,
}

/// A reduction of blocks, and its value for no elements, which fills the last block.
#[derive(Clone, Copy)]
pub struct Fold<T> {
    pub(crate) identity: T,
    pub(crate) kernel: Kernel<Cpu<T>>,
}

/// What a device buffer holds, where there are devices.
#[cfg(feature = "gpu")]
pub trait Stored: crate::Element {}
#[cfg(feature = "gpu")]
impl<T: crate::Element> Stored for T {}

/// What a device buffer would hold, if there were devices.
#[cfg(not(feature = "gpu"))]
pub trait Stored: bytemuck::Pod + Send + Sync {}
#[cfg(not(feature = "gpu"))]
impl<T: bytemuck::Pod + Send + Sync> Stored for T {}

/// The kernels over one element.
pub trait Kernels: Stored {
    /// Block sums.
    fn sum() -> Fold<Self>;
    /// Least values.
    fn min() -> Fold<Self>;
    /// Greatest values.
    fn max() -> Fold<Self>;
    /// Block sums of products.
    fn dot() -> Kernel<Cpu2<Self>>;
    /// Scans of blocks, and the blocks' totals.
    fn inclusive() -> Kernel<CpuScan<Self>>;
    /// The same, each element moved on by one.
    fn exclusive() -> Kernel<CpuScan<Self>>;
    /// Adds to each block what comes before it.
    fn offset() -> Kernel<Cpu<Self>>;
}

/// An element that can be reduced and scanned: `f32`, `i32` or `u32`.
pub trait Number: Kernels {}
impl Number for f32 {}
impl Number for i32 {}
impl Number for u32 {}

#[cfg(test)]
mod tests {
    use super::levels;

    #[test]
    fn levels_end_in_one_block() {
        for (length, expected) in [
            (0, &[1][..]),
            (1, &[1]),
            (256, &[1]),
            (257, &[2, 1]),
            (65_535, &[256, 1]),
            (65_536, &[256, 1]),
            (65_537, &[257, 2, 1]),
            (1_000_003, &[3_907, 16, 1]),
            (16_777_216, &[65_536, 256, 1]),
            (16_777_217, &[65_537, 257, 2, 1]),
            (u32::MAX as usize, &[16_777_216, 65_536, 256, 1]),
        ] {
            assert_eq!(levels(length), expected, "{length}");
        }
    }

    #[test]
    fn each_level_covers_the_one_before() {
        for length in (0..2_000).chain([65_000, 66_000, 1 << 24, usize::MAX]) {
            let mut before = length;
            for blocks in levels(length) {
                assert!(blocks >= before.div_ceil(256), "{length}");
                assert!(blocks == 1 || blocks == before.div_ceil(256), "{length}");
                before = blocks;
            }
            assert_eq!(before, 1);
        }
    }
}
