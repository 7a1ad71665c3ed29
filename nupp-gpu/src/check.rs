//! The check that the elements a kernel scatters to are distinct, and that its loops run to their ends.
//!
//! Unless the context trusts its author, a kernel that scatters is compiled so that its lanes claim the
//! elements (`nupp_core::device::claims`), and where the driver leaves loops early they claim that too
//! (`turns`). Each dispatch clears the claims, runs, and has a kernel of
//! one workgroup gather what they say into a record. The records of a batch are copied with it for the
//! host, which looks at them when the batch is done: what they say is an error that no operation was
//! waiting for, stored like others, and whoever waits for the device waits for the records too.
//!
//! Dispatches follow one another, so the bindings of a context share the memory of the claims.

use std::sync::{Arc, Mutex, Weak};

use nupp_core::artifact::{KernelKind, KernelSpec, UniformLayout};
use nupp_core::device::claims::{Claims, RECORD};

use crate::compile::{Compiled, bind_group};
use crate::context::{Context, ContextInner};
use crate::encoder::{Command, Recorder};
use crate::error::{BindError, CompileError, DeviceError};
use crate::fault::{Gpu, lock};
use crate::kernel::RawKernel;
use crate::launch::{Launch, count};
use crate::options::ContextOptions;
use crate::uniforms;

mod reader;
mod records;

use records::Checked;
pub(crate) use records::Records;

/// The reader's launch.
const ONE_GROUP: Launch = Launch {
    count: RECORD,
    workgroups: 1,
    width: 1,
    rows: 1,
};

/// Whether the scatters of a kernel are checked on a context with these options.
pub(crate) fn wanted(spec: &KernelSpec, options: &ContextOptions) -> bool {
    !options.trusts_scatter && spec.bindings.iter().any(|binding| binding.scatter)
}

/// Bytes of a dispatch's claims, where the device binds so many and 32 bits count their words.
fn bytes(kernel: &'static str, claims: Claims, limits: &wgpu::Limits) -> Result<u64, BindError> {
    let offered = (limits.max_storage_buffer_binding_size)
        .min(limits.max_buffer_size)
        .min(u64::from(u32::MAX) * 4);
    let needed = claims.words() * 4;
    if needed > offered {
        return Err(BindError::ScatterCheck {
            kernel,
            needed,
            offered,
        });
    }
    Ok(needed)
}

/// What the bindings of a context share.
///
/// Held by the bindings, so that its memory goes with the last of them.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    shared: Mutex<Weak<Shared>>,
}

/// Memory of the claims and records, and how the claims are read.
#[derive(Debug)]
struct Shared {
    claims: wgpu::Buffer,
    records: wgpu::Buffer,
    read: wgpu::BindGroup,
}

/// How the dispatches of a binding are checked.
pub(crate) struct Check {
    shared: Arc<Shared>,
    reader: Arc<Compiled>,
    /// Bytes of the claims.
    bytes: u64,
    slots: u32,
    /// The words of the reader's uniform block ahead of its own; where its record begins is filled in.
    head: Vec<u32>,
    checked: Arc<Checked>,
}

impl Context {
    /// The kernel that reads what dispatches of this one claim, where they are checked.
    pub(crate) fn reader_of(
        &self,
        compiled: &Compiled,
    ) -> Result<Option<Arc<Compiled>>, CompileError> {
        if !compiled.checks.any() {
            return Ok(None);
        }
        let reader = self.compile_raw(reader::spec()?)?;
        Ok(Some(Arc::clone(&reader.inner.compiled)))
    }
}

impl Shared {
    /// That of the context, or a new one where it has none of so many bytes.
    fn of(inner: &ContextInner, reader: &Compiled, bytes: u64) -> Result<Arc<Self>, DeviceError> {
        let mut desk = lock(&inner.checks.shared);
        if let Some(shared) = desk.upgrade()
            && shared.claims.size() >= bytes
        {
            return Ok(shared);
        }
        let gpu = &inner.gpu;
        let buffer = |size, usage| wgpu::BufferDescriptor {
            label: Some(reader::NAME),
            size,
            usage: usage | wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        };
        let claims = buffer(bytes, wgpu::BufferUsages::COPY_DST);
        // A record takes a slot of the ring.
        let records = buffer(
            u64::from(uniforms::MOST_SLOTS * RECORD) * 4,
            wgpu::BufferUsages::COPY_SRC,
        );
        let (claims, records) = (gpu.buffer(&claims)?, gpu.buffer(&records)?);
        let read = bind_group(
            inner,
            reader::NAME,
            reader,
            [&records, &claims].into_iter(),
            reader::LAYOUT,
        )?;
        let shared = Arc::new(Shared {
            claims,
            records,
            read,
        });
        *desk = Arc::downgrade(&shared);
        Ok(shared)
    }
}

