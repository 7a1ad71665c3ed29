//! Finding an adapter and opening it.
//!
//! All adapters of the wanted backends are listed and ranked, so that a request by name can be
//! served and a refusal can say what is there. The device is opened with the adapter's own limits
//! and those of its optional features that the runtime can use; nothing is asked of its arithmetic
//! here. A process has one instance of the graphics interfaces, made when it is first needed, and
//! opens devices in turn: four threads that each made an instance and gave it back were once seen
//! to hang on an NVIDIA driver, and nothing is lost by not doing it.
//!
//! OpenGL, where it is built in, is the last resort: it is looked at where it is asked for, or nothing else
//! serves, since making an instance opens a display. Each list has an instance of its own there: devices of
//! one instance have one context of OpenGL, and wgpu panics where two threads use it.

use std::cmp::Reverse;
use std::sync::{Mutex, OnceLock};

use crate::context::{Context, Opened};
use crate::costs::{COSTS_VARIABLE, Costs};
use crate::error::OpenError;
use crate::fault::{Gpu, lock, ready};
use crate::module::Forms;
use crate::native::Native;
use crate::options::{ContextOptions, DEVICE_VARIABLE, DeviceInfo};
use crate::pipelines::Kept;

/// Features that are used where the adapter has them.
const OPTIONAL: wgpu::Features = wgpu::Features::SUBGROUP
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::PIPELINE_CACHE);

/// Whether there is a device to open. Never fails.
pub fn available() -> bool {
    !adapters().is_empty()
}

/// The adapters that are there, the preferred one first. Where listing them is asynchronous, none.
pub fn adapters() -> Vec<DeviceInfo> {
    let _turn = lock(&TURN);
    ready(list(wgpu::Backends::all()))
        .unwrap_or_default()
        .iter()
        .filter_map(|adapter| DeviceInfo::of(&adapter.get_info()))
        .collect()
}

/// Held while adapters are listed and opened on a thread that may wait: one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Opens on the calling thread.
pub(crate) fn open(options: ContextOptions) -> Result<Context, OpenError> {
    let _turn = lock(&TURN);
    ready(find(options)).unwrap_or(Err(OpenError::MustAwait))
}

/// Opens where waiting is asynchronous, which it is in browsers only.
pub(crate) async fn open_async(options: ContextOptions) -> Result<Context, OpenError> {
    if cfg!(target_arch = "wasm32") {
        find(options).await
    } else {
        open(options)
    }
}

async fn find(options: ContextOptions) -> Result<Context, OpenError> {
    let variable = std::env::var(DEVICE_VARIABLE).ok();
    let options = options.complete(variable.as_deref())?;
    let costs = Costs::open(options.costs.as_deref(), std::env::var_os(COSTS_VARIABLE));
    let Some((adapter, info)) = adapter(&options).await else {
        return Err(no_device(&options).await);
    };
    let adapter = &adapter;
    let native = Native::of(adapter);
    let forms = Forms::of(&options, native).map_err(|reason| OpenError::NoNative {
        adapter: info.to_string(),
        reason,
    })?;
    let mut features = adapter.features() & OPTIONAL;
    features.set(wgpu::Features::PASSTHROUGH_SHADERS, native.is_ok());
    let limits = adapter.limits();
    let gpu = request(adapter, &info, features, &limits).await?;
    let folder = options.pipelines.as_deref();
    let kept = folder.and_then(|folder| Kept::open(folder, &gpu, &adapter.get_info(), &info));
    let opened = Opened { gpu, limits, info };
    let native = native.ok();
    Ok(Context::new(opened, options, native, forms, kept, costs)?)
}

/// The adapter that the options ask for. OpenGL is not so much as looked at before all else was in vain.
async fn adapter(options: &ContextOptions) -> Option<(wgpu::Adapter, DeviceInfo)> {
    let part = options.adapter.as_deref();
    match options.backend {
        Some(backend) => choose(list(backend.mask()).await, part),
        None => match choose(list(OTHERS).await, part) {
            None => choose(list(wgpu::Backends::GL).await, part),
            found => found,
        },
    }
}

