//! The open encoder of a context: what has been asked of the device and not yet submitted.
//!
//! Dispatches follow one another in one compute pass, but for those that a cost log times, which have
//! one each; copies (uploads, snapshots) end the pass and stand between two of them, so everything
//! happens in the order in which it was asked for. One submission carries the batch. It goes when
//! somebody waits, downloads or flushes, or when the batch reaches a limit; a failure names the
//! kernels of the batch. Where a submit may take only so many workgroups, a dispatch of more is several
//! launches, the last of which stays in the batch.

use std::sync::{Arc, Weak};

use nupp_core::artifact::UniformLayout;

use crate::check::Records;
use crate::costs::{Executions, Ticking};
use crate::error::DeviceError;
use crate::fault::{Gpu, listed};
use crate::launch::{Launch, Section};
use crate::part::Bytes;
use crate::staging::Staging;
use crate::transfer::Snapshot;
use crate::uniforms::Ring;
use crate::wait::Signal;

/// Bytes of uploads after which a batch goes, so that staging memory stays bounded.
const STAGED_LIMIT: u64 = 64 * 1024 * 1024;
/// What the smallest upload counts as, so that the number of staging buffers stays bounded too.
const STAGED_LEAST: u64 = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Recorder {
    /// Before the encoder, which it belongs to.
    pass: Option<wgpu::ComputePass<'static>>,
    /// The pipeline that the pass has set.
    pipeline: Option<wgpu::ComputePipeline>,
    encoder: Option<wgpu::CommandEncoder>,
    ring: Ring,
    bounds: Bounds,
    kernels: Vec<&'static str>,
    /// Workgroups of the batch.
    workgroups: u32,
    /// Launches of the dispatch that was recorded last.
    sections: u32,
    /// Submissions so far.
    submitted: u64,
    staged: u64,
    /// The staging buffers of the batch, and where they go.
    uploads: Vec<wgpu::Buffer>,
    staging: Arc<Staging>,
    recorded: Vec<Arc<Snapshot>>,
    awaiting: Vec<Weak<Snapshot>>,
    /// Where the context has a cost log.
    executions: Option<Box<Executions>>,
    /// What the checks of the open batch are of.
    pub(crate) records: Records,
    /// Batches whose checks the host has not looked at.
    checking: Vec<Arc<Signal>>,
}

/// How many workgroups go at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// In a row, and rows of a launch.
    pub(crate) row: u32,
    /// In a submit.
    pub(crate) submit: u32,
}

/// One dispatch, ready to record.
pub(crate) struct Command<'a> {
    pub(crate) kernel: &'static str,
    pub(crate) pipeline: &'a wgpu::ComputePipeline,
    pub(crate) group: &'a wgpu::BindGroup,
    pub(crate) launch: Launch,
    pub(crate) block: u32,
    pub(crate) head: &'a [u32],
    pub(crate) tail: &'a [u32],
}

impl Recorder {
    pub(crate) fn new(
        ring: Ring,
        bounds: Bounds,
        staging: Arc<Staging>,
        executions: Option<Box<Executions>>,
    ) -> Self {
        Self {
            pass: None,
            pipeline: None,
            encoder: None,
            ring,
            bounds,
            kernels: Vec::new(),
            workgroups: 0,
            sections: 0,
            submitted: 0,
            staged: 0,
            uploads: Vec::new(),
            staging,
            recorded: Vec::new(),
            awaiting: Vec::new(),
            executions,
            records: Records::default(),
            checking: Vec::new(),
        }
    }

