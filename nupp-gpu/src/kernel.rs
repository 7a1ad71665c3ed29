//! A kernel compiled for a context, before anything is bound to it.

use std::fmt;
use std::sync::Arc;

use nupp_core::artifact::KernelSpec;
use nupp_core::device::profile::Route;

use crate::choice::FormReason;
use crate::compile::Compiled;
use crate::context::Context;
use crate::fault::lock;
use crate::held::StillHeld;
use crate::native::FloatControls;
use crate::options::ModuleForm;

/// A compiled kernel whose slots are told apart by position only; the macro generates a typed one
/// on top of it. Clones are the same kernel.
#[derive(Clone)]
pub struct RawKernel {
    pub(crate) inner: Arc<KernelInner>,
}

pub(crate) struct KernelInner {
    pub(crate) spec: &'static KernelSpec,
    pub(crate) compiled: Arc<Compiled>,
    /// The kernel that reads what dispatches of this one claim, where they are checked.
    pub(crate) reader: Option<Arc<Compiled>>,
    pub(crate) context: Context,
}

impl RawKernel {
    pub(crate) fn new(
        context: Context,
        spec: &'static KernelSpec,
        compiled: Arc<Compiled>,
        reader: Option<Arc<Compiled>>,
    ) -> Self {
        Self {
            inner: Arc::new(KernelInner {
                spec,
                compiled,
                reader,
                context,
            }),
        }
    }

    /// The facts embedded for the kernel.
    pub fn spec(&self) -> &'static KernelSpec {
        self.inner.spec
    }

    /// The context that it was compiled for.
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// SHA-256 of the module that runs, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.inner.compiled.digest
    }

    /// The form in which the module reached the driver.
    pub fn form(&self) -> ModuleForm {
        self.inner.compiled.form.kind()
    }

    /// The float modes that the module declares, which only native ones do.
    pub fn float_controls(&self) -> FloatControls {
        self.inner.compiled.form.modes()
    }

    /// The profile that the module was emitted for.
    pub fn profile(&self) -> &'static str {
        self.inner.compiled.profile
    }

    /// Why the module has its form.
    pub fn form_reason(&self) -> &FormReason {
        &self.inner.compiled.reason
    }

    /// What the float operations that the kernel asks for rest on; nothing where it computes with
    /// no floats. All others are integer code.
    pub fn routes(&self) -> &[(&'static str, Route)] {
        &self.inner.compiled.routes
    }

    /// The operations that the module carries in software, by name.
    pub fn software_operations(&self) -> &[&'static str] {
        &self.inner.compiled.software
    }

    /// Whether each dispatch checks that no two lanes scatter to one element: where the kernel scatters,
    /// unless the context trusts its author.
    pub fn checks_scatter(&self) -> bool {
        self.inner.compiled.checks.scatter
    }

    /// Whether each dispatch checks that the driver runs the kernel's loops to their ends: where they may
    /// take many turns and the driver was found to leave such loops early.
    pub fn checks_loops(&self) -> bool {
        self.inner.compiled.checks.loops
    }

    /// Hardware lanes of a workgroup of the module that runs.
    pub fn hardware_width(&self) -> u32 {
        self.inner.compiled.workgroup
    }

    /// Elements of a map, or groups, that one workgroup covers.
    pub fn covers(&self) -> u32 {
        self.inner.compiled.covers
    }

    /// Gives the pipeline back now, unless a clone or a binding still holds the kernel.
    pub fn close(self) -> Result<(), StillHeld<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(KernelInner {
                compiled, context, ..
            }) => {
                let (form, digest) = (compiled.form, compiled.digest.clone());
                drop(compiled);
                lock(&context.inner.cache).release(form, &digest);
                Ok(())
            }
            Err(inner) => Err(StillHeld::new("kernel", Self { inner })),
        }
    }
}

impl fmt::Debug for RawKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawKernel")
            .field("name", &self.inner.spec.name)
            .field("digest", &self.inner.compiled.digest)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failures::common;

    #[test]
    fn closing_the_last_of_a_kernel_gives_its_pipeline_back() {
        let Some(context) = common::context() else {
            return;
        };
        let kernel = context.compile_raw(common::bump()).unwrap();
        let pipeline = Arc::downgrade(&kernel.inner.compiled);
        let twin = kernel.clone();
        let kernel = kernel.close().unwrap_err().into_inner();
        drop(twin);
        assert!(pipeline.upgrade().is_some());
        kernel.close().unwrap();
        assert!(pipeline.upgrade().is_none());
    }
}
