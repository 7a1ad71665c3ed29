//! What the host reads of the claims: five words a dispatch, copied with their batch.
//!
//! The device writes the records of a batch one after the other and begins anew with the next, which
//! comes after the copy. The host knows by its place in the batch whom a record speaks of.

use std::sync::Arc;

use nupp_core::device::claims::{Meeting, RECORD, left_early};
use nupp_core::scatter::ScatterError;

use crate::error::DeviceError;
use crate::fault::{Faults, Gpu};
use crate::wait::{Callback, Signal};

/// Whom the words of a record speak of.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) kernel: &'static str,
    /// The spans whose scatters are checked, and their lengths.
    pub(super) spans: Vec<(&'static str, u32)>,
    /// Lanes a group, in a workgroup kernel.
    pub(super) lanes: Option<u32>,
}

impl Checked {
    /// What a record says, if anything.
    fn error(&self, record: [u32; RECORD as usize]) -> Option<DeviceError> {
        // Lanes may have met because of it.
        if left_early(record) {
            return Some(DeviceError::Loop {
                kernel: self.kernel,
            });
        }
        Meeting::of(record).map(|meeting| self.met(meeting))
    }

    fn met(&self, meeting: Meeting) -> DeviceError {
        let mut slot = meeting.slot;
        let mut named = "";
        for &(span, length) in &self.spans {
            named = span;
            if slot < length {
                break;
            }
            slot -= length;
        }
        DeviceError::Scatter {
            kernel: self.kernel,
            cause: ScatterError {
                span: named,
                slot,
                first: meeting.first,
                second: meeting.second,
                lanes: self.lanes,
            },
        }
    }
}

/// The records of the open batch.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// Where each dispatch's are written, and of whom; the place is its position.
    list: Vec<(wgpu::Buffer, Arc<Checked>)>,
}

impl Records {
    /// The place of the next one.
    pub(crate) fn next(&self) -> u32 {
        // Bounded by the slots of the ring.
        self.list.len() as u32
    }

    /// Says that the next one is written in this buffer.
    pub(super) fn push(&mut self, buffer: &wgpu::Buffer, checked: &Arc<Checked>) {
        self.list.push((buffer.clone(), Arc::clone(checked)));
    }

    /// Host memory for them, where there are any.
    pub(crate) fn stage(&self, gpu: &Gpu) -> Result<Option<wgpu::Buffer>, DeviceError> {
        if self.list.is_empty() {
            return Ok(None);
        }
        let staging = gpu.buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(self.next()) * BYTES,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })?;
        Ok(Some(staging))
    }

    /// Copies them behind their batch, which then begins anew.
    pub(crate) fn copy(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        staging: wgpu::Buffer,
    ) -> Staged {
        let list = std::mem::take(&mut self.list);
        let mut begin = 0;
        // Most often all are in one buffer.
        for run in list.chunk_by(|one, other| one.0 == other.0) {
            let size = run.len() as u64 * BYTES;
            encoder.copy_buffer_to_buffer(&run[0].0, begin, &staging, begin, size);
            begin += size;
        }
        Staged {
            staging,
            of: list.into_iter().map(|(_, checked)| checked).collect(),
            read: Arc::default(),
        }
    }
}

/// Bytes of a record.
const BYTES: u64 = RECORD as u64 * 4;

/// The records of a batch on their way to the host.
#[derive(Debug)]
pub(crate) struct Staged {
    staging: wgpu::Buffer,
    of: Vec<Arc<Checked>>,
    read: Arc<Signal>,
}

impl Staged {
    /// Has them looked at once the batch, just submitted, is done. Lanes that met are stored, and the
    /// signal is fired with them: who waits hears of it, whoever else did.
    pub(crate) fn look(self, faults: &Arc<Faults>) -> Arc<Signal> {
        let Staged { staging, of, read } = self;
        let unread = DeviceError::Internal {
            text: "what the check of a dispatch found was not read".to_owned(),
        };
        let done = Callback::or(Arc::clone(&read), Err(unread));
        let (mapped, faults) = (staging.clone(), Arc::clone(faults));
        staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
            let found = outcome
                .map_err(|error| error.to_string())
                .and_then(|()| first(&mapped, &of));
            done.fire(match found {
                Ok(None) => Ok(()),
                Ok(Some(cause)) => {
                    faults.store(cause.clone());
                    Err(DeviceError::Earlier {
                        cause: Box::new(cause),
                    })
                }
                Err(text) => Err(DeviceError::Internal { text }),
            });
        });
        read
    }
}

/// The first error of a batch.
fn first(mapped: &wgpu::Buffer, of: &[Arc<Checked>]) -> Result<Option<DeviceError>, String> {
    let view = mapped
        .get_mapped_range(..)
        .map_err(|error| error.to_string())?;
    let mut words = vec![0_u32; of.len() * RECORD as usize];
    bytemuck::cast_slice_mut(&mut words).copy_from_slice(&view);
    let (records, _) = words.as_chunks();
    let met = (records.iter().zip(of)).find_map(|(record, checked)| checked.error(*record));
    Ok(met)
}
