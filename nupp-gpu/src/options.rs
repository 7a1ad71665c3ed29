//! What a context may be asked for, and what it says of the device it found.
//!
//! The environment variable `NUPP_DEVICE=<backend>[:part of the adapter's name]` chooses a device
//! where the program left the choice open; what the program asked for wins.

use std::fmt;
use std::path::PathBuf;

use nupp_core::device::profile::Profile;

use crate::error::OpenError;
use crate::native::FloatControls;

/// The variable that chooses a device.
pub(crate) const DEVICE_VARIABLE: &str = "NUPP_DEVICE";

/// A graphics interface through which a device is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL.
    Gl,
    /// The browser's WebGPU.
    WebGpu,
}

impl Backend {
    const ALL: [Backend; 5] = [
        Backend::Vulkan,
        Backend::Metal,
        Backend::Dx12,
        Backend::Gl,
        Backend::WebGpu,
    ];

    /// Its name in `NUPP_DEVICE` and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Vulkan => "vulkan",
            Backend::Metal => "metal",
            Backend::Dx12 => "dx12",
            Backend::Gl => "gl",
            Backend::WebGpu => "webgpu",
        }
    }

    pub(crate) fn mask(self) -> wgpu::Backends {
        match self {
            Backend::Vulkan => wgpu::Backends::VULKAN,
            Backend::Metal => wgpu::Backends::METAL,
            Backend::Dx12 => wgpu::Backends::DX12,
            Backend::Gl => wgpu::Backends::GL,
            Backend::WebGpu => wgpu::Backends::BROWSER_WEBGPU,
        }
    }

    pub(crate) fn of(backend: wgpu::Backend) -> Option<Self> {
        match backend {
            wgpu::Backend::Noop => None,
            wgpu::Backend::Vulkan => Some(Backend::Vulkan),
            wgpu::Backend::Metal => Some(Backend::Metal),
            wgpu::Backend::Dx12 => Some(Backend::Dx12),
            wgpu::Backend::Gl => Some(Backend::Gl),
            wgpu::Backend::BrowserWebGpu => Some(Backend::WebGpu),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// In which language modules are handed to the driver's compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleForm {
    /// SPIR-V that is translated for the device, the portable form: the embedded module where its
    /// profile is the one that is wanted.
    Spirv,
    /// WGSL, emitted when a kernel is compiled.
    Wgsl,
    /// SPIR-V, emitted when a kernel is compiled, that the driver gets as it is: nothing translates
    /// it, so that what it says of float arithmetic arrives. Vulkan 1.1 only.
    Native,
}

impl ModuleForm {
    /// All of them.
    pub const ALL: &'static [ModuleForm] =
        &[ModuleForm::Spirv, ModuleForm::Wgsl, ModuleForm::Native];
}

/// What to open, and how.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    pub(crate) backend: Option<Backend>,
    pub(crate) adapter: Option<String>,
    pub(crate) strict: bool,
    pub(crate) profile: Option<Profile>,
    pub(crate) form: Option<ModuleForm>,
    pub(crate) modes: Option<FloatControls>,
    pub(crate) row_limit: Option<u32>,
    pub(crate) pipelines: Option<PathBuf>,
    pub(crate) costs: Option<PathBuf>,
    pub(crate) trusts_scatter: bool,
    pub(crate) workgroups: Option<u32>,
}

impl ContextOptions {
    /// Whatever device is fastest, batched submission, embedded modules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes only adapters of this backend.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// Takes only adapters whose name contains this text, in either case of letters.
    #[must_use]
    pub fn adapter(mut self, part: impl Into<String>) -> Self {
        self.adapter = Some(part.into());
        self
    }

    /// Submits every dispatch alone, so that an error of the device names one kernel. Slow.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Emits modules for this profile, whatever the device; without one, for the profile that a probe
    /// of the device's arithmetic chooses. A profile that trusts the device with more than it gets
    /// right gives other bits: this is for tests and measurements.
    #[must_use]
    pub fn profile(mut self, profile: Option<Profile>) -> Self {
        self.profile = profile;
        self
    }

    /// Asks for one form for all modules; without one, each float kernel gets the form that costs it
    /// least, and all other kernels run as they are embedded.
    #[must_use]
    pub fn form(mut self, form: impl Into<Option<ModuleForm>>) -> Self {
        self.form = form.into();
        self
    }

    /// Declares in native modules at most these float modes; without it, all that the device claims.
    #[must_use]
    pub fn float_controls(mut self, modes: FloatControls) -> Self {
        self.modes = Some(modes);
        self
    }

