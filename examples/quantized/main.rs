//! Products of a quantised matrix and a vector, with weights of four and of eight bits, on the CPU and on
//! a GPU, by bits.
//!
//! `cargo run --release --example quantized -- [ROWSxCOLUMNS ...]`. The weights are quantised here, from
//! a matrix of floats, with a scale and a zero point a row; those of eight bits go to the device as bytes.
//! Without a GPU it says so and goes on with the CPU; it fails if any bit differs.

mod eight_bits;
mod four_bits;
mod rows;

use eight_bits::{eight_bit_rows, words};
use four_bits::{four_bit_rows, nibbles};
use nupp::{Context, KernelError, OpenError};
use rows::{Rows, noise};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

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

/// The rows and columns of `ROWSxCOLUMNS`.
fn shape(text: &str) -> Result<(usize, usize), String> {
    let parsed = text
        .split_once('x')
        .and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
    match parsed {
        Some((rows, columns)) if rows > 0 && columns > 0 => Ok((rows, columns)),
        _ => Err(format!("`{text}` is no shape; write 1024x1000")),
    }
}

/// Returns whether all that ran agreed.
fn run() -> Result<bool, Box<dyn Error>> {
    let shapes: Result<Vec<_>, _> = std::env::args().skip(1).map(|text| shape(&text)).collect();
    let mut shapes = shapes?;
    if shapes.is_empty() {
        shapes = vec![(1024, 1024), (1021, 1003)];
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
            println!("GPU: there is none here, so the CPU's products stand alone");
            None
        }
        Err(fault) => return Err(fault.into()),
    };
    let mut same = true;
    for (rows, columns) in shapes {
        println!("{rows} × {columns}");
        let mut state = 42.0;
        let matrix: Vec<f32> = (0..rows * columns).map(|_| noise(&mut state)).collect();
        let input: Vec<f32> = (0..columns).map(|_| noise(&mut state)).collect();
        for bits in [4, 8] {
            let product = Product {
                bits,
                weights: Rows::quantize(&matrix, columns, bits),
                input: &input,
            };
            same &= product.compare(context.as_ref(), &matrix)?;
        }
    }
    Ok(same)
}

/// A product to compute.
struct Product<'a> {
    bits: u32,
    weights: Rows,
    input: &'a [f32],
}

