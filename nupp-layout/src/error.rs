//! What is wrong with a layout that was asked for.
//!
//! One type for all operations: each of its messages is one sentence and carries the numbers, so that
//! the caller sees which of its arguments to change. Axes and positions count from 0.

use core::error::Error;
use core::fmt;

use crate::layout::MAX_RANK;

/// Making a layout, or deriving one from another, failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// No dimension, or more than [`MAX_RANK`].
    Rank {
        /// Dimensions asked for.
        given: usize,
    },
    /// Two lists that belong together have different lengths.
    RankMismatch {
        /// What the list gives a number a dimension of.
        what: &'static str,
        /// Numbers needed.
        needed: usize,
        /// Numbers given.
        given: usize,
    },
    /// A dimension of no element.
    ZeroDimension {
        /// Its axis.
        axis: usize,
    },
    /// More indices than 32 bits count.
    CountOverflow {
        /// The product of the dimensions.
        count: u128,
    },
    /// Elements that lie further than 32 bits count.
    ExtentOverflow {
        /// One more than the greatest address.
        end: u128,
    },
    /// A subview reaches outside along an axis.
    Outside {
        /// The axis.
        axis: usize,
        /// Where the subview begins on it.
        origin: u32,
        /// How many steps it takes on it.
        length: u32,
        /// How many the layout has.
        dimension: u32,
    },
    /// A list of axes that does not name each axis once.
    NotPermutation {
        /// The first position that is wrong.
        position: usize,
        /// The axis that is named there.
        axis: usize,
        /// Axes that there are.
        rank: usize,
    },
    /// A dimension can only be repeated if it is 1.
    Broadcast {
        /// Its axis.
        axis: usize,
        /// The dimension.
        from: u32,
        /// The dimension asked for.
        to: u32,
    },
    /// A view reaches past the elements of the layout that it is taken of.
    Escapes {
        /// Where the view ends, counted from the first element of the layout.
        end: u64,
        /// The extent of the layout.
        extent: u32,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Rank { given } => {
                write!(f, "a layout has 1 to {MAX_RANK} dimensions, not {given}")
            }
            Self::RankMismatch {
                what,
                needed,
                given,
            } => write!(
                f,
                "{needed} {what} are needed, one a dimension, not {given}"
            ),
            Self::ZeroDimension { axis } => {
                write!(f, "dimension {axis} is 0, and a layout has no empty one")
            }
            Self::CountOverflow { count } => {
                write!(f, "the shape has {count} indices, more than {}", u32::MAX)
            }
            Self::ExtentOverflow { end } => {
                write!(f, "the layout ends at element {end}, past {}", u32::MAX)
            }
            Self::Outside {
                axis,
                origin,
                length,
                dimension,
            } => write!(
                f,
                "{length} from {origin} on reaches outside dimension {axis}, which is {dimension}"
            ),
            Self::NotPermutation {
                position,
                axis,
                rank,
            } => write!(
                f,
                "axis {axis} at position {position} is named before or not below the rank {rank}, \
                 and each axis must be named once"
            ),
            Self::Broadcast { axis, from, to } => write!(
                f,
                "dimension {axis} is {from} and cannot be broadcast to {to}, only 1 can"
            ),
            Self::Escapes { end, extent } => write!(
                f,
                "the view ends at element {end} of a layout that ends at {extent}"
            ),
        }
    }
}

impl Error for LayoutError {}
