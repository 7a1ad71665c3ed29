//! What the check of a scatter costs on a device: the last kernel of a stable compaction, with every
//! dispatch checked, against a context that trusts it. Both are timed in turns, and the least of several
//! is taken.
//!
//! `cargo bench --bench scatter` takes the high-performance adapter, or the one that `NUPP_DEVICE` names.

// The macro's expansions are kernels, whose documentation is their text.
#![allow(missing_docs)]

use std::error::Error;
use std::time::{Duration, Instant};

use nupp::{Context, ContextOptions, nupp};

nupp! {
    @aot(target = "gpu")
    local function place(
        exclusive output: span.WriteSpan<uint32>,
        borrows values: span.Span<uint32>,
        borrows keep: span.Span<uint32>,
        borrows ranks: span.Span<uint32>,
        borrows offsets: span.Span<uint32>
    ): nil
        assert(#values == #keep and #keep == #ranks)
        gpu.workgroups(u32.div(u32.wrap(#values), 256), 256, function(groupIndex, phases)
            local first: uint32 = 0
            if groupIndex < #offsets then first = offsets[groupIndex + 1] end
            phases:run(function(localIndex)
                local kept = keep[groupIndex * 256 + localIndex + 1] & 1
                local at = first + ranks[groupIndex * 256 + localIndex + 1] - 1
                if kept == 1 and at < #output then
                    output:scatter(at + 1, values[groupIndex * 256 + localIndex + 1])
                end
            end)
        end)
    end
}

/// Lengths in elements, and how many of a thousand are kept.
const SIZES: [(usize, u32); 3] = [(65_536, 197), (65_536, 1000), (1 << 20, 1000)];
const DISPATCHES: u32 = 5;
const TURNS: usize = 300;

/// The kernel bound on one context.
struct Bound {
    context: Context,
    binding: place::Binding,
    output: nupp::Buffer<u32>,
}

impl Bound {
    fn new(options: ContextOptions, keep: &[u32]) -> Result<Self, Box<dyn Error>> {
        let context = Context::open_with(options)?;
        let made = |words: &[u32]| -> Result<_, Box<dyn Error>> {
            let buffer = context.buffer::<u32>(words.len())?;
            context.upload(&buffer, words)?;
            Ok(buffer)
        };
        let mut sum = 0;
        let (mut ranks, mut offsets) = (Vec::new(), Vec::new());
        for block in keep.chunks(256) {
            offsets.push(sum);
            let start = sum;
            ranks.extend(block.iter().map(|one| {
                sum += one;
                sum - start
            }));
        }
        let values: Vec<u32> = (0..keep.len() as u32).collect();
        let output = context.buffer::<u32>(sum as usize)?;
        let kernel = place::compile(&context)?;
        let binding = kernel.bind(
            &output,
            &made(&values)?,
            &made(keep)?,
            &made(&ranks)?,
            &made(&offsets)?,
        )?;
        Ok(Bound {
            context,
            binding,
            output,
        })
    }

    /// The time of a dispatch, of several in one batch.
    fn time(&self) -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        for _ in 0..DISPATCHES {
            self.binding.dispatch()?;
        }
        self.context.synchronize_blocking()?;
        Ok(start.elapsed() / DISPATCHES)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}\n", Context::open()?.device());
    println!(
        "| elements | kept | checked, µs | trusted, µs | ratio |\n| --- | --- | --- | --- | --- |"
    );
    for (len, kept) in SIZES {
        let hash = |n: u32| n.wrapping_mul(0x9e37_79b9).rotate_left(16) % 1000;
        let keep: Vec<u32> = (0..len as u32).map(|n| u32::from(hash(n) < kept)).collect();
        let checked = Bound::new(ContextOptions::new(), &keep)?;
        let trusted = Bound::new(ContextOptions::new().trust_asserted_scatter(), &keep)?;
        let mut least = [Duration::MAX; 2];
        for _ in 0..TURNS {
            for (least, bound) in least.iter_mut().zip([&checked, &trusted]) {
                *least = (*least).min(bound.time()?);
            }
        }
        let read = |bound: &Bound| bound.context.download_blocking(&bound.output);
        assert_eq!(read(&checked)?, read(&trusted)?);
        let [checked, trusted] = least.map(|time| time.as_secs_f64() * 1e6);
        let count = keep.iter().sum::<u32>();
        println!(
            "| {len} | {count} | {checked:.1} | {trusted:.1} | {:.2} |",
            checked / trusted
        );
    }
    Ok(())
}
