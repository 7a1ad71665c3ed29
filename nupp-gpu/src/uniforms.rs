//! The ring of uniform blocks.
//!
//! Every dispatch of a batch has its own slot in one uniform buffer, addressed by a dynamic offset,
//! so that binding a kernel makes its bind group once and dispatching allocates nothing. The words
//! are gathered on the host and written in one piece before the batch is submitted; the queue runs
//! that write before the batch and after the one before, so each batch may start from slot 0.

use crate::error::DeviceError;
use crate::fault::Gpu;

/// Bytes of the ring: 1,024 slots of the usual size.
const BYTES: u32 = 256 * 1024;
/// The alignment that every device accepts.
const SLOT: u32 = 256;
/// Slots of the ring, which is the most dispatches of a batch.
pub(crate) const MOST_SLOTS: u32 = BYTES / SLOT;

#[derive(Debug)]
pub(crate) struct Ring {
    buffer: wgpu::Buffer,
    words: Vec<u32>,
    used: u32,
    slot: u32,
}

impl Ring {
    pub(crate) fn new(gpu: &Gpu, alignment: u32) -> Result<Self, DeviceError> {
        let buffer = gpu.buffer(&wgpu::BufferDescriptor {
            label: Some("nupp uniforms"),
            size: u64::from(BYTES),
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })?;
        Ok(Self {
            buffer,
            words: vec![0; BYTES as usize / 4],
            used: 0,
            slot: SLOT.max(alignment),
        })
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Whether a block of so many words still fits.
    pub(crate) fn fits(&self, words: u32) -> bool {
        self.used + (words * 4).next_multiple_of(self.slot) <= BYTES
    }

    /// Takes a slot for a block of `words` words that starts with `head` and goes on with `tail`,
    /// and returns its offset in bytes. The block fits, and is no shorter than both.
    pub(crate) fn push(&mut self, words: u32, head: &[u32], tail: &[u32]) -> u32 {
        let offset = self.used;
        let start = offset as usize / 4;
        let block = &mut self.words[start..start + words as usize];
        let (first, rest) = block.split_at_mut(head.len());
        first.copy_from_slice(head);
        let (second, padding) = rest.split_at_mut(tail.len());
        second.copy_from_slice(tail);
        padding.fill(0);
        self.used += (words * 4).next_multiple_of(self.slot);
        offset
    }

    /// Puts a value into a word of the block at this offset in bytes.
    pub(crate) fn set(&mut self, offset: u32, word: u32, value: u32) {
        self.words[offset as usize / 4 + word as usize] = value;
    }

    /// Hands the gathered blocks to the queue, ahead of the next submission, and starts over.
    pub(crate) fn write(&mut self, queue: &wgpu::Queue) {
        if self.used != 0 {
            let words = &self.words[..self.used as usize / 4];
            queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(words));
            self.used = 0;
        }
    }
}