impl Check {
    /// That of a binding with spans of these lengths, where its kernel is checked.
    pub(crate) fn of(kernel: &RawKernel, lengths: &[u32]) -> Result<Option<Self>, BindError> {
        let Some(reader) = &kernel.inner.reader else {
            return Ok(None);
        };
        let spec = kernel.spec();
        let scatter = kernel.checks_scatter();
        let spans: Vec<(&'static str, u32)> = (spec.bindings.iter().zip(lengths))
            .filter(|(binding, _)| scatter && binding.scatter)
            .map(|(binding, length)| (binding.name, *length))
            .collect();
        let lanes = match spec.kind {
            KernelKind::Map { .. } => None,
            KernelKind::Groups { size, .. } => Some(size),
        };
        let claims = Claims {
            slots: spans.iter().map(|(_, length)| u64::from(*length)).sum(),
            lanes: match scatter {
                true => u64::from(count(spec.kind, lengths)) * u64::from(lanes.unwrap_or(1)),
                false => 0,
            },
        };
        let inner = &*kernel.context().inner;
        let bytes = bytes(spec.name, claims, &inner.limits)?;
        let failed = |cause| BindError::Device {
            kernel: spec.name,
            cause,
        };
        let shared = Shared::of(inner, reader, bytes).map_err(failed)?;
        let words = reader::LAYOUT;
        let mut head = vec![0; words.uniform(0) as usize];
        head[UniformLayout::COUNT as usize] = RECORD;
        head[words.length(0) as usize] = RECORD;
        // Bounded above, like the slots, by what 32 bits count.
        head[words.length(1) as usize] = claims.words() as u32;
        Ok(Some(Check {
            shared,
            reader: Arc::clone(reader),
            bytes,
            slots: claims.slots as u32,
            head,
            checked: Arc::new(Checked {
                kernel: kernel.spec().name,
                spans,
                lanes,
            }),
        }))
    }

    /// The buffer that the kernel claims in.
    pub(crate) fn claims(&self) -> &wgpu::Buffer {
        &self.shared.claims
    }

    /// Records what comes before a dispatch: nothing is claimed.
    pub(crate) fn begin(&self, recorder: &mut Recorder, gpu: &Gpu) -> Result<(), DeviceError> {
        recorder.clear(gpu, &self.shared.claims, self.bytes)
    }

    /// Records what comes after it.
    pub(crate) fn end(&self, recorder: &mut Recorder, gpu: &Gpu) -> Result<(), DeviceError> {
        // Before its record gets a number, which is one of the open batch.
        recorder.make_room(gpu, reader::LAYOUT.words(), 1)?;
        let mut head = self.head.clone();
        head[reader::LAYOUT.offset(0) as usize] = recorder.records.next() * RECORD;
        recorder.dispatch_untold(
            gpu,
            &Command {
                kernel: self.checked.kernel,
                pipeline: &self.reader.pipeline,
                group: &self.shared.read,
                launch: ONE_GROUP,
                block: reader::LAYOUT.words(),
                head: &head,
                tail: &[self.slots],
            },
        )?;
        recorder.records.push(&self.shared.records, &self.checked);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_that_cannot_be_bound_are_refused() {
        let of = |slots, lanes, bound, size| {
            let limits = wgpu::Limits {
                max_storage_buffer_binding_size: bound,
                max_buffer_size: size,
                ..wgpu::Limits::default()
            };
            bytes("pack", Claims { slots, lanes }, &limits)
        };
        let refused = |needed, offered| {
            Err(BindError::ScatterCheck {
                kernel: "pack",
                needed,
                offered,
            })
        };
        assert_eq!(of(4, 4, 40, 44), Ok(40));
        assert_eq!(of(5, 4, 40, 44), refused(44, 40));
        assert_eq!(of(5, 5, 50, 44), refused(48, 44));
        // The last of 2^32 lanes would be nobody.
        let words = u64::from(u32::MAX);
        assert_eq!(of(10, words - 12, u64::MAX, u64::MAX), Ok(4 * words));
        assert_eq!(
            of(0, words + 1, u64::MAX, u64::MAX),
            refused(4 * (words + 3), 4 * words)
        );
    }
}
