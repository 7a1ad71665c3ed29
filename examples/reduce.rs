//! A sum of 65,536 values on the CPU and on a GPU, by bits:
//! `cargo run --release --example reduce`.
//!
//! Addition of floats depends on its order. `nupp::reduce` has one order, so both sides give one
//! sum; a loop from left to right has another.

use nupp::{Context, OpenError, reduce};

/// Values with every bit of the fraction in use, from a linear congruence.
fn values(count: usize) -> Vec<f32> {
    let mut state = 42_u32;
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
        state as f32 / 2_147_483_648.0
    };
    (0..count).map(|_| next()).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let values = values(65_536);
    let on_cpu = reduce::cpu::sum(&values)?;
    let straight: f32 = values.iter().sum();
    println!(
        "left to right  {straight:12.4}  {:#010x}",
        straight.to_bits()
    );
    println!("CPU            {on_cpu:12.4}  {:#010x}", on_cpu.to_bits());

    let context = match Context::open() {
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU            there is none here");
            return Ok(());
        }
        opened => opened?,
    };
    let buffer = context.buffer::<f32>(values.len())?;
    context.upload(&buffer, &values)?;
    let on_gpu = reduce::sum(&context, &buffer)?;
    println!(
        "GPU            {on_gpu:12.4}  {:#010x}  {}",
        on_gpu.to_bits(),
        context.device().adapter
    );
    if on_gpu.to_bits() != on_cpu.to_bits() {
        return Err("the CPU and the GPU differ".into());
    }
    println!("the same bits");
    Ok(())
}
