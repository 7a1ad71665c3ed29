//! What a dispatch costs the host, against wgpu recording the same dispatches in one pass.
//!
//! Both sides run the same module over the same number of elements, in batches of a thousand, on
//! the same device in turns. The figure is the best of the batches, since whatever else the host
//! does only adds to it: recording, and submitting once; the median is for comparing builds. What
//! the device does in between is waited for outside the clock. Prints the ratio, which is to stay at
//! or below 1.1, what opening a context costs beside opening the device raw, and what the probe of its
//! arithmetic takes: under 200 milliseconds the first time, under 5 once the process knows the device.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use nupp_gpu::{Context, SlotMut};

const DISPATCHES: u32 = 1000;
const BATCHES: usize = 101;
const OPENINGS: usize = 7;
const ELEMENTS: usize = 64;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    // The first of each pays for loading the driver.
    let mut context = Context::open()?;
    let probing = probe(&context)?;
    let mut device = open_raw(context.device().adapter.as_str())?;
    let mut opening = Vec::new();
    let mut raw_opening = Vec::new();
    for _ in 0..OPENINGS {
        let start = Instant::now();
        context = Context::open()?;
        opening.push(start.elapsed());
        let start = Instant::now();
        device = open_raw(context.device().adapter.as_str())?;
        raw_opening.push(start.elapsed());
    }
    let probed = probe(&context)?;
    let raw = Raw::new(device);

    let kernel = context.compile_raw(common::bump())?;
    let buffer = context.buffer::<u32>(ELEMENTS)?;
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()])?;
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..BATCHES {
        let start = Instant::now();
        for step in 0..DISPATCHES {
            binding.dispatch(&[step])?;
        }
        context.flush()?;
        ours.push(start.elapsed());
        context.synchronize_blocking()?;
        theirs.push(raw.batch()?);
    }
    let sum = (0..DISPATCHES).sum::<u32>().wrapping_mul(BATCHES as u32);
    assert_eq!(context.download_blocking(&buffer)?, vec![sum; ELEMENTS]);
    let medians = [&ours, &theirs].map(|times| median(times) / DISPATCHES);
    let [ours, theirs, opening, raw_opening] = [ours, theirs, opening, raw_opening].map(least);
    println!("{}", context.device());
    println!(
        "dispatch: {:?}, raw {:?}, ratio {:.3}",
        ours / DISPATCHES,
        theirs / DISPATCHES,
        ours.as_secs_f64() / theirs.as_secs_f64()
    );
    println!("medians: {:?}, raw {:?}", medians[0], medians[1]);
    println!(
        "open: {opening:?}, raw {raw_opening:?}, ratio {:.3}",
        opening.as_secs_f64() / raw_opening.as_secs_f64()
    );
    println!("probe: first of the process {probing:?}, of another context {probed:?}");
    Ok(())
}

/// What the verdict on a context's arithmetic takes.
fn probe(context: &Context) -> Outcome<Duration> {
    let start = Instant::now();
    context.device().arithmetic()?;
    Ok(start.elapsed())
}

fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The rival: wgpu alone, with the uniforms of a batch written in one piece.
struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    uniforms: wgpu::Buffer,
    words: Vec<u32>,
}

fn open_raw(name: &str) -> Outcome<(wgpu::Device, wgpu::Queue)> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
        .into_iter()
        .find(|adapter| adapter.get_info().name == name)
        .ok_or("the device is gone")?;
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    };
    Ok(pollster::block_on(adapter.request_device(&descriptor))?)
}

impl Raw {
    fn new((device, queue): (wgpu::Device, wgpu::Queue)) -> Self {
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(DISPATCHES) * 256,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let values = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: ELEMENTS as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let (pipeline, group) = pipeline(&device, &values, &uniforms);
        Self {
            device,
            queue,
            pipeline,
            group,
            uniforms,
            words: vec![0; DISPATCHES as usize * 64],
        }
    }

    fn batch(&self) -> Outcome<Duration> {
        let mut words = self.words.clone();
        let start = Instant::now();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            for step in 0..DISPATCHES {
                let at = step as usize * 64;
                // Count, zeros, width, length and offset of the span, the authored word.
                words[at..at + 8].copy_from_slice(&[64, 0, 0, 0, 1, 64, 0, step]);
                pass.set_bind_group(0, &self.group, &[step * 256]);
                pass.dispatch_workgroups(1, 1, 1);
            }
        }
        self.queue
            .write_buffer(&self.uniforms, 0, bytemuck::cast_slice(&words));
        self.queue.submit([encoder.finish()]);
        let time = start.elapsed();
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(time)
    }
}

fn pipeline(
    device: &wgpu::Device,
    values: &wgpu::Buffer,
    uniforms: &wgpu::Buffer,
) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = wgpu::BufferBindingType::Storage { read_only: false };
    let groups = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            entry(0, storage, false),
            entry(1, wgpu::BufferBindingType::Uniform, true),
        ],
    });
    let words = common::bump()
        .module
        .spirv
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect::<Vec<_>>();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::SpirV(words.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&groups)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &groups,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: values.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: uniforms,
                    offset: 0,
                    size: std::num::NonZeroU64::new(32),
                }),
            },
        ],
    });
    (pipeline, group)
}
