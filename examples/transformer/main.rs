//! A decoder block with byte weights writes a text of token numbers, on the CPU and on a GPU, where
//! everything stays until the end: weights, the cache of keys and values, each value of each token, and
//! the tokens, which the device chooses itself. Every value is compared by bits.
//!
//! `cargo run --release --example transformer`. Without a GPU it says so and goes on with the CPU; it
//! fails if any bit differs. The weights are noise, so the text means nothing.

mod cpu;
#[path = "../quantized/eight_bits.rs"]
mod eight_bits;
mod gpu;
mod kernels;
mod model;
#[path = "../quantized/rows.rs"]
mod rows;

use cpu::on_cpu;
use gpu::OnDevice;
use model::{Model, Run, Shape};
use nupp::{Context, OpenError};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How often a run on the GPU is timed; the least time is told.
const TURNS: usize = 5;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all that ran agreed.
fn run() -> Result<bool, Box<dyn Error>> {
    let model = Model::new(Shape {
        heads: 5,
        hidden: 131,
        vocabulary: 97,
        prompt: vec![3, 14, 15, 92],
        chosen: 16,
    });
    let Shape {
        hidden, vocabulary, ..
    } = model.shape;
    println!(
        "model: vectors of {}, {} heads, {hidden} hidden, {vocabulary} tokens, {} bytes of weights",
        model.shape.width(),
        model.shape.heads,
        model.bytes.len()
    );
    let started = Instant::now();
    let cpu = on_cpu(&model)?;
    report("CPU", &model, &cpu, started.elapsed());
    match Context::open() {
        Ok(context) => {
            let device = context.device();
            println!(
                "GPU: {} ({}, {})",
                device.adapter, device.backend, device.driver
            );
            let started = Instant::now();
            let resident = OnDevice::new(&context, &model)?;
            let compiled = started.elapsed().as_secs_f64() * 1e3;
            println!("GPU: kernels compiled and weights uploaded in {compiled:.1} ms");
            let mut same = true;
            let mut least = Duration::MAX;
            let mut gpu = Run::new(&model.shape, &model::Columns::new(&model.shape));
            for _ in 0..TURNS {
                let started = Instant::now();
                gpu = resident.run()?;
                least = least.min(started.elapsed());
                same &= compare(&cpu, &gpu);
            }
            report("GPU", &model, &gpu, least);
            Ok(same)
        }
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU: there is none here, so the CPU's text stands alone");
            Ok(true)
        }
        Err(fault) => Err(fault.into()),
    }
}

fn report(who: &str, model: &Model, run: &Run, time: Duration) {
    let (given, chosen) = run.tokens.split_at(model.shape.prompt.len());
    println!("{who}: {} > {}", text(given), text(chosen));
    for (name, words) in run.parts() {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let digest: Vec<String> = Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        println!("{who}: {name:<21} {}", digest.concat());
    }
    let rate = model.shape.steps() as f64 / time.as_secs_f64();
    println!(
        "{who}: {:.2} ms, {rate:.0} tokens/s",
        time.as_secs_f64() * 1e3
    );
}

fn text(tokens: &[u32]) -> String {
    let tokens: Vec<String> = tokens.iter().map(u32::to_string).collect();
    tokens.join(" ")
}

/// Compares every bit and says what differs.
fn compare(cpu: &Run, gpu: &Run) -> bool {
    let mut same = true;
    for ((name, a), (_, b)) in cpu.parts().into_iter().zip(gpu.parts()) {
        let differing = a.iter().zip(&b).filter(|(a, b)| a != b).count();
        if differing > 0 || a.len() != b.len() {
            println!(
                "DIFFERENT: {differing} of {} words among {name}",
                a.len().max(b.len())
            );
            same = false;
        }
    }
    same
}
