//! Typed buffers on the device.
//!
//! A buffer is zeroed when it is made, has a fixed length, and is refused before anything is
//! allocated if a kernel could not count or the device could not bind it. Narrow elements are packed, and
//! what is left of their last word is there too. Length 0 is a buffer like any other; since nothing can
//! be bound with no bytes, one word stands behind it that no kernel reads.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use nupp_layout::Layout;

use crate::context::Context;
use crate::costs::Tag;
use crate::element::Element;
use crate::error::BufferError;
use crate::held::StillHeld;
use crate::part::sealed::Located;
use crate::part::{Held, Part, Stored};
use crate::transfer::Snapshot;

/// A buffer of `T` on a device. Clones are the same buffer.
pub struct Buffer<T> {
    pub(crate) allocation: Arc<Allocation>,
    pub(crate) len: u32,
    element: PhantomData<fn() -> T>,
}

/// What stands behind buffers, views and slots, whatever the element type.
pub(crate) struct Allocation {
    pub(crate) raw: wgpu::Buffer,
    /// Bytes of the elements; what is left of the last word comes on top.
    pub(crate) bytes: u64,
    pub(crate) element: &'static str,
    /// The queued download that was not read yet.
    pub(crate) pending: Mutex<Option<Arc<Snapshot>>>,
    pub(crate) tag: Tag,
    pub(crate) context: Context,
}

impl Context {
    /// Makes a zeroed buffer of `len` elements.
    pub fn buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>, BufferError> {
        let size = size_of::<T>() as u64;
        let elements = len as u64;
        // Neither elements nor words may be more than 32 bits count.
        let most = u64::from(u32::MAX);
        let limit = most.min(most * 4 / size.max(1));
        if elements > limit {
            return Err(BufferError::TooLong { elements, limit });
        }
        let bytes = elements * size;
        let whole = bytes.next_multiple_of(4);
        let limits = &self.inner.limits;
        let limit = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        if whole > limit {
            return Err(BufferError::TooLarge {
                bytes: whole,
                limit,
            });
        }
        let gpu = &self.inner.gpu;
        gpu.faults.check()?;
        let timed = self.inner.costs.start();
        let raw = gpu.buffer(&wgpu::BufferDescriptor {
            label: None,
            size: whole.max(4),
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })?;
        let tag = timed.map(|timed| timed.buffer(T::NAME, elements, bytes, raw.size()));
        Ok(Buffer {
            allocation: Arc::new(Allocation {
                raw,
                bytes,
                element: T::NAME,
                pending: Mutex::new(None),
                tag: tag.unwrap_or_default(),
                context: self.clone(),
            }),
            // Checked above against a limit of 32 bits.
            len: elements as u32,
            element: PhantomData,
        })
    }
}

impl<T: Element> Buffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its elements in a row; none where there is none.
    pub(crate) fn layout(&self) -> Option<Layout> {
        // One dimension of a length that 32 bits count, and not 0, is always a layout.
        Layout::dense(&[self.len]).ok()
    }

    /// The context that it was made by.
    pub fn context(&self) -> &Context {
        &self.allocation.context
    }

    /// Gives its memory back now, unless a clone, a slot or a binding still holds it.
    ///
    /// Work in flight keeps the memory for as long as it needs it.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let context = nupp_gpu::Context::open()?;
    /// let buffer = context.buffer::<f32>(8)?;
    /// buffer.close()?;
    /// context.close()?;
    /// # Ok(()) }
    /// ```
    ///
    /// A closed buffer cannot be used any more: that does not compile.
    pub fn close(self) -> Result<(), StillHeld<Self>> {
        match Arc::try_unwrap(self.allocation) {
            Ok(allocation) => {
                drop(allocation);
                Ok(())
            }
            Err(allocation) => Err(StillHeld::new(
                "buffer",
                Self {
                    allocation,
                    len: self.len,
                    element: PhantomData,
                },
            )),
        }
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self {
            allocation: Arc::clone(&self.allocation),
            len: self.len,
            element: PhantomData,
        }
    }
}

impl<T: Element> Located for Buffer<T> {
    fn part(&self) -> Part {
        Part::new::<T>(Held::Buffer(Arc::clone(&self.allocation)), self.layout())
    }
}

impl<T: Element> Stored for Buffer<T> {
    type Element = T;
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("element", &self.allocation.element)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(timed) = self.context.inner.costs.start() {
            timed.release(self);
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocation")
            .field("element", &self.element)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
