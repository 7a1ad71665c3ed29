//! Turning a kernel's module into a pipeline of this device.
//!
//! What the module needs is compared with what the device offers before the driver sees it. The
//! pipeline has an explicit layout (spans in order, then the uniform block with a dynamic offset),
//! so that one bind group serves every dispatch of a binding. Pipelines are kept for the life of
//! the context, found again by the kernel's address or by the digest of its module.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use nupp_core::artifact::{ENTRY_POINT, KernelSpec, UniformLayout};
use nupp_core::device::claims::Checks;
use nupp_core::device::profile::Route;

use crate::choice::FormReason;
use crate::context::{Context, ContextInner};
use crate::costs::Tag;
use crate::error::{CompileError, DeviceError, ProbeError};
use crate::fault::{Gpu, lock, ready};
use crate::kernel::RawKernel;
use crate::module::{Form, Module, Text};
use crate::pipelines::Kept;
use crate::probing::Wait;

/// A compiled module.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) groups: wgpu::BindGroupLayout,
    pub(crate) digest: String,
    pub(crate) form: Form,
    pub(crate) profile: &'static str,
    pub(crate) software: Vec<&'static str>,
    pub(crate) workgroup: u32,
    pub(crate) covers: u32,
    /// What its dispatches are checked for.
    pub(crate) checks: Checks,
    pub(crate) reason: FormReason,
    pub(crate) routes: Vec<(&'static str, Route)>,
    pub(crate) tag: Tag,
}

impl Compiled {
    /// Whether it was made of this module. The same words give another pipeline where they reach the
    /// driver as they are.
    fn is(&self, form: Form, digest: &str) -> bool {
        self.form.kind() == form.kind() && self.digest == digest
    }
}

/// The pipelines of a context, by the address of the kernel's constant, which is never given back.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: HashMap<usize, Arc<Compiled>>,
}

impl Cache {
    fn by_address(&self, spec: &'static KernelSpec) -> Option<Arc<Compiled>> {
        self.known.get(&address(spec)).cloned()
    }

    /// One constant can have several addresses, and several kernels can have one module.
    fn by_digest(&self, form: Form, digest: &str) -> Option<Arc<Compiled>> {
        self.known
            .values()
            .find(|compiled| compiled.is(form, digest))
            .cloned()
    }

    /// Forgets a pipeline that nothing else holds.
    pub(crate) fn release(&mut self, form: Form, digest: &str) {
        let held = self.known.values().filter(|held| held.is(form, digest));
        let entries = held.clone().count();
        // Everything beyond the entries is a kernel that lives.
        if held.clone().all(|held| Arc::strong_count(held) == entries) {
            self.known.retain(|_, held| !held.is(form, digest));
        }
    }
}

fn address(spec: &'static KernelSpec) -> usize {
    std::ptr::from_ref(spec).addr()
}

/// Uniform words of a kernel's block.
pub(crate) fn layout(spec: &KernelSpec) -> UniformLayout {
    UniformLayout {
        spans: spec.bindings.len() as u32,
        uniforms: spec.uniforms.len() as u32,
    }
}

