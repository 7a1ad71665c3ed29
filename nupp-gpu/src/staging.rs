//! Memory that uploads and downloads pass through, kept for those that follow.
//!
//! The staging buffer of an upload is in use until its batch is done. Then it is mapped again, and the next
//! upload of about its size takes it; that of a download is free when the download was read or dropped. So
//! a program that moves data in turns allocates nothing on the device once it has begun. What is large
//! is not kept: filling it costs far more than making it, and it would stay for nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::DeviceError;
use crate::fault::{Gpu, lock};

/// Bytes of the smallest staging buffer.
const LEAST: u64 = 4 * 1024;
/// Bytes of the largest that is kept.
const LARGEST: u64 = 1024 * 1024;
/// Bytes that are kept at most, for uploads and again for downloads.
const MOST: u64 = 32 * 1024 * 1024;

/// The staging buffers of a context that are not in an open batch.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    kept: Mutex<Vec<Kept>>,
    /// Those of downloads, which are not mapped.
    read: Mutex<Vec<wgpu::Buffer>>,
}

#[derive(Debug)]
struct Kept {
    buffer: wgpu::Buffer,
    /// Whether the device is done with it and the host may write it.
    mapped: Arc<AtomicBool>,
}

/// The size of the buffer that so many bytes, whole words of them, pass through.
fn size_for(bytes: u64) -> u64 {
    if bytes > LARGEST {
        bytes
    } else {
        bytes.next_power_of_two().max(LEAST)
    }
}

impl Staging {
    /// A mapped buffer of at least so many bytes.
    pub(crate) fn take(&self, gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, DeviceError> {
        let size = size_for(bytes);
        if let Some(buffer) = self.find(size) {
            return Ok(buffer);
        }
        gpu.buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        })
    }

    fn find(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut kept = lock(&self.kept);
        let fits = |kept: &Kept| kept.buffer.size() == size && kept.mapped.load(Ordering::Acquire);
        let at = kept.iter().position(fits)?;
        Some(kept.swap_remove(at).buffer)
    }

    /// Takes back the buffers of a batch that was just submitted.
    pub(crate) fn give_back(&self, buffers: impl Iterator<Item = wgpu::Buffer>) {
        let mut kept = lock(&self.kept);
        let mut bytes: u64 = kept.iter().map(|kept| kept.buffer.size()).sum();
        for buffer in buffers {
            let size = buffer.size();
            if size > LARGEST || bytes + size > MOST {
                continue;
            }
            bytes += size;
            let mapped = Arc::new(AtomicBool::new(false));
            let done = Arc::clone(&mapped);
            buffer.map_async(wgpu::MapMode::Write, .., move |outcome| {
                done.store(outcome.is_ok(), Ordering::Release);
            });
            kept.push(Kept { buffer, mapped });
        }
    }
}

impl Staging {
    /// A buffer of at least so many bytes, to be copied into and mapped.
    pub(crate) fn take_for_reading(
        &self,
        gpu: &Gpu,
        bytes: u64,
    ) -> Result<wgpu::Buffer, DeviceError> {
        let size = size_for(bytes);
        if let Some(buffer) = self.find_read(size) {
            return Ok(buffer);
        }
        gpu.buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn find_read(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut read = lock(&self.read);
        let at = read.iter().position(|buffer| buffer.size() == size)?;
        Some(read.swap_remove(at))
    }

    /// Takes back a mapped buffer of a download that is over.
    pub(crate) fn give_back_read(&self, buffer: wgpu::Buffer) {
        let mut read = lock(&self.read);
        let bytes: u64 = read.iter().map(wgpu::Buffer::size).sum();
        if buffer.size() > LARGEST || bytes + buffer.size() > MOST {
            return;
        }
        buffer.unmap();
        read.push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failures::{common, spoiled};
    use crate::{Context, SlotMut};

    /// The sizes of what a context keeps, in order.
    fn kept(context: &Context) -> Vec<u64> {
        let kept = lock(&context.inner.staging.kept);
        let mut sizes: Vec<u64> = kept.iter().map(|kept| kept.buffer.size()).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn uploads_in_turns_pass_through_one_buffer() {
        let Some(context) = common::context() else {
            return;
        };
        let buffer = context.buffer::<u32>(700).unwrap();
        for turn in 0..50u32 {
            let words: Vec<u32> = (0..700).map(|n| n * 31 + turn).collect();
            context.upload(&buffer, &words).unwrap();
            assert_eq!(context.download_blocking(&buffer).unwrap(), words);
        }
        assert_eq!(kept(&context), [LEAST]);
        assert_eq!(lock(&context.inner.staging.read).len(), 1);
        // One that is dropped before the device has written it is not for anyone else.
        drop(spoiled(&context));
        assert!(lock(&context.inner.staging.read).is_empty());
        // Two at once take two.
        let (first, second) = (context.download(&buffer), context.download(&buffer));
        context.synchronize_blocking().unwrap();
        drop((first, second));
        assert_eq!(lock(&context.inner.staging.read).len(), 2);
    }

    #[test]
    fn a_buffer_is_not_taken_before_its_batch_is_done() {
        let Some(context) = common::context() else {
            return;
        };
        let kernel = context.compile_raw(common::bump()).unwrap();
        let buffers: Vec<_> = (0..40)
            .map(|n: usize| context.buffer::<u32>(1 + n * 40).unwrap())
            .collect();
        for turn in 0..5u32 {
            for (n, buffer) in (0..).zip(&buffers) {
                let words = vec![turn * 1000 + n; buffer.len()];
                context.upload(buffer, &words).unwrap();
                let slots = vec![SlotMut::from(buffer).into()];
                kernel.bind(slots).unwrap().dispatch(&[7]).unwrap();
                // Some batches are submitted and not waited for.
                if n % 9 == 4 {
                    context.flush().unwrap();
                }
            }
            for (n, buffer) in (0..).zip(&buffers) {
                let words = vec![turn * 1000 + n + 7; buffer.len()];
                assert_eq!(context.download_blocking(buffer).unwrap(), words);
            }
        }
        assert!(kept(&context).len() <= buffers.len());
    }

    #[test]
    fn what_is_large_is_not_kept_and_neither_is_too_much() {
        let Some(context) = common::context() else {
            return;
        };
        let large = context.buffer::<u32>(LARGEST as usize / 4 + 1).unwrap();
        let words = vec![3; large.len()];
        context.upload(&large, &words).unwrap();
        assert_eq!(context.download_blocking(&large).unwrap(), words);
        assert!(kept(&context).is_empty());
        let most = context.buffer::<u32>(LARGEST as usize / 4).unwrap();
        let words = vec![4; most.len()];
        for _ in 0..40 {
            context.upload(&most, &words).unwrap();
        }
        assert_eq!(context.download_blocking(&most).unwrap(), words);
        assert_eq!(kept(&context), [LARGEST; (MOST / LARGEST) as usize]);
    }

    #[test]
    fn sizes_are_few() {
        let sizes = [
            4,
            LEAST,
            LEAST + 4,
            100_000,
            LARGEST - 4,
            LARGEST,
            LARGEST + 4,
        ];
        let expected = [
            LEAST,
            LEAST,
            2 * LEAST,
            131_072,
            LARGEST,
            LARGEST,
            LARGEST + 4,
        ];
        assert_eq!(sizes.map(size_for), expected);
    }
}
