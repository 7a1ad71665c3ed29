//! A matrix product three ways, each with the bits of a sequential loop on the CPU: as a map, over
//! 16×16 tiles in scratch, and with an 8×8 tile of results a lane in scratch that only its owner
//! touches, which lives in registers.
//!
//! `cargo run --release --example gemm -- [size ...]`; sizes are multiples of 128. Each result is
//! one chain of `fma` with k ascending, so there is one right answer. Without a GPU the CPU alone
//! is measured. It fails if any bit differs.

use nupp::{Buffer, Context, OpenError, nupp};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

nupp! {
    @aot(target = "gpu")
    local function naive(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        inner: uint32,
        columns: uint32
    ): nil
        for index = 1, #c do
            local i = u32.div(index - 1, columns) * inner
            local j = u32.mod(index - 1, columns)
            local stop = i + inner
            local sum: float = 0.0
            while i < stop and i < #a and j < #b do
                sum = f32.fma(a[i + 1], b[j + 1], sum)
                i = i + 1
                j = j + columns
            end
            c[index] = sum
        end
    end

    -- Results come tile by tile: element l of a group is row l div 16, column l mod 16 of its tile.
    @aot(target = "gpu")
    local function tiled(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        inner: uint32,
        columns: uint32
    ): nil
        local groups = u32.div(u32.wrap(#c), 256)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local left = phases:scratch(0.0, 256)
            local right = phases:scratch(0.0, 256)
            local sums = phases:scratch(0.0, 256)
            local across = u32.div(columns, 16)
            local top = u32.div(groupIndex, across) * 16
            local first = u32.mod(groupIndex, across) * 16
            local tiles = u32.div(inner, 16)
            for tile = 0, tiles - 1 do
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    local i = (top + y) * inner + tile * 16 + x
                    local j = (tile * 16 + y) * columns + first + x
                    local p: float = 0.0
                    local q: float = 0.0
                    if i < #a then p = a[i + 1] end
                    if j < #b then q = b[j + 1] end
                    left[localIndex] = p
                    right[localIndex] = q
                end)
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    local sum = sums[localIndex]
                    for k = 0, 15 do
                        sum = f32.fma(left[y * 16 + k], right[k * 16 + x], sum)
                    end
                    sums[localIndex] = sum
                end)
            end
            phases:run(function(localIndex)
                c[groupIndex * 256 + localIndex + 1] = sums[localIndex]
            end)
        end)
    end

    -- A group has a tile of 128 by 128, a lane 64 results in it: those whose row and column are its
    -- own modulo 16. Element l + t * 256 of a group is result t of lane l.
    @aot(target = "gpu")
    local function registers(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        inner: uint32,
        columns: uint32
    ): nil
        local groups = u32.div(u32.wrap(#c), 16384)
        gpu.workgroups(groups, 256, function(groupIndex, phases)
            local left = phases:scratch(0.0, 1024)
            local right = phases:scratch(0.0, 1024)
            local sums = phases:scratch(0.0, 16384)
            local across = u32.div(columns, 128)
            local top = u32.div(groupIndex, across) * 128
            local first = u32.mod(groupIndex, across) * 128
            local tiles = u32.div(inner, 8)
            for tile = 0, tiles - 1 do
                phases:run(function(localIndex)
                    for t = 0, 3 do
                        local slot = localIndex + t * 256
                        -- Eight of a row of a side by side, 128 rows of them.
                        local y = u32.div(slot, 8)
                        local i = (top + y) * inner + tile * 8 + u32.mod(slot, 8)
                        local p: float = 0.0
                        if i < #a then p = a[i + 1] end
                        left[localIndex + t * 256] = p
                        local j = (tile * 8 + u32.div(slot, 128)) * columns + first + u32.mod(slot, 128)
                        local q: float = 0.0
                        if j < #b then q = b[j + 1] end
                        right[localIndex + t * 256] = q
                    end
                end)
                phases:run(function(localIndex)
                    local y = u32.div(localIndex, 16)
                    local x = u32.mod(localIndex, 16)
                    for k = 0, 7 do
                        for t = 0, 63 do
                            sums[localIndex + t * 256] = f32.fma(
                                left[(y + u32.div(t, 8) * 16) * 8 + k],
                                right[k * 128 + x + u32.mod(t, 8) * 16],
                                sums[localIndex + t * 256]
                            )
                        end
                    end
                end)
            end
            phases:run(function(localIndex)
                for t = 0, 63 do
                    c[groupIndex * 16384 + localIndex + t * 256 + 1] = sums[localIndex + t * 256]
                end
            end)
        end)
    end
}

/// Past this size the CPU kernels are left out and the GPU's results are sampled.
const WHOLE: usize = 512;
/// Results that a sample compares, about.
const SAMPLE: usize = 4093;

/// The row and column of each element of a result of this size, as a kernel leaves them.
type Order = fn(usize, usize) -> (usize, usize);

fn by_rows(at: usize, n: usize) -> (usize, usize) {
    (at / n, at % n)
}

fn by_tiles(at: usize, n: usize) -> (usize, usize) {
    let (group, slot) = (at / 256, at % 256);
    let across = n / 16;
    (
        group / across * 16 + slot / 16,
        group % across * 16 + slot % 16,
    )
}

fn by_registers(at: usize, n: usize) -> (usize, usize) {
    let (group, slot) = (at / 16_384, at % 16_384);
    let (lane, t) = (slot % 256, slot / 256);
    let across = n / 128;
    (
        group / across * 128 + lane / 16 + t / 8 * 16,
        group % across * 128 + lane % 16 + t % 8 * 16,
    )
}

/// Two square matrices, row by row, and the product of small ones.
struct Input {
    n: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    product: Option<Vec<f32>>,
}

impl Input {
    fn new(n: usize) -> Input {
        let mut state = 42.0_f64;
        let mut next = || {
            state = (state * 1_103_515_245.0 + 12_345.0) % 2_147_483_648.0;
            (state / 1_073_741_824.0 - 1.0) as f32
        };
        let mut matrix = || (0..n * n).map(|_| next()).collect();
        let mut input = Input {
            n,
            a: matrix(),
            b: matrix(),
            product: None,
        };
        if n <= WHOLE {
            let element = |at| input.element(at / n, at % n);
            input.product = Some((0..n * n).map(element).collect());
        }
        input
    }

    /// The sequential loop.
    fn element(&self, row: usize, column: usize) -> f32 {
        let chain = self.a[row * self.n..][..self.n].iter();
        let pairs = chain.zip(self.b[column..].iter().step_by(self.n));
        pairs.fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
    }

    /// How many of a kernel's results are not the loop's, of those that were compared.
    fn wrong(&self, result: &[f32], order: Order) -> (usize, usize) {
        let step = match self.product {
            Some(_) => 1,
            None => result.len() / SAMPLE,
        };
        let sampled = result.iter().enumerate().step_by(step);
        let compared = sampled.clone().count();
        let differs = |(at, value): &(usize, &f32)| {
            let (row, column) = order(*at, self.n);
            let right = match &self.product {
                Some(product) => product[row * self.n + column],
                None => self.element(row, column),
            };
            right.to_bits() != value.to_bits()
        };
        (sampled.filter(differs).count(), compared)
    }

    /// Prints what a kernel did in a time; gives whether it was right.
    fn report(&self, name: &str, each: Duration, result: &[f32], order: Order) -> bool {
        let work = 2.0 * (self.n as f64).powi(3);
        let rate = work / each.as_secs_f64() / 1e9;
        let (wrong, compared) = self.wrong(result, order);
        let verdict = if wrong == 0 { "same bits" } else { "DIFFERENT" };
        println!(
            "  {name:<23} {:>10.3} ms {rate:>10.3} GFLOP/s  {verdict} ({wrong} of {compared} differ)",
            each.as_secs_f64() * 1e3
        );
        wrong == 0
    }
}

/// Runs a kernel on the CPU: on one core, then on all.
macro_rules! on_cpu {
    ($input:expr, $kernel:ident, $order:expr) => {{
        let input: &Input = $input;
        let n = input.n as u32;
        let mut c = vec![f32::NAN; input.n * input.n];
        let started = Instant::now();
        $kernel(&mut c, &input.a, &input.b, n, n)?;
        let name = concat!("CPU ", stringify!($kernel));
        let right = input.report(name, started.elapsed(), &c, $order);
        c.fill(f32::NAN);
        let started = Instant::now();
        $kernel::cpu_parallel(&mut c, &input.a, &input.b, n, n)?;
        let name = concat!("CPU ", stringify!($kernel), ", all cores");
        right & input.report(name, started.elapsed(), &c, $order)
    }};
}

/// Runs a kernel on the GPU: once to have it compiled, then several times in a row.
macro_rules! on_gpu {
    ($context:expr, $input:expr, $buffers:expr, $kernel:ident, $order:expr) => {{
        let (context, input): (&Context, &Input) = ($context, $input);
        let [c, a, b]: &[Buffer<f32>; 3] = $buffers;
        let n = input.n as u32;
        let binding = $kernel::compile(context)?.bind(c, a, b)?;
        let mut turns = 0;
        let mut once = |times: u32| -> Result<Duration, Box<dyn Error>> {
            let started = Instant::now();
            for _ in 0..times {
                binding.dispatch(n, n)?;
            }
            context.synchronize_blocking()?;
            turns += times;
            Ok(started.elapsed())
        };
        once(1)?;
        // As many as fill about a second, so that the wait for the device weighs little.
        let times = (1.0 / once(1)?.as_secs_f64().max(1e-4)).clamp(1.0, 200.0) as u32;
        let each = once(times)? / times;
        let result = context.download_blocking(c)?;
        let name = concat!("GPU ", stringify!($kernel));
        input.report(name, each, &result, $order)
    }};
}

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

/// Returns whether all results were right.
fn run() -> Result<bool, Box<dyn Error>> {
    let sizes: Result<Vec<usize>, _> = std::env::args().skip(1).map(|size| size.parse()).collect();
    let mut sizes = sizes.map_err(|fault| format!("a size is a number: {fault}"))?;
    if sizes.is_empty() {
        sizes.push(256);
    }
    if let Some(size) = sizes.iter().find(|size| **size == 0 || **size % 128 != 0) {
        return Err(format!("{size} is no multiple of 128").into());
    }
    let context = match Context::open() {
        Ok(context) => {
            let device = context.device();
            println!(
                "GPU: {} ({}, {})",
                device.adapter, device.backend, device.driver
            );
            Some(context)
        }
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU: there is none here");
            None
        }
        Err(fault) => return Err(fault.into()),
    };
    let mut right = true;
    for n in sizes {
        println!("{n} × {n}");
        let input = Input::new(n);
        if n <= WHOLE {
            right &= on_cpu!(&input, naive, by_rows);
            right &= on_cpu!(&input, tiled, by_tiles);
            right &= on_cpu!(&input, registers, by_registers);
        }
        if let Some(context) = &context {
            right &= device(context, &input)?;
        }
    }
    Ok(right)
}

fn device(context: &Context, input: &Input) -> Result<bool, Box<dyn Error>> {
    let buffer = || context.buffer::<f32>(input.n * input.n);
    let buffers = [buffer()?, buffer()?, buffer()?];
    context.upload(&buffers[1], &input.a)?;
    context.upload(&buffers[2], &input.b)?;
    let mut right = on_gpu!(context, input, &buffers, naive, by_rows);
    right &= on_gpu!(context, input, &buffers, tiled, by_tiles);
    right &= on_gpu!(context, input, &buffers, registers, by_registers);
    Ok(right)
}
