//! What exact arithmetic costs on a device: kernels against shaders that do the same and leave
//! every rounding to the driver.
//!
//! `cargo run --release -p nupp-exactness [-- SCALE]` takes the high-performance adapter; a software driver
//! wants a SCALE of 16 or so, by which the work is divided. For each form of modules it prints the time of
//! a dispatch of either, their ratio, and how many words of the shader's result are other ones than
//! the kernel's. Both are timed in turns, and the least of several is taken.

// The first of the macro's expansions are kernels, whose documentation is their text.
#![allow(missing_docs)]

mod kernels;
mod naive;

use kernels::{axpy, exponential, product, pull, softmax};
use naive::Naive;
use nupp::{Buffer, Context, ContextOptions, ModuleForm, OpenError};
use std::error::Error;
use std::time::{Duration, Instant};

/// Turns of each, of which the least counts.
const TURNS: usize = 5;

/// One shader's work.
struct Work {
    name: &'static str,
    shader: &'static str,
    len: usize,
    inputs: Vec<Vec<f32>>,
    uniforms: Vec<u32>,
    groups: usize,
}

impl Work {
    /// A lane an element.
    fn map(name: &'static str, shader: &'static str, inputs: Vec<Vec<f32>>) -> Work {
        let len = inputs[0].len();
        Work {
            name,
            shader,
            len,
            inputs,
            uniforms: Vec::new(),
            groups: len.div_ceil(256),
        }
    }

    /// Times the shader and a kernel whose dispatches are recorded by `dispatch`.
    fn against(
        &self,
        naive: &Naive,
        context: &Context,
        output: &Buffer<f32>,
        dispatch: impl Fn() -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let inputs: Vec<&[f32]> = self.inputs.iter().map(Vec::as_slice).collect();
        let bound = naive.bind(
            self.shader,
            self.len,
            &inputs,
            &self.uniforms,
            self.groups as u32,
        );
        let exact = |times: u32| -> Result<Duration, Box<dyn Error>> {
            let started = Instant::now();
            for _ in 0..times {
                dispatch()?;
            }
            context.synchronize_blocking()?;
            Ok(started.elapsed())
        };
        // Compiled, and the clocks up.
        let first = exact(1)?.max(naive.time(&bound, 1)?);
        let again = exact(1)?.max(naive.time(&bound, 1)?).min(first);
        let times = (0.1 / again.as_secs_f64().max(1e-5)).clamp(1.0, 1000.0) as u32;
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        for _ in 0..TURNS {
            ours = ours.min(exact(times)? / times);
            theirs = theirs.min(naive.time(&bound, times)? / times);
        }
        let (right, other) = (context.download_blocking(output)?, naive.result(&bound)?);
        let differing = right
            .iter()
            .zip(&other)
            .filter(|(a, b)| a.to_bits() != b.to_bits())
            .count();
        println!(
            "| {} | {:.3} | {:.3} | {:.2} | {:.1} % |",
            self.name,
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            ours.as_secs_f64() / theirs.as_secs_f64(),
            100.0 * differing as f64 / right.len() as f64
        );
        Ok(())
    }
}

/// Values between -`reach` and `reach`.
fn values(count: usize, reach: f32) -> Vec<f32> {
    let mut state = 42_u32;
    let mut next = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| next() * reach).collect()
}

/// The output and the inputs of a kernel.
type Buffers = (Buffer<f32>, Vec<Buffer<f32>>);

fn uploaded(context: &Context, work: &Work) -> Result<Buffers, Box<dyn Error>> {
    let mut inputs = Vec::new();
    for values in &work.inputs {
        let buffer = context.buffer(values.len())?;
        context.upload(&buffer, values)?;
        inputs.push(buffer);
    }
    Ok((context.buffer(work.len)?, inputs))
}

fn main() -> Result<(), Box<dyn Error>> {
    let scale: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1), |scale| scale.parse())?;
    for &form in ModuleForm::ALL {
        let context = match Context::open_with(ContextOptions::new().form(form)) {
            Err(fault @ OpenError::NoNative { .. }) => {
                println!("\n{form:?}: {fault}");
                continue;
            }
            other => other?,
        };
        let device = context.device();
        println!("\n{}, {form:?}", device.adapter);
        for (operation, route) in device.arithmetic()?.routes() {
            print!("{operation}: {}; ", route.name());
        }
        println!();
        println!(
            "\n| | exact, ms | naive, ms | ratio | words that differ |\n| --- | --- | --- | --- | --- |"
        );
        let naive = Naive::open(&device.adapter)?;
        let n = (1 << 24) / scale;

        let mut work = Work::map("axpy", kernels::AXPY, vec![values(n, 9.0), values(n, 9.0)]);
        work.uniforms = vec![0.37_f32.to_bits()];
        let (output, inputs) = uploaded(&context, &work)?;
        let binding = axpy::compile(&context)?.bind(&output, &inputs[0], &inputs[1])?;
        work.against(&naive, &context, &output, || Ok(binding.dispatch(0.37)?))?;

        let work = Work::map("exp", kernels::EXPONENTIAL, vec![values(n, 20.0)]);
        let (output, inputs) = uploaded(&context, &work)?;
        let binding = exponential::compile(&context)?.bind(&output, &inputs[0])?;
        work.against(&naive, &context, &output, || Ok(binding.dispatch()?))?;

        let mut work = Work::map(
            "softmax, rows of 1,024",
            kernels::SOFTMAX,
            vec![values(n, 20.0)],
        );
        work.groups = n / 1024;
        let (output, inputs) = uploaded(&context, &work)?;
        let binding = softmax::compile(&context)?.bind(&output, &inputs[0])?;
        work.against(&naive, &context, &output, || Ok(binding.dispatch()?))?;

        // The side shrinks by the square root, in steps that a tile has.
        let side = ((2048.0 / (scale as f64).sqrt()) as usize).div_ceil(128) * 128;
        let matrices = vec![values(side * side, 1.0), values(side * side, 1.0)];
        let mut work = Work::map("matrix product", kernels::PRODUCT, matrices);
        work.uniforms = vec![side as u32; 2];
        work.groups = side * side / 16_384;
        let (output, inputs) = uploaded(&context, &work)?;
        let binding = product::compile(&context)?.bind(&output, &inputs[0], &inputs[1])?;
        work.against(&naive, &context, &output, || {
            Ok(binding.dispatch(side as u32, side as u32)?)
        })?;

        let bodies = (1 << 15) / scale;
        let places = vec![
            values(bodies, 5.0),
            values(bodies + 1, 5.0).split_off(1),
            vec![0.5; bodies],
        ];
        let work = Work::map("n-body", kernels::PULL, places);
        let (output, inputs) = uploaded(&context, &work)?;
        let binding = pull::compile(&context)?.bind(&output, &inputs[0], &inputs[1], &inputs[2])?;
        work.against(&naive, &context, &output, || Ok(binding.dispatch()?))?;
    }
    Ok(())
}