impl Context {
    /// Compiles a kernel for this device.
    pub fn compile_raw(&self, spec: &'static KernelSpec) -> Result<RawKernel, CompileError> {
        let inner = &*self.inner;
        inner
            .gpu
            .faults
            .check()
            .map_err(|cause| CompileError::Device {
                kernel: spec.name,
                cause,
            })?;
        let known = lock(&inner.cache).by_address(spec);
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let planned = ready(self.plan(spec, Wait::Here));
                let planned = planned.unwrap_or(Err(CompileError::Arithmetic {
                    kernel: spec.name,
                    cause: ProbeError::MustAwait,
                }));
                let (choice, checks) = planned?;
                let compiled = self.compiled(spec, Module::of(spec, choice, checks)?)?;
                let kept = Arc::clone(&compiled);
                lock(&inner.cache).known.insert(address(spec), kept);
                compiled
            }
        };
        let reader = self.reader_of(&compiled)?;
        Ok(RawKernel::new(self.clone(), spec, compiled, reader))
    }

    /// Compiles a module of a kernel, or finds it compiled.
    pub(crate) fn compile_module(
        &self,
        spec: &'static KernelSpec,
        module: Module,
    ) -> Result<RawKernel, CompileError> {
        let compiled = self.compiled(spec, module)?;
        Ok(RawKernel::new(self.clone(), spec, compiled, None))
    }

    fn compiled(
        &self,
        spec: &'static KernelSpec,
        module: Module,
    ) -> Result<Arc<Compiled>, CompileError> {
        let inner = &*self.inner;
        let digest = module.digest();
        let known = lock(&inner.cache).by_digest(module.form, &digest);
        if let Some(compiled) = known {
            return Ok(compiled);
        }
        compare(spec, &module, &inner.limits)?;
        let timed = inner.costs.start();
        let kept = inner.kept.as_ref().map(Kept::cache);
        let built = build(&inner.gpu, spec, module, digest, kept);
        let mut compiled = built.map_err(|cause| CompileError::Device {
            kernel: spec.name,
            cause,
        })?;
        if let Some(timed) = timed {
            timed.pipeline(spec, &mut compiled);
        }
        Ok(Arc::new(compiled))
    }

    /// Compiles a kernel for this device, where waiting is asynchronous.
    pub async fn compile_raw_async(
        &self,
        spec: &'static KernelSpec,
    ) -> Result<RawKernel, CompileError> {
        // What is found out on the way is kept, so that there is nothing left to wait for.
        self.plan(spec, Wait::Asynchronously).await?;
        self.compile_raw(spec)
    }
}

/// Fails where the device offers less than the module needs.
pub(crate) fn compare(
    spec: &'static KernelSpec,
    module: &Module,
    limits: &wgpu::Limits,
) -> Result<(), CompileError> {
    let buffers = spec.bindings.len() as u64 + u64::from(module.checks.any());
    let block = u64::from(layout(spec).words()) * 4;
    let lanes = limits
        .max_compute_invocations_per_workgroup
        .min(limits.max_compute_workgroup_size_x);
    let needs: [(&'static str, u64, u64); 5] = [
        (
            "lanes in a workgroup",
            u64::from(module.workgroup),
            u64::from(lanes),
        ),
        (
            "bytes of workgroup memory",
            module.scratch,
            u64::from(limits.max_compute_workgroup_storage_size),
        ),
        (
            "storage buffers",
            buffers,
            u64::from(limits.max_storage_buffers_per_shader_stage),
        ),
        (
            "bindings in a group",
            buffers + 1,
            u64::from(limits.max_bindings_per_bind_group),
        ),
        (
            "bytes of uniforms",
            block,
            limits.max_uniform_buffer_binding_size,
        ),
    ];
    match needs
        .into_iter()
        .find(|(_, needed, offered)| needed > offered)
    {
        None => Ok(()),
        Some((what, needed, offered)) => Err(CompileError::Limit {
            kernel: spec.name,
            what,
            needed,
            offered,
        }),
    }
}

/// Makes the pipeline of a module; whatever goes wrong comes back.
pub(crate) fn build(
    gpu: &Gpu,
    spec: &'static KernelSpec,
    module: Module,
    digest: String,
    kept: Option<&wgpu::PipelineCache>,
) -> Result<Compiled, DeviceError> {
    let entries = entries(spec, module.checks.any());
    let (groups, pipeline) = gpu.scoped(|| {
        let groups = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(spec.name),
                entries: &entries,
            });
        let shader = shader(gpu, spec, module.text, module.workgroup, module.ends);
        let pipeline = create(gpu, spec, &shader, &groups, kept);
        (groups, pipeline)
    })?;
    Ok(Compiled {
        pipeline,
        groups,
        digest,
        form: module.form,
        profile: module.profile,
        software: module.software,
        workgroup: module.workgroup,
        covers: module.covers,
        checks: module.checks,
        reason: module.reason,
        routes: module.routes,
        tag: Tag::default(),
    })
}

