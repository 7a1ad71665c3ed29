//! Layouts of the elements of another.
//!
//! Whatever is derived here means no element that the layout it is taken of does not reach to: not
//! outside its shape (`subview`), not past its extent (`as_strided`), and the same elements in another
//! order or more often (`transpose`, `broadcast`). The results go through [`Layout::new`] too.

use crate::error::LayoutError;
use crate::layout::{Layout, MAX_RANK, padded, same_rank};

impl Layout {
    /// The part that begins at the index `origin` and has this shape; the strides stay.
    ///
    /// # Errors
    /// Where a list has another length than the rank, a dimension is 0, or the part is not inside.
    pub fn subview(&self, origin: &[u32], shape: &[u32]) -> Result<Self, LayoutError> {
        same_rank("numbers of the origin", self.rank(), origin.len())?;
        same_rank("dimensions", self.rank(), shape.len())?;
        let mut offset = self.offset();
        for axis in 0..self.rank() {
            let [origin, length] = [origin[axis], shape[axis]];
            let dimension = self.dimensions()[axis];
            if length == 0 {
                return Err(LayoutError::ZeroDimension { axis });
            }
            if u64::from(origin) + u64::from(length) > u64::from(dimension) {
                return Err(LayoutError::Outside {
                    axis,
                    origin,
                    length,
                    dimension,
                });
            }
            // An index inside, whose element is inside 32 bits.
            offset += origin * self.strides()[axis];
        }
        Self::new(shape, self.strides(), offset)
    }

    /// The same elements with the dimensions in another order: dimension `i` of the result is
    /// dimension `axes[i]` of this one, axes counted from 0.
    ///
    /// # Errors
    /// Where `axes` does not name each axis once.
    pub fn transpose(&self, axes: &[usize]) -> Result<Self, LayoutError> {
        let rank = self.rank();
        same_rank("axes", rank, axes.len())?;
        let mut dimensions = [1; MAX_RANK];
        let mut strides = [0; MAX_RANK];
        for (position, &axis) in axes.iter().enumerate() {
            if axis >= rank || axes[..position].contains(&axis) {
                return Err(LayoutError::NotPermutation {
                    position,
                    axis,
                    rank,
                });
            }
            dimensions[position] = self.dimensions()[axis];
            strides[position] = self.strides()[axis];
        }
        Self::new(&dimensions[..rank], &strides[..rank], self.offset())
    }

    /// Dimensions of 1 repeated to those of `shape`, with a stride of 0; all others stay.
    ///
    /// The rank stays too; a dimension that is not there is first written as 1.
    ///
    /// # Errors
    /// Where `shape` has another rank, a dimension of 0, differs in a dimension that is not 1, or has
    /// more indices than 32 bits count.
    pub fn broadcast(&self, shape: &[u32]) -> Result<Self, LayoutError> {
        same_rank("dimensions", self.rank(), shape.len())?;
        let mut strides = padded(self.strides(), 0)?;
        for (axis, (&from, &to)) in self.dimensions().iter().zip(shape).enumerate() {
            if to == 0 {
                return Err(LayoutError::ZeroDimension { axis });
            }
            if from == to {
                continue;
            }
            if from != 1 {
                return Err(LayoutError::Broadcast { axis, from, to });
            }
            strides[axis] = 0;
        }
        Self::new(shape, &strides[..shape.len()], self.offset())
    }

    /// Any shape and strides over the elements of this one, from its element `offset` on, counted from
    /// its own first.
    ///
    /// # Errors
    /// As [`Layout::new`], and where the result ends past the extent of this layout.
    pub fn as_strided(
        &self,
        shape: &[u32],
        strides: &[u32],
        offset: u32,
    ) -> Result<Self, LayoutError> {
        // What is wrong with the numbers themselves comes first.
        let alone = Self::new(shape, strides, offset)?;
        let end = u64::from(offset) + u64::from(alone.extent());
        if end > u64::from(self.extent()) {
            return Err(LayoutError::Escapes {
                end,
                extent: self.extent(),
            });
        }
        Self::new(shape, strides, self.offset() + offset)
    }
}