    /// Lets the driver find in this folder the pipelines that an earlier run of a program compiled, where
    /// [`Context::save_pipelines`](crate::Context::save_pipelines) wrote them. It saves the time of compiling and changes no bit.
    /// Whoever may write into the folder is trusted with what the driver runs.
    #[must_use]
    pub fn pipeline_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.pipelines = Some(folder.into());
        self
    }

    /// Writes down what the context's work costs, in this file: one JSON object a line, whose fields
    /// `docs/costs.md` describes. Without it, the variable `NUPP_GPU_COSTS` may name a file.
    ///
    /// The first context of a process that names a file empties it, later ones add to it. Recording adds
    /// overhead and changes no result, and none of its failures fails anything:
    /// [`Context::costs_failure`](crate::Context::costs_failure) tells them.
    #[must_use]
    pub fn costs(mut self, path: impl Into<PathBuf>) -> Self {
        self.costs = Some(path.into());
        self
    }

    /// Believes the authors of kernels that what they scatter to is distinct. Without it every dispatch
    /// of a kernel that scatters is checked, and lanes that meet are a [`crate::DeviceError::Scatter`]
    /// at the next call that waits for the device, at the latest. With it the check costs nothing, and a
    /// kernel whose lanes meet leaves whatever the device makes of that.
    #[must_use]
    pub fn trust_asserted_scatter(mut self) -> Self {
        self.trusts_scatter = true;
        self
    }

    /// Submits at most this many workgroups at once, of a batch and of one dispatch, which is then
    /// split into ranges of its workgroups; without it a dispatch is one launch, and a batch as long as
    /// it gets. For drivers that kill whatever keeps their device busy for longer than a watchdog
    /// allows. A workgroup is 256 lanes of a map, or one group. The bits are the same, and a workgroup
    /// that takes too long alone cannot be helped. 0 counts as 1.
    #[must_use]
    pub fn workgroups_per_submit(mut self, most: impl Into<Option<u32>>) -> Self {
        self.workgroups = most.into().map(|most| most.max(1));
        self
    }

    /// Lowers the number of workgroups in a row, and of rows, below what the device offers: with
    /// it the folding of large dispatches is tested on small ones.
    #[doc(hidden)]
    #[must_use]
    pub fn workgroup_row_limit(mut self, limit: u32) -> Self {
        self.row_limit = Some(limit.max(1));
        self
    }

    /// Fills in what the program left open from the text of `NUPP_DEVICE`.
    pub(crate) fn complete(mut self, variable: Option<&str>) -> Result<Self, OpenError> {
        let Some(text) = variable.filter(|text| !text.is_empty()) else {
            return Ok(self);
        };
        if self.backend.is_some() || self.adapter.is_some() {
            return Ok(self);
        }
        let (backend, part) = match text.split_once(':') {
            Some((backend, part)) => (backend, Some(part)),
            None => (text, None),
        };
        let known = Backend::ALL
            .into_iter()
            .find(|known| known.name().eq_ignore_ascii_case(backend));
        self.backend = Some(known.ok_or_else(|| OpenError::Selector {
            text: text.to_owned(),
        })?);
        self.adapter = part.filter(|part| !part.is_empty()).map(str::to_owned);
        Ok(self)
    }

    /// The request in words.
    pub(crate) fn wanted(&self) -> String {
        match (self.backend, &self.adapter) {
            (None, None) => "any".to_owned(),
            (Some(backend), None) => backend.to_string(),
            (None, Some(part)) => format!("any backend, name with `{part}`"),
            (Some(backend), Some(part)) => format!("{backend}, name with `{part}`"),
        }
    }
}

/// A device in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The backend.
    pub backend: Backend,
    /// The adapter's name.
    pub adapter: String,
    /// The driver's name and version, as far as it tells them.
    pub driver: String,
    /// Whether it is a processor that plays the part of a GPU.
    pub software: bool,
}

/// What tells a device and its driver from others of the process.
pub(crate) type Identity = DeviceInfo;

impl DeviceInfo {
    /// Itself, where the driver says what it is: browsers and some drivers say nothing.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let told = !self.adapter.is_empty() && !self.driver.is_empty();
        told.then(|| self.clone())
    }

    pub(crate) fn of(info: &wgpu::AdapterInfo) -> Option<Self> {
        let driver = [info.driver.as_str(), info.driver_info.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        Some(Self {
            backend: Backend::of(info.backend)?,
            adapter: info.name.clone(),
            driver,
            software: info.device_type == wgpu::DeviceType::Cpu,
        })
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} through {}", self.adapter, self.backend)?;
        if self.driver.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", self.driver)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_fills_only_an_open_choice() {
        let read = |text| ContextOptions::new().complete(Some(text));
        let both = read("Vulkan:llvm").expect("a backend and a name");
        assert_eq!(both.backend, Some(Backend::Vulkan));
        assert_eq!(both.adapter.as_deref(), Some("llvm"));
        let bare = read("dx12").expect("a backend alone");
        assert_eq!((bare.backend, bare.adapter), (Some(Backend::Dx12), None));
        assert!(matches!(read("cuda:0"), Err(OpenError::Selector { text }) if text == "cuda:0"));
        let asked = ContextOptions::new()
            .adapter("swift")
            .complete(Some("nonsense"))
            .expect("the program's choice wins");
        assert_eq!(asked.adapter.as_deref(), Some("swift"));
        assert_eq!(asked.backend, None);
    }
}