impl Product<'_> {
    /// Computes it in every way; gives whether all have the same bits.
    fn compare(&self, context: Option<&Context>, matrix: &[f32]) -> Result<bool, Box<dyn Error>> {
        let cpu = self.on_cpu(false)?;
        self.report("CPU", &cpu);
        let parallel = self.on_cpu(true)?;
        self.report("CPU, all cores", &parallel);
        let mut same = self.same(&cpu, &parallel);
        if let Some(context) = context {
            let gpu = self.on_gpu(context)?;
            self.report("GPU", &gpu);
            same &= self.same(&cpu, &gpu);
        }
        let rows = matrix.chunks(self.input.len()).zip(&cpu.output);
        let error = |(row, y): (&[f32], &f32)| {
            let pairs = row.iter().zip(self.input);
            let exact: f64 = pairs.map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
            (exact - f64::from(*y)).powi(2)
        };
        let mean = rows.map(error).sum::<f64>() / cpu.output.len() as f64;
        println!(
            "  {} bits: what quantising costs is {:.4} a row (root of the mean square)",
            self.bits,
            mean.sqrt()
        );
        Ok(same)
    }

    fn on_cpu(&self, parallel: bool) -> Result<Computed, KernelError> {
        let Rows { scales, zeros, .. } = &self.weights;
        let mut output = vec![f32::NAN; scales.len()];
        let input = self.input;
        let started;
        if self.bits == 4 {
            let words = nibbles(&self.weights.filled(8));
            started = Instant::now();
            match parallel {
                false => four_bit_rows(&mut output, scales, zeros, &words, input)?,
                true => four_bit_rows::cpu_parallel(&mut output, scales, zeros, &words, input)?,
            }
        } else {
            let words = words(&self.weights.filled(4));
            started = Instant::now();
            match parallel {
                false => eight_bit_rows(&mut output, scales, zeros, &words, input, &[])?,
                true => {
                    eight_bit_rows::cpu_parallel(&mut output, scales, zeros, &words, input, &[])?
                }
            }
        }
        Ok(Computed {
            time: started.elapsed(),
            output,
        })
    }

    /// Once to have it compiled, then many times in a row.
    fn on_gpu(&self, context: &Context) -> Result<Computed, Box<dyn Error>> {
        let Rows { scales, zeros, .. } = &self.weights;
        let rows = scales.len();
        let [output, on_scales] = [context.buffer::<f32>(rows)?, context.buffer::<f32>(rows)?];
        let on_zeros = context.buffer::<i32>(rows)?;
        let input = context.buffer::<f32>(self.input.len())?;
        context.upload(&on_scales, scales)?;
        context.upload(&on_zeros, zeros)?;
        context.upload(&input, self.input)?;
        let time = if self.bits == 4 {
            let words = nibbles(&self.weights.filled(8));
            let weights = context.buffer::<u32>(words.len())?;
            context.upload(&weights, &words)?;
            let kernel = four_bit_rows::compile(context)?;
            let bound = kernel.bind(&output, &on_scales, &on_zeros, &weights, &input)?;
            timed(context, || Ok(bound.dispatch()?))?
        } else {
            let bytes = self.weights.filled(4);
            let weights = context.buffer::<i8>(bytes.len())?;
            context.upload(&weights, &bytes)?;
            let (words, nothing) = (weights.words()?, context.buffer::<f32>(0)?);
            let kernel = eight_bit_rows::compile(context)?;
            let bound = kernel.bind(&output, &on_scales, &on_zeros, &words, &input, &nothing)?;
            timed(context, || Ok(bound.dispatch()?))?
        };
        Ok(Computed {
            time,
            output: context.download_blocking(&output)?,
        })
    }

    /// Bytes that one product reads.
    fn bytes(&self) -> usize {
        let each = 32 / self.bits as usize;
        let row = 4 * self.weights.columns.div_ceil(each);
        self.weights.scales.len() * (row + 8) + 4 * self.input.len()
    }

    fn report(&self, who: &str, computed: &Computed) {
        let bytes: &[u8] = bytemuck::cast_slice(&computed.output);
        let digest = Sha256::digest(bytes);
        let digest: String = digest[..8].iter().map(|b| format!("{b:02x}")).collect();
        let seconds = computed.time.as_secs_f64();
        println!(
            "  {} bits, {who:<15} {digest}…  {} bytes read in {:.3} ms, {:.3} GB/s",
            self.bits,
            self.bytes(),
            seconds * 1e3,
            self.bytes() as f64 / seconds / 1e9
        );
    }

    /// Compares every bit and says what differs.
    fn same(&self, a: &Computed, b: &Computed) -> bool {
        let pairs = a.output.iter().zip(&b.output);
        let differing = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        let same = differing == 0 && a.output.len() == b.output.len();
        if !same {
            println!("  DIFFERENT: {differing} of {} rows", a.output.len());
        }
        same
    }
}

/// A product and the time that it took.
struct Computed {
    time: Duration,
    output: Vec<f32>,
}

/// The time of a dispatch among so many that they fill about half a second.
fn timed(
    context: &Context,
    mut dispatch: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut many = |times: u32| -> Result<Duration, Box<dyn Error>> {
        let started = Instant::now();
        for _ in 0..times {
            dispatch()?;
        }
        context.synchronize_blocking()?;
        Ok(started.elapsed())
    };
    many(1)?;
    let times = (0.5 / many(1)?.as_secs_f64().max(1e-4)).clamp(1.0, 1000.0) as u32;
    Ok(many(times)? / times)
}
