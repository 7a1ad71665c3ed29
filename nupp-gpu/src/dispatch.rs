//! Dispatching a binding: one command in the context's open encoder.
//!
//! Everything else was decided when the buffers were bound, so this checks the uniforms, takes a
//! slot of the ring and records.

use crate::bind::RawBinding;
use crate::encoder::Command;
use crate::error::{DeviceError, DispatchError};
use crate::fault::lock;

impl RawBinding {
    /// Records one run of the kernel, with these words as its authored uniforms.
    ///
    /// It returns before the device has done anything; see [`crate::Context::synchronize`].
    pub fn dispatch(&self, uniforms: &[u32]) -> Result<(), DispatchError> {
        let binding = &*self.inner;
        let spec = binding.kernel.spec();
        let kernel = spec.name;
        if uniforms.len() != spec.uniforms.len() {
            return Err(DispatchError::Uniforms {
                kernel,
                needed: spec.uniforms.len(),
                given: uniforms.len(),
            });
        }
        let launch = binding.launch.map_err(|refused| DispatchError::TooLarge {
            kernel,
            needed: refused.needed,
            offered: refused.offered,
        })?;
        let failed = |cause: DeviceError| DispatchError::Device { kernel, cause };
        let inner = &*binding.kernel.context().inner;
        inner.gpu.faults.check().map_err(failed)?;
        let timed = inner.costs.start();
        if launch.width == 0 {
            if let Some(timed) = timed {
                timed.idle(binding, launch, uniforms);
            }
            return Ok(());
        }
        let command = Command {
            kernel,
            pipeline: &binding.kernel.inner.compiled.pipeline,
            group: &binding.group,
            launch,
            block: binding.block,
            head: &binding.head,
            tail: uniforms,
        };
        let mut recorder = lock(&inner.recorder);
        if let Some(check) = &binding.check {
            check.begin(&mut recorder, &inner.gpu).map_err(failed)?;
        }
        recorder.dispatch(&inner.gpu, &command).map_err(failed)?;
        if let Some(timed) = timed {
            recorder.logged(timed.dispatch(binding, launch, uniforms), kernel);
        }
        if let Some(check) = &binding.check {
            check.end(&mut recorder, &inner.gpu).map_err(failed)?;
        }
        if inner.options.strict {
            recorder.flush(&inner.gpu).map_err(failed)?;
        }
        Ok(())
    }
}