    /// The encoder between passes.
    fn encoder(&mut self, gpu: &Gpu) -> Result<&mut wgpu::CommandEncoder, DeviceError> {
        self.pass = None;
        let encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => gpu.scoped(|| {
                gpu.device
                    .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
            })?,
        };
        Ok(self.encoder.insert(encoder))
    }

    /// Sees to it that a pass is open; a new one measures its time where there is a log and `timed` asks
    /// for it.
    fn open_pass(&mut self, gpu: &Gpu, timed: bool) -> Result<(), DeviceError> {
        // Looked at in place: a pass is large, and moving it costs as much as half of the rest.
        if self.pass.is_some() {
            return Ok(());
        }
        self.pipeline = None;
        let executions = self.executions.as_ref().filter(|_| timed);
        let ticking = executions.and_then(|all| all.ticking());
        let descriptor = wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: ticking.as_ref().map(Ticking::writes),
        };
        let encoder = self.encoder(gpu)?;
        let pass = gpu.scoped(|| encoder.begin_compute_pass(&descriptor).forget_lifetime())?;
        self.pass = Some(pass);
        Ok(())
    }

    /// Sees to it that a launch of so many workgroups, with a uniform block of so many words, fits into
    /// the open batch.
    pub(crate) fn make_room(
        &mut self,
        gpu: &Gpu,
        block: u32,
        workgroups: u32,
    ) -> Result<(), DeviceError> {
        let all = self.workgroups.saturating_add(workgroups);
        if self.ring.fits(block) && all <= self.bounds.submit {
            return Ok(());
        }
        self.flush(gpu)
    }

    /// Records a dispatch.
    pub(crate) fn dispatch(&mut self, gpu: &Gpu, command: &Command) -> Result<(), DeviceError> {
        self.record(gpu, command, true)
    }

    /// Records a dispatch of the runtime's own, of which no line of a log tells: where there is one, it
    /// has a pass of its own, so that it does not count as another's time.
    pub(crate) fn dispatch_untold(
        &mut self,
        gpu: &Gpu,
        command: &Command,
    ) -> Result<(), DeviceError> {
        let alone = self.executions.is_some();
        self.end_pass_if(alone);
        self.record(gpu, command, false)?;
        self.end_pass_if(alone);
        Ok(())
    }

    fn end_pass_if(&mut self, ends: bool) {
        if ends {
            self.pass = None;
        }
    }

    fn record(&mut self, gpu: &Gpu, command: &Command, timed: bool) -> Result<(), DeviceError> {
        let Bounds { row, submit } = self.bounds;
        self.sections = 0;
        for section in command.launch.sections(submit, row) {
            self.launch(gpu, command, section, timed)?;
            self.sections += 1;
        }
        Ok(())
    }

    fn launch(
        &mut self,
        gpu: &Gpu,
        command: &Command,
        section: Section,
        timed: bool,
    ) -> Result<(), DeviceError> {
        self.make_room(gpu, command.block, section.workgroups)?;
        self.open_pass(gpu, timed)?;
        let Some(pass) = &mut self.pass else {
            let text = "no compute pass is open".to_owned();
            return Err(DeviceError::Internal { text });
        };
        // A new pass has no pipeline.
        let repeated = self.pipeline.as_ref() == Some(command.pipeline);
        let offset = self.ring.push(command.block, command.head, command.tail);
        self.ring
            .set(offset, UniformLayout::GROUP_BASE, section.base);
        self.ring.set(offset, UniformLayout::WIDTH, section.width);
        self.workgroups = self.workgroups.saturating_add(section.workgroups);
        if !repeated {
            pass.set_pipeline(command.pipeline);
        }
        pass.set_bind_group(0, command.group, &[offset]);
        pass.dispatch_workgroups(section.width, section.rows, 1);
        if !repeated {
            self.pipeline = Some(command.pipeline.clone());
            self.kernels.push(command.kernel);
        }
        Ok(())
    }

    /// Says which line of the log tells of the dispatch that was recorded last.
    pub(crate) fn logged(&mut self, line: u64, kernel: &'static str) {
        if let Some(executions) = &mut self.executions {
            // Its ticks stand at the ends of its pass.
            if executions.ticking().is_some() {
                self.pass = None;
            }
            executions.push(line, kernel, self.sections);
        }
    }

    /// Says in the log that what is recorded will not run.
    pub(crate) fn abandon(&mut self) {
        if let Some(executions) = &mut self.executions {
            executions.abandon();
        }
    }

    /// Records a copy from the beginning of a staging buffer to these bytes of a buffer.
    pub(crate) fn upload(
        &mut self,
        gpu: &Gpu,
        staging: wgpu::Buffer,
        target: &wgpu::Buffer,
        bytes: Bytes,
    ) -> Result<(), DeviceError> {
        self.encoder(gpu)?
            .copy_buffer_to_buffer(&staging, 0, target, bytes.begin, bytes.padded());
        self.staged += staging.size().max(STAGED_LEAST);
        self.uploads.push(staging);
        if self.staged >= STAGED_LIMIT {
            self.flush(gpu)?;
        }
        Ok(())
    }

    /// Records that so many bytes of a buffer become 0.
    pub(crate) fn clear(
        &mut self,
        gpu: &Gpu,
        buffer: &wgpu::Buffer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.encoder(gpu)?.clear_buffer(buffer, 0, Some(bytes));
        Ok(())
    }

    /// Records a copy of the snapshot's part of a buffer as it is at this place in the order.
    pub(crate) fn snapshot(
        &mut self,
        gpu: &Gpu,
        source: &wgpu::Buffer,
        snapshot: &Arc<Snapshot>,
    ) -> Result<(), DeviceError> {
        if let Some(staging) = snapshot.staging() {
            let bytes = snapshot.bytes();
            let encoder = self.encoder(gpu)?;
            encoder.copy_buffer_to_buffer(source, bytes.begin, staging, 0, bytes.padded());
            self.recorded.push(Arc::clone(snapshot));
        }
        Ok(())
    }

    /// Has the next `synchronize` wait for a snapshot.
    pub(crate) fn await_snapshot(&mut self, snapshot: &Arc<Snapshot>) {
        self.awaiting
            .retain(|held| held.upgrade().is_some_and(|held| !held.synchronized()));
        self.awaiting.push(Arc::downgrade(snapshot));
    }

    /// The snapshots that no completed `synchronize` has waited for.
    pub(crate) fn awaiting(&self) -> Vec<Arc<Snapshot>> {
        self.awaiting
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|held| !held.synchronized())
            .collect()
    }

    /// The checks of what was submitted that the host has not looked at.
    pub(crate) fn checking(&mut self) -> Vec<Arc<Signal>> {
        self.checking.retain(|signal| !signal.fired());
        self.checking.clone()
    }

    /// How many batches were submitted.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Submits what has been recorded.
    pub(crate) fn flush(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.faults.check()?;
        let records = self.records.stage(gpu)?;
        let Some(mut encoder) = self.encoder.take() else {
            return Ok(());
        };
        self.staged = 0;
        self.workgroups = 0;
        self.submitted += 1;
        let outcome = gpu
            .scoped(|| {
                self.pass = None;
                let checks = records.map(|staging| self.records.copy(&mut encoder, staging));
                self.ring.write(&gpu.queue);
                if let Some(executions) = &mut self.executions {
                    executions.resolve(gpu, &mut encoder);
                }
                gpu.queue.submit([encoder.finish()]);
                checks
            })
            .map_err(|cause| self.blame(cause));
        let outcome = outcome.map(|checks| {
            self.checking.retain(|signal| !signal.fired());
            let looked_at = checks.map(|checks| checks.look(&gpu.faults));
            self.checking.extend(looked_at);
        });
        self.pipeline = None;
        gpu.faults.submit(&mut self.kernels);
        if let Some(executions) = &mut self.executions {
            executions.submitted(&outcome);
        }
        let uploads = self.uploads.drain(..);
        if outcome.is_ok() {
            self.staging.give_back(uploads);
        }
        for snapshot in self.recorded.drain(..) {
            match &outcome {
                Ok(()) => snapshot.map(),
                Err(error) => snapshot.fail(error.clone()),
            }
        }
        outcome
    }

    /// Names the kernels of the batch that failed.
    fn blame(&self, cause: DeviceError) -> DeviceError {
        let Some(kernels) = listed(&self.kernels) else {
            return cause;
        };
        DeviceError::Batch {
            kernels,
            cause: Box::new(cause),
        }
    }
}
