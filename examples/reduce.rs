//! The sum of 65,536 exponentials through two trees of 256 lanes, on the CPU and on a GPU, by bits:
//! `cargo run --release --example reduce`.
//!
//! Addition of floats depends on its order. Here the order is that of the trees, and an exponential is
//! the float nearest to the true value, so there is one right sum: 0x4586e933, everywhere. A loop from
//! left to right gives another. `nupp::reduce` has the same order for any length. It fails if any way
//! gives other bits.

use nupp::{Context, OpenError, nupp, reduce};
use std::error::Error;
use std::time::{Duration, Instant};

nupp! {
    /// Sums each 256 exponentials.
    @aot(target = "gpu")
    local function exponentials(exclusive sums: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#input), 256), 256, function(groupIndex, phases)
            local values = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #input then
                    values[localIndex] = f32.exp(input[cursor + 1])
                end
            end)
            phases:reduceSum(values)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #sums then
                    sums[groupIndex + 1] = values[0]
                end
            end)
        end)
    end

    /// Sums each 256 values.
    @aot(target = "gpu")
    local function tree(exclusive sums: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#input), 256), 256, function(groupIndex, phases)
            local values = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #input then
                    values[localIndex] = input[cursor + 1]
                end
            end)
            phases:reduceSum(values)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #sums then
                    sums[groupIndex + 1] = values[0]
                end
            end)
        end)
    end

    /// The exponentials themselves.
    @aot(target = "gpu")
    local function exp(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input, "one output an input")
        for index = 1, #output do
            output[index] = f32.exp(input[index])
        end
    end
}

/// The one right sum.
const EXPECTED: u32 = 0x4586_e933;
const COUNT: usize = 65_536;
/// How often each way is timed; the least time is told.
const TURNS: usize = 20;
/// Dispatches that share a wait.
const MANY: u32 = 200;

/// Values between -16 and 0 from a linear congruence in binary64.
fn values() -> Vec<f32> {
    let mut state = 42.0_f64;
    let mut next = || {
        state = (state * 1_103_515_245.0 + 12_345.0) % 2_147_483_648.0;
        (-16.0 * state / 2_147_483_648.0) as f32
    };
    (0..COUNT).map(|_| next()).collect()
}

/// The result of a way, and its least time.
fn timed(
    mut way: impl FnMut() -> Result<f32, Box<dyn Error>>,
) -> Result<(f32, Duration), Box<dyn Error>> {
    let mut result = way()?;
    let mut best = Duration::MAX;
    for _ in 0..TURNS {
        let started = Instant::now();
        result = way()?;
        best = best.min(started.elapsed());
    }
    Ok((result, best))
}

/// Tells a result; gives whether it is the right one.
fn tell(name: &str, (sum, time): (f32, Duration)) -> bool {
    let right = sum.to_bits() == EXPECTED;
    let rate = COUNT as f64 / time.as_secs_f64() / 1e6;
    let verdict = if right { "" } else { "  DIFFERENT" };
    println!(
        "{name:<18} {sum:12.4}  {:#010x}  {rate:8.1} M values/s{verdict}",
        sum.to_bits()
    );
    right
}

fn main() -> Result<(), Box<dyn Error>> {
    let input = values();
    let mut all = vec![0.0; COUNT];
    exp(&mut all, &input)?;
    let straight: f32 = all.iter().sum();
    println!(
        "left to right      {straight:12.4}  {:#010x}",
        straight.to_bits()
    );

    let mut sums = [0.0; 256];
    let mut total = [0.0; 1];
    let mut right = tell(
        "CPU",
        timed(|| {
            exponentials(&mut sums, &input)?;
            tree(&mut total, &sums)?;
            Ok(total[0])
        })?,
    );
    right &= tell(
        "CPU, all cores",
        timed(|| {
            exponentials::cpu_parallel(&mut sums, &input)?;
            tree(&mut total, &sums)?;
            Ok(total[0])
        })?,
    );
    right &= tell(
        "CPU, nupp::reduce",
        timed(|| {
            exp(&mut all, &input)?;
            Ok(reduce::cpu::sum(&all)?)
        })?,
    );
    match Context::open() {
        Ok(context) => right &= on_gpu(&context, &input)?,
        Err(OpenError::NoDevice { .. }) => println!("GPU: there is none here"),
        Err(fault) => return Err(fault.into()),
    }
    if !right {
        return Err("the sums differ".into());
    }
    println!("the same bits");
    Ok(())
}

/// The same ways on a device; a time is that of the whole way from the dispatch to the value, but
/// for `many`, where many dispatches share one wait.
fn on_gpu(context: &Context, input: &[f32]) -> Result<bool, Box<dyn Error>> {
    let device = context.device();
    println!(
        "GPU: {} ({}, {})",
        device.adapter, device.backend, device.driver
    );
    let values = context.buffer::<f32>(COUNT)?;
    context.upload(&values, input)?;
    let (sums, total) = (context.buffer::<f32>(256)?, context.buffer::<f32>(1)?);
    let first = exponentials::compile(context)?.bind(&sums, &values)?;
    let second = tree::compile(context)?.bind(&total, &sums)?;
    let once = timed(|| {
        first.dispatch()?;
        second.dispatch()?;
        Ok(context.download_blocking(&total)?[0])
    })?;
    let mut right = tell("GPU", once);

    let started = Instant::now();
    for _ in 0..MANY {
        first.dispatch()?;
        second.dispatch()?;
    }
    context.synchronize_blocking()?;
    let each = started.elapsed() / MANY;
    right &= tell("GPU, many", (context.download_blocking(&total)?[0], each));

    let all = context.buffer::<f32>(COUNT)?;
    let exp = exp::compile(context)?.bind(&all, &values)?;
    let sum = reduce::Plan::sum(context, &all)?;
    let planned = timed(|| {
        exp.dispatch()?;
        Ok(sum.run()?)
    })?;
    right &= tell("GPU, nupp::reduce", planned);
    Ok(right)
}
