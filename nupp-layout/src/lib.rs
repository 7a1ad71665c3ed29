//! Strided layouts: which elements of a buffer an index of up to four dimensions means.
//!
//! A [`Layout`] is a shape, a stride a dimension and an offset, all in elements. It is checked when it
//! is made and cannot be changed, so whoever holds one knows that every address in it, and the number
//! of its indices, fits 32 bits. Layouts are derived from one another (`subview`, `transpose`,
//! `broadcast`, `as_strided`) without ever leaving the elements of the first.
//!
//! ```
//! use nupp_layout::Layout;
//!
//! let matrix = Layout::dense(&[4, 8])?;
//! let row = matrix.subview(&[2, 0], &[1, 8])?;
//! assert_eq!((row.offset(), row.strides(), row.count()), (16, &[8, 1][..], 8));
//! assert!(row.is_dense());
//!
//! let rows = row.broadcast(&[4, 8])?;
//! assert_eq!(rows.strides(), [0, 1]);
//! assert!(!rows.is_injective());
//! # Ok::<(), nupp_layout::LayoutError>(())
//! ```
//!
//! The crate allocates nothing, needs no `std` and has no dependency.

#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod derive;
mod error;
mod injective;
mod layout;

pub use error::LayoutError;
pub use layout::{Layout, MAX_RANK};
