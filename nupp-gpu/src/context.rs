//! An open device: what everything else is made from and kept alive by.
//!
//! A context owns the device, the recorder with its open encoder, the waiter and the pipelines
//! compiled so far. Handles made from it hold it, so no order of drops is wrong. Dropping the last
//! one does not wait: work still in flight is left to a thread that outlives it.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use nupp_core::device::turns::Loops;

use crate::arithmetic::Arithmetic;
use crate::check::Desk;
use crate::compile::Cache;
use crate::costs::{self, Costs};
use crate::encoder::{Bounds, Recorder};
use crate::error::{DeviceError, OpenError, ProbeError, SyncError};
use crate::fault::{Gpu, lock};
use crate::held::StillHeld;
use crate::launch::MAX_ROW;
use crate::module::{Form, Forms};
use crate::native::{FloatControls, Native};
use crate::open;
use crate::options::{ContextOptions, DeviceInfo, ModuleForm};
use crate::pipelines::Kept;
use crate::staging::Staging;
use crate::uniforms::Ring;
use crate::wait::Waiter;

/// An open device. Clones are the same context.
#[derive(Clone)]
pub struct Context {
    pub(crate) inner: Arc<ContextInner>,
}

pub(crate) struct ContextInner {
    /// Before the device: what it has recorded refers to it.
    pub(crate) recorder: Mutex<Recorder>,
    pub(crate) staging: Arc<Staging>,
    pub(crate) cache: Mutex<Cache>,
    pub(crate) checks: Desk,
    /// Of each form, in the order of `ModuleForm::ALL`.
    pub(crate) arithmetic: [OnceLock<Result<Arithmetic, ProbeError>>; 3],
    /// Likewise, what becomes of long loops.
    pub(crate) loops: [OnceLock<Result<Loops, ProbeError>>; 3],
    pub(crate) waiter: Waiter,
    pub(crate) uniforms: wgpu::Buffer,
    pub(crate) limits: wgpu::Limits,
    pub(crate) row_limit: u32,
    pub(crate) options: ContextOptions,
    pub(crate) info: DeviceInfo,
    /// Where the device takes native modules.
    pub(crate) native: Option<Native>,
    /// Where the program keeps pipelines between runs.
    pub(crate) kept: Option<Kept>,
    /// How modules may be handed over.
    pub(crate) forms: Forms,
    /// What is written down of all this, if anything is.
    pub(crate) costs: Costs,
    pub(crate) gpu: Gpu,
}

/// A device that a context is made of.
pub(crate) struct Opened {
    pub(crate) gpu: Gpu,
    pub(crate) limits: wgpu::Limits,
    pub(crate) info: DeviceInfo,
}

/// The device of a context. What is said of it in words, [`DeviceInfo`], is in reach by a dot.
#[derive(Clone, Copy)]
pub struct Device<'a> {
    context: &'a Context,
}

impl<'a> Device<'a> {
    /// What the device's arithmetic gives, and what each operation of a kernel rests on for that: in
    /// the form that the options ask for, otherwise in the portable one, or where modules of that cannot
    /// be relied on, in native ones or, where the device takes none, as WGSL. It is probed now, in some tens of milliseconds, if no
    /// float kernel has been compiled yet.
    ///
    /// # Errors
    /// `ProbeError::Inexact` where no route gives the right bits, with the operation and the evidence,
    /// and `ProbeError::Failed` where the device fails. In a browser `ProbeError::MustAwait` before
    /// [`Device::arithmetic_async`] has been awaited.
    pub fn arithmetic(self) -> Result<&'a Arithmetic, ProbeError> {
        self.context.arithmetic()
    }

    /// As [`Device::arithmetic`], where waiting is asynchronous.
    ///
    /// # Errors
    /// As [`Device::arithmetic`].
    pub async fn arithmetic_async(self) -> Result<&'a Arithmetic, ProbeError> {
        self.context.arithmetic_async().await
    }

    /// As [`Device::arithmetic`], for modules of one form, whatever the options ask for.
    ///
    /// # Errors
    /// As [`Device::arithmetic`], and `ProbeError::NoNative` where the device takes no native modules.
    pub fn arithmetic_in(self, form: ModuleForm) -> Result<&'a Arithmetic, ProbeError> {
        self.context.arithmetic_in(form)
    }

    /// The forms in which float kernels may be compiled for this context, the preferred one first.
    pub fn forms(self) -> Vec<ModuleForm> {
        let forms = self.context.inner.forms;
        let all = std::iter::once(forms.first()).chain(forms.second(false));
        all.map(Form::kind).collect()
    }
}

impl Deref for Device<'_> {
    type Target = DeviceInfo;

    fn deref(&self) -> &DeviceInfo {
        &self.context.inner.info
    }
}

