//! Views: parts of a buffer, laid out in up to four dimensions.
//!
//! A view allocates nothing on the device. It holds its buffer's memory, and its layout was checked
//! against the buffer when it was made. A kernel that is bound to a view sees a span of the view's
//! extent whose element `s[c + 1]` is `offset + c` of the buffer: steps between elements are the
//! kernel's own business, usually uniforms that [`View::strides`] gives.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use nupp_layout::{Layout, LayoutError};

use crate::buffer::{Allocation, Buffer};
use crate::context::Context;
use crate::element::Element;
use crate::error::{BufferError, ViewError};
use crate::held::StillHeld;
use crate::part::sealed::Located;
use crate::part::{Bytes, Held, Part, Stored};

/// A part of a buffer of `T`, laid out. Clones are the same view.
pub struct View<T> {
    inner: Arc<ViewInner>,
    element: PhantomData<fn() -> T>,
}

#[derive(Debug)]
pub(crate) struct ViewInner {
    allocation: Arc<Allocation>,
    element: &'static str,
    /// None where it has no element.
    layout: Option<Layout>,
}

impl ViewInner {
    pub(crate) fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }
}

impl Context {
    /// Makes a zeroed buffer of this shape, of one to four dimensions, and the dense view of it: the
    /// last dimension next to each other.
    ///
    /// # Errors
    /// Where a dimension is 0 or the shape is too large to count or to bind.
    pub fn tensor<T: Element>(&self, shape: &[u32]) -> Result<View<T>, BufferError> {
        let layout = Layout::dense(shape)?;
        let buffer = self.buffer::<T>(layout.count() as usize)?;
        Ok(View::new(buffer.allocation, Some(layout)))
    }
}

impl<T: Element> Buffer<T> {
    /// The part of the buffer that a layout means.
    ///
    /// # Errors
    /// Where the layout ends past the buffer.
    pub fn view(&self, layout: &Layout) -> Result<View<T>, ViewError> {
        let end = u64::from(layout.offset()) + u64::from(layout.extent());
        if end > u64::from(self.len) {
            return Err(ViewError::Escapes {
                end,
                elements: u64::from(self.len),
            });
        }
        Ok(View::new(Arc::clone(&self.allocation), Some(*layout)))
    }

    /// The part of the buffer from `origin` on, of `shape` elements; both have one number.
    ///
    /// # Errors
    /// Where the part is empty or not inside the buffer.
    pub fn subview(&self, origin: &[u32], shape: &[u32]) -> Result<View<T>, ViewError> {
        self.whole().subview(origin, shape)
    }

    /// The buffer as 32-bit words, which is how kernels read narrow elements: those of a word follow
    /// one another from its lowest bits. The bytes past the last element are 0, unless a kernel wrote
    /// them.
    ///
    /// # Errors
    /// There is none for elements of 1, 2 or a multiple of 4 bytes.
    pub fn words(&self) -> Result<View<u32>, ViewError> {
        self.words_in(..)
    }

    /// Some of the buffer's elements as 32-bit words. They begin on a word, and end on one or where
    /// the buffer ends.
    ///
    /// # Errors
    /// Where the range is not inside the buffer, or begins or ends inside a word.
    pub fn words_in(&self, range: impl RangeBounds<usize>) -> Result<View<u32>, ViewError> {
        let begin = match range.start_bound() {
            Bound::Included(at) => *at,
            Bound::Excluded(at) => at.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(at) => at.saturating_add(1),
            Bound::Excluded(at) => *at,
            Bound::Unbounded => self.len(),
        };
        if begin > end || end > self.len() {
            return Err(ViewError::Range {
                begin: begin as u64,
                end: end as u64,
                elements: u64::from(self.len),
            });
        }
        let size = size_of::<T>() as u64;
        let bytes = begin as u64 * size..end as u64 * size;
        words(&self.allocation, Bytes::new(bytes, self.allocation.bytes)?)
    }

    /// All of it.
    fn whole(&self) -> View<T> {
        View::new(Arc::clone(&self.allocation), self.layout())
    }
}

/// A view of these bytes of an allocation.
fn words(allocation: &Arc<Allocation>, bytes: Bytes) -> Result<View<u32>, ViewError> {
    // An allocation has no more words than 32 bits count.
    let [begin, count] = [bytes.begin / 4, bytes.padded() / 4].map(|words| words as u32);
    let layout = match count {
        0 => None,
        count => Some(Layout::new(&[count], &[1], begin)?),
    };
    Ok(View::new(Arc::clone(allocation), layout))
}