/// Opens an adapter, with these features and limits of its own.
pub(crate) async fn request(
    adapter: &wgpu::Adapter,
    info: &DeviceInfo,
    features: wgpu::Features,
    limits: &wgpu::Limits,
) -> Result<Gpu, OpenError> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("nupp"),
        required_features: features,
        required_limits: limits.clone(),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) =
        adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| OpenError::Refused {
                adapter: info.to_string(),
                reason: error.to_string(),
            })?;
    Ok(Gpu::new(device, queue))
}

/// All but OpenGL.
const OTHERS: wgpu::Backends = wgpu::Backends::all().difference(wgpu::Backends::GL);

/// Adapters of these backends, the preferred one first.
pub(crate) async fn list(backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    static OTHER: OnceLock<Option<wgpu::Instance>> = OnceLock::new();
    let mut adapters = Vec::new();
    let others = backends & OTHERS;
    if !others.is_empty()
        && let Some(instance) = OTHER.get_or_init(|| instance(OTHERS))
    {
        adapters.extend(instance.enumerate_adapters(others).await);
    }
    let gl = backends & wgpu::Backends::GL;
    if !gl.is_empty()
        && let Some(instance) = instance(gl)
    {
        adapters.extend(instance.enumerate_adapters(gl).await);
    }
    adapters.retain(can_compute);
    // Stable: among equals the driver's order counts.
    adapters.sort_by_key(|adapter| Reverse(rank(&adapter.get_info())));
    adapters
}

/// An instance for these backends; none where none of them is built in, since making one would panic.
fn instance(backends: wgpu::Backends) -> Option<wgpu::Instance> {
    if !wgpu::Instance::enabled_backend_features().intersects(backends) {
        return None;
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    // Validation layers are for whoever debugs the runtime. Software drivers may lack
    // Vulkan's certificate and are wanted all the same: arithmetic is judged by the
    // profile, not by it.
    descriptor.flags = wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    Some(wgpu::Instance::new(descriptor))
}

fn can_compute(adapter: &wgpu::Adapter) -> bool {
    adapter
        .get_downlevel_capabilities()
        .flags
        .contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
}

/// OpenGL last. Of the others fast kinds first; among adapters of a kind, the interfaces that carry
/// modules unchanged.
fn rank(info: &wgpu::AdapterInfo) -> (bool, u8, u8) {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 4,
        wgpu::DeviceType::IntegratedGpu => 3,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 1,
        wgpu::DeviceType::Cpu => 0,
    };
    let backend = match info.backend {
        wgpu::Backend::Vulkan => 3,
        wgpu::Backend::Metal | wgpu::Backend::Dx12 => 2,
        wgpu::Backend::BrowserWebGpu => 1,
        wgpu::Backend::Gl | wgpu::Backend::Noop => 0,
    };
    (info.backend != wgpu::Backend::Gl, kind, backend)
}

fn choose(adapters: Vec<wgpu::Adapter>, part: Option<&str>) -> Option<(wgpu::Adapter, DeviceInfo)> {
    let part = part.map(str::to_lowercase);
    adapters.into_iter().find_map(|adapter| {
        let info = DeviceInfo::of(&adapter.get_info())?;
        let fits = part
            .as_ref()
            .is_none_or(|part| info.adapter.to_lowercase().contains(part));
        fits.then_some((adapter, info))
    })
}

/// The refusal, with the adapters of every backend.
async fn no_device(options: &ContextOptions) -> OpenError {
    OpenError::NoDevice {
        wanted: options.wanted(),
        seen: list(wgpu::Backends::all())
            .await
            .iter()
            .filter_map(|adapter| DeviceInfo::of(&adapter.get_info()))
            .map(|info| info.to_string())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn opengl_comes_after_everything() {
        let rank = |kind, backend| rank(&wgpu::AdapterInfo::new(kind, backend));
        let gl = rank(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Gl);
        let vulkan = rank(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan);
        assert!(vulkan > gl);
    }
}
