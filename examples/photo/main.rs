//! Develops a photograph on the CPU and on the GPU and compares every byte.
//!
//! `cargo run --release --example photo -- [in.png [out.png]]`. Without a GPU it says so and goes on
//! with the CPU; it fails if any byte differs.

mod develop;
mod kernels;
mod picture;

use develop::{Developed, on_cpu, on_gpu};
use nupp::{Context, OpenError};
use picture::{read, write};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

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
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next();
    let asset = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/assets/chelsea.png");
    let photo = read(input.as_deref().unwrap_or(asset))?;
    println!("photograph: {} × {} pixels", photo.width, photo.height);

    let started = Instant::now();
    let cpu = on_cpu(&photo)?;
    report("CPU", &cpu, started);
    let same = match Context::open() {
        Ok(context) => {
            let device = context.device();
            println!(
                "GPU: {} ({}, {})",
                device.adapter, device.backend, device.driver
            );
            let started = Instant::now();
            let gpu = on_gpu(&context, &photo)?;
            report("GPU", &gpu, started);
            compare(&cpu, &gpu)
        }
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU: there is none here, so the CPU's picture stands alone");
            true
        }
        Err(fault) => return Err(fault.into()),
    };
    if let Some(output) = arguments.next() {
        write(&output, &photo, &cpu.pixels)?;
        println!("wrote {output}");
    }
    Ok(same)
}

fn report(who: &str, developed: &Developed, started: Instant) {
    let elapsed = started.elapsed().as_secs_f64() * 1e3;
    for (name, bytes) in developed.parts() {
        println!("{who}: {name:<13} {}", hex(&Sha256::digest(bytes)));
    }
    println!("{who}: {elapsed:.1} ms, kernels compiled along the way");
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares every byte and says what differs.
fn compare(cpu: &Developed, gpu: &Developed) -> bool {
    let (mut all, mut wrong) = (0, 0);
    for ((name, a), (_, b)) in cpu.parts().into_iter().zip(gpu.parts()) {
        let mut differing = a.iter().zip(b).filter(|(a, b)| a != b).count();
        differing += a.len().abs_diff(b.len());
        if differing > 0 {
            println!("DIFFERENT: {differing} bytes of {name}");
        }
        all += a.len();
        wrong += differing;
    }
    if wrong == 0 {
        println!("same: all {all} bytes agree");
    }
    wrong == 0
}