impl<T: Element> View<T> {
    fn new(allocation: Arc<Allocation>, layout: Option<Layout>) -> Self {
        Self {
            inner: Arc::new(ViewInner {
                allocation,
                element: T::NAME,
                layout,
            }),
            element: PhantomData,
        }
    }

    /// The layout, in elements of the buffer; none where the view has no element.
    pub fn layout(&self) -> Option<&Layout> {
        self.inner.layout.as_ref()
    }

    /// The dimensions, outermost first; a view without elements has one of 0.
    pub fn dimensions(&self) -> &[u32] {
        self.layout().map_or(&[0], Layout::dimensions)
    }

    /// How many elements of the buffer lie between neighbours of each dimension.
    pub fn strides(&self) -> &[u32] {
        self.layout().map_or(&[1], Layout::strides)
    }

    /// How many elements it has: the product of the dimensions.
    pub fn len(&self) -> usize {
        self.layout().map_or(0, |layout| layout.count() as usize)
    }

    /// Whether it has no element, which only views of a buffer's words can be.
    pub fn is_empty(&self) -> bool {
        self.layout().is_none()
    }

    /// What `#` of a span over it is: elements of the buffer from its first to its last.
    pub fn extent(&self) -> usize {
        self.layout().map_or(0, |layout| layout.extent() as usize)
    }

    /// Whether its elements, the last dimension turning fastest, follow one another in the buffer.
    pub fn is_dense(&self) -> bool {
        self.layout().is_none_or(Layout::is_dense)
    }

    /// Whether no two of its indices mean the same element.
    pub fn is_injective(&self) -> bool {
        self.layout().is_none_or(Layout::is_injective)
    }

    /// The context that its buffer was made by.
    pub fn context(&self) -> &Context {
        &self.inner.allocation.context
    }

    /// The part that begins at the index `origin` and has this shape; the strides stay.
    ///
    /// # Errors
    /// Where the part is empty or not inside.
    pub fn subview(&self, origin: &[u32], shape: &[u32]) -> Result<Self, ViewError> {
        self.derive(|layout| layout.subview(origin, shape))
    }

    /// The same elements with the dimensions in another order, axes counted from 0.
    ///
    /// # Errors
    /// Where `axes` does not name each axis once.
    pub fn transpose(&self, axes: &[usize]) -> Result<Self, ViewError> {
        self.derive(|layout| layout.transpose(axes))
    }

    /// Dimensions of 1 repeated to those of `shape`; all others stay.
    ///
    /// # Errors
    /// Where `shape` differs in a dimension that is not 1, or in the number of dimensions.
    pub fn broadcast(&self, shape: &[u32]) -> Result<Self, ViewError> {
        self.derive(|layout| layout.broadcast(shape))
    }

    /// Any shape and strides over the elements of this view, from its element `offset` on.
    ///
    /// # Errors
    /// Where the result ends past this view.
    pub fn as_strided(
        &self,
        shape: &[u32],
        strides: &[u32],
        offset: u32,
    ) -> Result<Self, ViewError> {
        self.derive(|layout| layout.as_strided(shape, strides, offset))
    }

    fn derive(
        &self,
        layout: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
    ) -> Result<Self, ViewError> {
        let layout = layout(self.layout().ok_or(ViewError::Empty)?)?;
        Ok(Self::new(Arc::clone(&self.inner.allocation), Some(layout)))
    }

    /// The view as 32-bit words, as [`Buffer::words`]; it must be dense, begin on a word, and end on
    /// one or where the buffer ends.
    ///
    /// # Errors
    /// Where it does not.
    pub fn words(&self) -> Result<View<u32>, ViewError> {
        words(&self.inner.allocation, self.part().bytes()?)
    }

    /// Ends the view now, unless a clone, a slot or a binding still holds it. Its buffer stays for as
    /// long as something else holds that.
    ///
    /// # Errors
    /// Hands the view back where something holds it.
    pub fn close(self) -> Result<(), StillHeld<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(inner) => {
                drop(inner);
                Ok(())
            }
            Err(inner) => Err(StillHeld::new(
                "view",
                Self {
                    inner,
                    element: PhantomData,
                },
            )),
        }
    }
}

impl<T: Element> Located for View<T> {
    fn part(&self) -> Part {
        Part::new::<T>(Held::View(Arc::clone(&self.inner)), self.inner.layout)
    }
}

impl<T: Element> Stored for View<T> {
    type Element = T;
}

impl<T> Clone for View<T> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            element: PhantomData,
        }
    }
}

impl<T> fmt::Debug for View<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("element", &self.inner.element)
            .field("layout", &self.inner.layout)
            .finish_non_exhaustive()
    }
}