fn shader(
    gpu: &Gpu,
    spec: &'static KernelSpec,
    text: Text,
    workgroup: u32,
    ends: bool,
) -> wgpu::ShaderModule {
    let source = match text {
        Text::Spirv(words) => wgpu::ShaderSource::SpirV(words.into()),
        Text::Wgsl(text) => wgpu::ShaderSource::Wgsl(text.into()),
        Text::Native(words) => return native(gpu, spec, &words, workgroup),
    };
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(spec.name),
        source,
    };
    // SAFETY: unchecked access and division need every index in bounds and every divisor checked.
    // The compiler proves each index before it emits a module, from facts that `bind` holds the
    // buffers to, and emits its own checks around division. Loops that are not known to end keep their bound.
    unsafe {
        let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
        checks.force_loop_bounding = !ends;
        gpu.device.create_shader_module_trusted(descriptor, checks)
    }
}

/// A module that the driver gets as it is.
fn native(
    gpu: &Gpu,
    spec: &'static KernelSpec,
    words: &[u32],
    workgroup: u32,
) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(spec.name),
        entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
            name: ENTRY_POINT.into(),
            workgroup_size: (workgroup, 1, 1),
        }]),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: the words are printed here from a verified module, never taken from outside. All that
    // was said of trusted modules holds of them; their loops end, or are bounded in the words. They
    // are SPIR-V 1.3 with the capability Shader, whose bindings are numbered densely in set 0 as the
    // layout numbers them, and with the float modes that the device claims: `native` has seen to
    // both, and `compare` to the sizes.
    unsafe { gpu.device.create_shader_module_passthrough(descriptor) }
}

fn create(
    gpu: &Gpu,
    spec: &'static KernelSpec,
    module: &wgpu::ShaderModule,
    groups: &wgpu::BindGroupLayout,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let layout = gpu
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(spec.name),
            bind_group_layouts: &[Some(groups)],
            immediate_size: 0,
        });
    gpu.device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(spec.name),
            layout: Some(&layout),
            module,
            entry_point: Some(ENTRY_POINT),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[],
                // Scratch is written before it is read; `verify` has seen to it.
                zero_initialize_workgroup_memory: false,
            },
            cache,
        })
}

/// The spans in order, what a checked module claims, then the uniform block.
fn entries(spec: &KernelSpec, claims: bool) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding: usize, ty, has_dynamic_offset, size: u64| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: NonZeroU64::new(size),
        },
        count: None,
    };
    let block = u64::from(layout(spec).words()) * 4;
    let spans = spec.bindings.iter().map(|binding| !binding.write);
    let mut entries: Vec<_> = spans
        .chain(claims.then_some(false))
        .enumerate()
        .map(|(position, read_only)| {
            let ty = wgpu::BufferBindingType::Storage { read_only };
            entry(position, ty, false, 4)
        })
        .collect();
    let uniforms = wgpu::BufferBindingType::Uniform;
    entries.push(entry(entries.len(), uniforms, true, block));
    entries
}

/// Binds buffers to a compiled module in their order, and the ring of uniform blocks.
pub(crate) fn bind_group<'a>(
    inner: &'a ContextInner,
    label: &str,
    compiled: &Compiled,
    buffers: impl Iterator<Item = &'a wgpu::Buffer>,
    layout: UniformLayout,
) -> Result<wgpu::BindGroup, DeviceError> {
    let uniforms = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer: &inner.uniforms,
        offset: 0,
        size: NonZeroU64::new(u64::from(layout.words()) * 4),
    });
    let entries: Vec<wgpu::BindGroupEntry> = buffers
        .map(wgpu::Buffer::as_entire_binding)
        .chain(std::iter::once(uniforms))
        .enumerate()
        .map(|(position, resource)| wgpu::BindGroupEntry {
            binding: position as u32,
            resource,
        })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor {
        label: Some(label),
        layout: &compiled.groups,
        entries: &entries,
    };
    (inner.gpu).scoped(|| inner.gpu.device.create_bind_group(&descriptor))
}
