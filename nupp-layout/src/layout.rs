//! The layout itself: a shape, a stride a dimension, an offset.
//!
//! [`Layout::new`] is the one way to make the type, so its checks hold of every layout: 1 to 4
//! dimensions, none of them 0, and the number of indices and the end of the elements fit a `u32`.
//! Everything else here only reads.

use crate::error::LayoutError;
use crate::injective;

/// The most dimensions that a layout has.
pub const MAX_RANK: usize = 4;

/// Which elements an index of up to [`MAX_RANK`] dimensions means, counted in elements.
///
/// The index `(i0, i1, ..)`, each from 0 and below its dimension, means the element
/// `offset + i0 * strides[0] + i1 * strides[1] + ..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    rank: u8,
    /// 1 past the rank, so that equal layouts are equal.
    dimensions: [u32; MAX_RANK],
    /// 0 past the rank.
    strides: [u32; MAX_RANK],
    offset: u32,
}

impl Layout {
    /// A layout of this shape, with a stride a dimension, whose index of zeros is element `offset`.
    ///
    /// # Errors
    /// For no or more than [`MAX_RANK`] dimensions, another number of strides, a dimension of 0, and
    /// where the number of indices or the end of the elements does not fit a `u32`.
    pub fn new(shape: &[u32], strides: &[u32], offset: u32) -> Result<Self, LayoutError> {
        let dimensions = padded(shape, 1)?;
        same_rank("strides", shape.len(), strides.len())?;
        if let Some(axis) = shape.iter().position(|dimension| *dimension == 0) {
            return Err(LayoutError::ZeroDimension { axis });
        }
        // Four factors of 32 bits fit 128.
        let count: u128 = shape
            .iter()
            .map(|dimension| u128::from(*dimension))
            .product();
        if count > u128::from(u32::MAX) {
            return Err(LayoutError::CountOverflow { count });
        }
        let end = u128::from(offset) + reach(shape, strides);
        if end > u128::from(u32::MAX) {
            return Err(LayoutError::ExtentOverflow { end });
        }
        Ok(Self {
            // At most 4.
            rank: shape.len() as u8,
            dimensions,
            strides: padded(strides, 0)?,
            offset,
        })
    }

    /// The dense layout of a shape: row-major, the last dimension next to each other, from element 0.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn dense(shape: &[u32]) -> Result<Self, LayoutError> {
        let mut strides: [u32; MAX_RANK] = padded(shape, 1)?;
        let mut stride = 1_u32;
        for at in (0..shape.len()).rev() {
            strides[at] = stride;
            // A product that saturates is found by the count: it has the same factors.
            stride = stride.saturating_mul(shape[at]);
        }
        Self::new(shape, &strides[..shape.len()], 0)
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The dimensions, outermost first.
    pub fn dimensions(&self) -> &[u32] {
        &self.dimensions[..self.rank()]
    }

    /// How many elements lie between neighbours of each dimension.
    pub fn strides(&self) -> &[u32] {
        &self.strides[..self.rank()]
    }

    /// The element that the index of zeros means.
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// Elements from the first that an index means to the last, both counted and those between them
    /// too. It is at least 1; the last element is `offset + extent - 1`.
    pub fn extent(&self) -> u32 {
        // `new` has seen to it that it fits.
        reach(self.dimensions(), self.strides()) as u32
    }

    /// How many indices there are: the product of the dimensions.
    pub fn count(&self) -> u32 {
        self.dimensions().iter().product()
    }

    /// Whether the indices, the last dimension turning fastest, mean consecutive elements.
    ///
    /// The stride of a dimension of 1 is never taken, so it does not matter.
    pub fn is_dense(&self) -> bool {
        let mut stride = 1;
        for (dimension, given) in self.dimensions().iter().zip(self.strides()).rev() {
            if *dimension != 1 && *given != stride {
                return false;
            }
            stride *= dimension;
        }
        true
    }

    /// Whether no two indices mean the same element. The answer is exact.
    ///
    /// It takes a few steps for every layout that is derived from a dense one without `broadcast`,
    /// and at worst a few 100,000 for strides that are chosen to be hard.
    pub fn is_injective(&self) -> bool {
        injective::is_injective(&self.dimensions, &self.strides)
    }
}

/// Elements from the first that an index means to the last, both counted.
pub(crate) fn reach(shape: &[u32], strides: &[u32]) -> u128 {
    let steps = shape.iter().zip(strides);
    1 + steps
        .map(|(dimension, stride)| u128::from(dimension.saturating_sub(1)) * u128::from(*stride))
        .sum::<u128>()
}

/// As many numbers as there may be dimensions.
pub(crate) fn padded<T: Copy>(given: &[T], with: T) -> Result<[T; MAX_RANK], LayoutError> {
    if given.is_empty() || given.len() > MAX_RANK {
        return Err(LayoutError::Rank { given: given.len() });
    }
    let mut all = [with; MAX_RANK];
    all[..given.len()].copy_from_slice(given);
    Ok(all)
}

/// Fails unless there is one number a dimension.
pub(crate) fn same_rank(
    what: &'static str,
    needed: usize,
    given: usize,
) -> Result<(), LayoutError> {
    if needed == given {
        return Ok(());
    }
    Err(LayoutError::RankMismatch {
        what,
        needed,
        given,
    })
}
