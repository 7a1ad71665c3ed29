//! What is found out of a device by running a kernel on it, once.
//!
//! A probe is an ordinary kernel, compiled for a profile, bound, dispatched and downloaded like any
//! other. What it finds is kept by the context, and for the process's other contexts of the same adapter,
//! driver and form where the driver says what it is; on no disk.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, OnceLock};

use nupp_core::artifact::KernelSpec;
use nupp_core::device::profile::Profile;

use crate::bind::{Slot, SlotMut};
use crate::context::Context;
use crate::error::ProbeError;
use crate::fault::{lock, ready};
use crate::module::{Form, Module};
use crate::options::Identity;

/// How to wait for the device.
#[derive(Clone, Copy)]
pub(crate) enum Wait {
    /// On this thread.
    Here,
    /// By giving the thread back.
    Asynchronously,
}

/// What contexts of this process have found, by device and form: drivers of one name differ from
/// process to process and not within one.
pub(crate) struct Known<T>(Mutex<Option<HashMap<(Identity, Form), T>>>);

impl<T> Known<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }
}

/// What is in the cell, or else what is found, which then is.
pub(crate) async fn once<T>(
    cell: &OnceLock<Result<T, ProbeError>>,
    wait: Wait,
    find: impl Future<Output = Result<T, ProbeError>>,
) -> Result<&T, ProbeError> {
    let known = match wait {
        Wait::Here => cell.get_or_init(|| ready(find).unwrap_or(Err(ProbeError::MustAwait))),
        Wait::Asynchronously => {
            if cell.get().is_none() {
                let found = find.await;
                // Another task may have been first; both have found the same.
                let _ = cell.set(found);
            }
            cell.get_or_init(|| Err(ProbeError::MustAwait))
        }
    };
    known.as_ref().map_err(Clone::clone)
}

/// A run of a kernel of a probe.
pub(crate) struct Run<'a> {
    pub(crate) spec: &'static KernelSpec,
    pub(crate) profile: &'a Profile,
    pub(crate) form: Form,
    pub(crate) wait: Wait,
    /// Words of the first span, which is written.
    pub(crate) results: usize,
    /// The words of the others.
    pub(crate) inputs: &'a [&'a [u32]],
    pub(crate) uniforms: &'a [u32],
}

impl Context {
    /// Probes, unless another context of the process has done so.
    pub(crate) async fn found_once<T: Clone>(
        &self,
        known: &Known<T>,
        form: Form,
        probe: impl Future<Output = Result<T, ProbeError>>,
    ) -> Result<T, ProbeError> {
        let Some(key) = self.inner.info.identity().map(|device| (device, form)) else {
            return probe.await;
        };
        if let Some(known) = lock(&known.0).as_ref().and_then(|known| known.get(&key)) {
            return Ok(known.clone());
        }
        let found = probe.await?;
        let mut known = lock(&known.0);
        let known = known.get_or_insert_default();
        Ok(known.entry(key).or_insert(found).clone())
    }

    /// What a kernel of a probe gives.
    pub(crate) async fn run_probing(&self, run: Run<'_>) -> Result<Vec<u32>, ProbeError> {
        let failed = |step: &'static str| {
            move |error: &dyn std::error::Error| ProbeError::Failed {
                step,
                reason: error.to_string(),
            }
        };
        let module = Module::emit(run.spec, run.profile, run.form)
            .map_err(|error| failed("emitting it")(&error))?;
        let kernel = self
            .compile_module(run.spec, module)
            .map_err(|error| failed("compiling it")(&error))?;
        let of = failed("making its buffers");
        let results = self
            .buffer::<u32>(run.results)
            .map_err(|error| of(&error))?;
        let mut slots = vec![SlotMut::from(&results).into()];
        for words in run.inputs {
            let buffer = self
                .buffer::<u32>(words.len())
                .map_err(|error| of(&error))?;
            self.upload(&buffer, words).map_err(|error| of(&error))?;
            slots.push(Slot::from(&buffer).into());
        }
        let binding = kernel
            .bind(slots)
            .map_err(|error| failed("binding its buffers")(&error))?;
        binding
            .dispatch(run.uniforms)
            .map_err(|error| failed("dispatching it")(&error))?;
        match run.wait {
            Wait::Here => self.download_blocking(&results),
            Wait::Asynchronously => self.download(&results).await,
        }
        .map_err(|error| failed("reading its results")(&error))
    }
}
