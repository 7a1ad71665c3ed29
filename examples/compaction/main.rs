//! Stable compaction of 65,536 values, on the CPU and on a GPU, by bits: `cargo run --release --example
//! compaction`.
//!
//! Three kernels follow each other on the device with nothing on the host between them; the number of kept
//! values, which the host does not know beforehand, comes with them at the end. Without a GPU it says so
//! and goes on with the CPU; it fails if anything differs.

mod kernels;

use kernels::{BLOCK, offset, place, rank};
use nupp::{Context, KernelError, OpenError};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::process::ExitCode;

/// Values, which are also the most that one block of offsets reaches.
const COUNT: usize = BLOCK * BLOCK;

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

/// The values, and 1 beside each that is kept: about one of five.
fn inputs() -> (Vec<u32>, Vec<u32>) {
    let values = (0..COUNT as u32).map(|i| i * 17 + 3).collect();
    let mut state = 42.0_f64;
    let mut next = || {
        state = (state * 1_103_515_245.0 + 12_345.0) % 2_147_483_648.0;
        u32::from(state % 5.0 == 0.0)
    };
    (values, (0..COUNT).map(|_| next()).collect())
}

/// How many are kept: those before the last block and those in it.
fn kept(offsets: &[u32], totals: &[u32]) -> usize {
    let last = offsets.last().zip(totals.last());
    last.map_or(0, |(before, within)| (before + within) as usize)
}

fn on_cpu(values: &[u32], keep: &[u32]) -> Result<Vec<u32>, KernelError> {
    let blocks = COUNT.div_ceil(BLOCK);
    let (mut ranks, mut totals) = (vec![0; COUNT], vec![0; blocks]);
    rank(&mut ranks, &mut totals, keep)?;
    let mut offsets = vec![0; blocks];
    offset(&mut offsets, &totals)?;
    let mut output = vec![0; COUNT];
    place(&mut output, values, keep, &ranks, &offsets)?;
    output.truncate(kept(&offsets, &totals));
    Ok(output)
}

fn on_gpu(context: &Context, values: &[u32], keep: &[u32]) -> Result<Vec<u32>, Box<dyn Error>> {
    let blocks = COUNT.div_ceil(BLOCK);
    let (source, flags) = (context.buffer::<u32>(COUNT)?, context.buffer::<u32>(COUNT)?);
    context.upload(&source, values)?;
    context.upload(&flags, keep)?;
    let (ranks, output) = (context.buffer::<u32>(COUNT)?, context.buffer::<u32>(COUNT)?);
    let (totals, offsets) = (context.buffer(blocks)?, context.buffer(blocks)?);
    let first = rank::compile(context)?.bind(&ranks, &totals, &flags)?;
    let second = offset::compile(context)?.bind(&offsets, &totals)?;
    let third = place::compile(context)?.bind(&output, &source, &flags, &ranks, &offsets)?;

    first.dispatch()?;
    second.dispatch()?;
    third.dispatch()?;
    for buffer in [&totals, &offsets, &output] {
        context.enqueue_download(buffer)?;
    }
    context.synchronize_blocking()?;
    let (mut before, mut within, mut all) = (vec![0; blocks], vec![0; blocks], vec![0; COUNT]);
    context.read_downloaded(&offsets, &mut before)?;
    context.read_downloaded(&totals, &mut within)?;
    context.read_downloaded(&output, &mut all)?;
    all.truncate(kept(&before, &within));
    Ok(all)
}

fn report(who: &str, kept: &[u32]) {
    let bytes: Vec<u8> = kept.iter().flat_map(|word| word.to_le_bytes()).collect();
    let digest: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let first: Vec<String> = kept.iter().take(3).map(u32::to_string).collect();
    let last = kept.last().map_or(String::new(), u32::to_string);
    println!(
        "{who}: {} of {COUNT} kept: {}, … {last}",
        kept.len(),
        first.join(", ")
    );
    println!("{who}: {digest}");
}

/// Returns whether all that ran is right.
fn run() -> Result<bool, Box<dyn Error>> {
    let (values, keep) = inputs();
    let pairs = values.iter().zip(&keep);
    let expected: Vec<u32> = pairs
        .filter(|(_, keep)| **keep == 1)
        .map(|(value, _)| *value)
        .collect();
    let cpu = on_cpu(&values, &keep)?;
    report("CPU", &cpu);
    let mut right = check("CPU", &cpu, &expected);
    match Context::open() {
        Ok(context) => {
            let device = context.device();
            println!(
                "GPU: {} ({}, {})",
                device.adapter, device.backend, device.driver
            );
            let gpu = on_gpu(&context, &values, &keep)?;
            report("GPU", &gpu);
            right &= check("GPU", &gpu, &expected);
        }
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU: there is none here, so the CPU's values stand alone");
        }
        Err(fault) => return Err(fault.into()),
    }
    Ok(right)
}

fn check(who: &str, kept: &[u32], expected: &[u32]) -> bool {
    let right = kept == expected;
    if !right {
        println!("{who}: DIFFERENT from a filter of the values, in order");
    }
    right
}
