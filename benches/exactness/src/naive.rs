//! A shader run by wgpu alone.

use std::error::Error;
use std::time::{Duration, Instant};
use wgpu::util::DeviceExt as _;

/// A device without a runtime around it.
pub struct Naive {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// A shader with its buffers.
pub struct Bound {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    output: wgpu::Buffer,
    workgroups: [u32; 2],
}

impl Naive {
    /// The adapter of this name.
    pub fn open(adapter: &str) -> Result<Naive, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let found = adapters
            .into_iter()
            .find(|found| found.get_info().name == adapter);
        let adapter = found.ok_or("the adapter is gone")?;
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        Ok(Naive { device, queue })
    }

    /// A shader over an output of so many floats, inputs and uniforms; groups in rows that the
    /// device takes.
    pub fn bind(
        &self,
        shader: &str,
        len: usize,
        inputs: &[&[f32]],
        uniforms: &[u32],
        groups: u32,
    ) -> Bound {
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        };
        // What a user gets who trusts the shader: no checks, and no loop bounds.
        let checks = wgpu::ShaderRuntimeChecks::unchecked();
        // SAFETY: the shaders above stay within buffers of the lengths that are bound here, and
        // all their loops end.
        let module = unsafe { self.device.create_shader_module_trusted(descriptor, checks) };
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
        let output = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * len as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let made = |contents: &[u8], usage| {
            self.device
                .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: None,
                    contents,
                    usage,
                })
        };
        let mut buffers = vec![output.clone()];
        for input in inputs {
            buffers.push(made(
                bytemuck::cast_slice(input),
                wgpu::BufferUsages::STORAGE,
            ));
        }
        if !uniforms.is_empty() {
            buffers.push(made(
                bytemuck::cast_slice(uniforms),
                wgpu::BufferUsages::UNIFORM,
            ));
        }
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        // As few rows as the limit allows, all as long: none of mostly idle groups.
        let row = groups.div_ceil(groups.div_ceil(65_535));
        Bound {
            pipeline,
            group,
            output,
            workgroups: [row, groups.div_ceil(row)],
        }
    }

    /// The time of so many dispatches.
    pub fn time(&self, bound: &Bound, times: u32) -> Result<Duration, Box<dyn Error>> {
        let started = Instant::now();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for _ in 0..times {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&bound.pipeline);
            pass.set_bind_group(0, &bound.group, &[]);
            let [x, y] = bound.workgroups;
            pass.dispatch_workgroups(x, y, 1);
        }
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(started.elapsed())
    }

    /// What the last dispatch gave.
    pub fn result(&self, bound: &Bound) -> Result<Vec<f32>, Box<dyn Error>> {
        let size = bound.output.size();
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&bound.output, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| ());
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let mapped = staging.get_mapped_range(..)?;
        Ok(bytemuck::pod_collect_to_vec(&mapped))
    }
}
