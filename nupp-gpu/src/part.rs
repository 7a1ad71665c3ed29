//! What a buffer, a view and a slot have in common: a part of an allocation, laid out.
//!
//! A part holds the handle that it was made of, so that the handle cannot be closed under a binding.
//! It knows the layout in elements, whose addresses are inside the allocation; a part of no element has
//! none, since a layout has no empty dimension.

use std::ops::Range;
use std::sync::Arc;

use nupp_layout::Layout;

use crate::buffer::Allocation;
use crate::element::Element;
use crate::error::{TransferError, ViewError};
use crate::view::ViewInner;

/// A buffer or a view: whatever transfers and bindings take.
///
/// It is implemented for [`Buffer`](crate::Buffer) and [`View`](crate::View) alone.
pub trait Stored: sealed::Located {
    /// What it holds.
    type Element: Element;
}

pub(crate) mod sealed {
    pub trait Located {
        fn part(&self) -> super::Part;
    }
}

/// The handle that a part was made of.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    Buffer(Arc<Allocation>),
    View(Arc<ViewInner>),
}

/// A part of an allocation.
#[derive(Clone, Debug)]
pub struct Part {
    held: Held,
    /// None where it has no element.
    layout: Option<Layout>,
    /// The element's name.
    element: &'static str,
    /// Bytes of an element.
    size: u64,
}

impl Part {
    /// A part that holds `T`.
    pub(crate) fn new<T: Element>(held: Held, layout: Option<Layout>) -> Self {
        Self {
            held,
            layout,
            element: T::NAME,
            size: size_of::<T>() as u64,
        }
    }

    pub(crate) fn allocation(&self) -> &Arc<Allocation> {
        match &self.held {
            Held::Buffer(allocation) => allocation,
            Held::View(view) => view.allocation(),
        }
    }

    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    pub(crate) fn element(&self) -> &'static str {
        self.element
    }

    /// Bytes of an element.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The first element, counted from that of the allocation.
    pub(crate) fn offset(&self) -> u32 {
        self.layout.map_or(0, |layout| layout.offset())
    }

    /// How many elements a span over it has: from the first to the last, with those between them.
    pub(crate) fn extent(&self) -> u32 {
        self.layout.map_or(0, |layout| layout.extent())
    }

    /// How many elements it has.
    pub(crate) fn count(&self) -> u32 {
        self.layout.map_or(0, |layout| layout.count())
    }

    /// The bytes of a dense part, exactly.
    pub(crate) fn bytes(&self) -> Result<Bytes, NotWhole> {
        if let Some(layout) = self.layout.filter(|layout| !layout.is_dense()) {
            return Err(NotWhole::NotDense(layout));
        }
        let begin = u64::from(self.offset()) * self.size;
        let end = begin + u64::from(self.count()) * self.size;
        Bytes::new(begin..end, self.allocation().bytes)
    }
}

/// Bytes that begin on a word and end on one, or where the allocation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

impl Bytes {
    pub(crate) fn new(bytes: Range<u64>, all: u64) -> Result<Self, NotWhole> {
        let Range { start: begin, end } = bytes;
        let whole = begin % 4 == 0 && (end % 4 == 0 || end == all);
        if whole || begin == end {
            return Ok(Self { begin, end });
        }
        Err(NotWhole::PartWord { begin, end, all })
    }

    pub(crate) fn len(self) -> u64 {
        self.end - self.begin
    }

    /// With the rest of the last word, which the allocation has room for.
    pub(crate) fn padded(self) -> u64 {
        self.len().next_multiple_of(4)
    }
}

/// Why a part cannot be taken as words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotWhole {
    NotDense(Layout),
    PartWord { begin: u64, end: u64, all: u64 },
}

impl From<NotWhole> for TransferError {
    fn from(refused: NotWhole) -> Self {
        match refused {
            NotWhole::NotDense(layout) => Self::NotDense {
                dimensions: layout.dimensions().to_vec(),
                strides: layout.strides().to_vec(),
            },
            NotWhole::PartWord { begin, end, all } => Self::PartWord { begin, end, all },
        }
    }
}

impl From<NotWhole> for ViewError {
    fn from(refused: NotWhole) -> Self {
        match refused {
            NotWhole::NotDense(layout) => Self::NotDense {
                dimensions: layout.dimensions().to_vec(),
                strides: layout.strides().to_vec(),
            },
            NotWhole::PartWord { begin, end, all } => Self::PartWord { begin, end, all },
        }
    }
}