impl fmt::Display for Device<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl Context {
    /// Opens the fastest device, or the one that `NUPP_DEVICE` names.
    pub fn open() -> Result<Self, OpenError> {
        open::open(ContextOptions::default())
    }

    /// Opens the device that the options ask for.
    pub fn open_with(options: ContextOptions) -> Result<Self, OpenError> {
        open::open(options)
    }

    /// Opens the device that the options ask for, where waiting is asynchronous.
    pub async fn open_async(options: ContextOptions) -> Result<Self, OpenError> {
        open::open_async(options).await
    }

    pub(crate) fn new(
        opened: Opened,
        options: ContextOptions,
        native: Option<Native>,
        forms: Forms,
        kept: Option<Kept>,
        costs: Costs,
    ) -> Result<Self, DeviceError> {
        let Opened { gpu, limits, info } = opened;
        let ring = Ring::new(&gpu, limits.min_uniform_buffer_offset_alignment)?;
        let row_limit = limits
            .max_compute_workgroups_per_dimension
            .min(options.row_limit.unwrap_or(MAX_ROW))
            .min(MAX_ROW);
        let staging = Arc::<Staging>::default();
        let executions = costs.opened(&gpu, &info);
        let bounds = Bounds {
            row: row_limit,
            submit: options.workgroups.unwrap_or(u32::MAX),
        };
        Ok(Self {
            inner: Arc::new(ContextInner {
                uniforms: ring.buffer().clone(),
                recorder: Mutex::new(Recorder::new(
                    ring,
                    bounds,
                    Arc::clone(&staging),
                    executions,
                )),
                staging,
                cache: Mutex::default(),
                checks: Desk::default(),
                arithmetic: Default::default(),
                loops: Default::default(),
                waiter: Waiter::new(gpu.clone()),
                limits,
                row_limit,
                forms,
                costs,
                options,
                info,
                native,
                kept,
                gpu,
            }),
        })
    }

    /// The device: in words, and its arithmetic.
    pub fn device(&self) -> Device<'_> {
        Device { context: self }
    }

    /// The float modes that the device claims for native modules; none where it takes no such
    /// modules. What a claimed mode does is another question.
    pub fn float_controls(&self) -> Option<FloatControls> {
        self.inner.native.map(Native::claims)
    }

    /// Submits what has been recorded, without waiting for it.
    ///
    /// It is never needed for a right result: waiting and downloading submit by themselves. It
    /// lets the device begin while the host goes on recording.
    pub fn flush(&self) -> Result<(), SyncError> {
        Ok(lock(&self.inner.recorder).flush(&self.inner.gpu)?)
    }

    /// Submits what has been recorded and waits for all of it on this thread.
    pub fn synchronize_blocking(&self) -> Result<(), SyncError> {
        self.synchronize().block(None)
    }

    /// Submits what has been recorded and waits for all of it on this thread, but not longer than
    /// `limit`; what is not done by then goes on.
    pub fn synchronize_within(&self, limit: Duration) -> Result<(), SyncError> {
        self.synchronize().block(Some(limit))
    }

    /// Closes the device now, unless a buffer, kernel, binding or future still holds it.
    pub fn close(self) -> Result<(), StillHeld<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(inner) => {
                drop(inner);
                Ok(())
            }
            Err(inner) => Err(StillHeld::new("context", Self { inner })),
        }
    }

    /// Whether both are the same context.
    pub(crate) fn same(&self, other: &Context) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Whether the thread that serves futures runs.
    #[doc(hidden)]
    pub fn waiter_runs(&self) -> bool {
        self.inner.waiter.running()
    }

    /// How many batches were submitted.
    #[doc(hidden)]
    pub fn submissions(&self) -> u64 {
        lock(&self.inner.recorder).submitted()
    }

    /// How many futures that thread has on its list.
    #[doc(hidden)]
    pub fn futures_listed(&self) -> usize {
        self.inner.waiter.listed()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("device", &self.inner.info)
            .finish_non_exhaustive()
    }
}

impl Drop for ContextInner {
    fn drop(&mut self) {
        let timed = self.costs.start();
        // The queue waits for its work when its last handle goes. If there is any, a thread holds
        // a handle until it is done.
        let in_flight = matches!(self.gpu.poll(Some(Duration::ZERO)), Ok(false));
        if in_flight {
            let gpu = self.gpu.clone();
            let release = std::thread::Builder::new().name("nupp-gpu release".to_owned());
            // Without the thread the drop waits, which is slow and right.
            let _ = release.spawn(move || {
                // A lost device has nothing left to wait for.
                let _ = gpu.poll(None);
            });
        }
        costs::clean_up(self, timed, in_flight);
    }
}
