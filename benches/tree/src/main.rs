//! Measures the 256-lane tree on the CPU, in one run: `nupp`'s two CPU forms, the same tree written by
//! hand in Rust on one thread and over rayon, and, with the feature `cubecl`, CubeCL's CPU runtime with
//! the tree folded onto one lane.
//!
//! `cargo run --release [--features cubecl] -- [values ...]`, by default 2^20 and 2^26 values. All
//! contenders take turns, so that what disturbs one disturbs the others; of each the best time counts.
//! It fails if any result differs from the plain loop by a bit.

mod by_hand;
mod kernel;
#[cfg(feature = "cubecl")]
mod peer;

use by_hand::LANES;
use rayon::prelude::*;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long each size is measured, all contenders together.
const BUDGET: Duration = Duration::from_secs(12);

/// CubeCL with a group a cube, and with 64.
const PEER: &str = "CubeCL, a group a cube";
const PEER_IN_A_ROW: &str = "CubeCL, 64 a cube";

/// Groups that a task of the loop by hand takes.
const GROUPS_A_TASK: usize = 256;

type Sum = Box<dyn FnMut(&mut [f32], &[f32]) -> Result<Duration, Box<dyn Error>>>;

/// One way to compute the sums, and its best time.
struct Contender {
    name: &'static str,
    run: Sum,
    best: Duration,
}

impl Contender {
    /// One whose whole call is timed.
    fn new(
        name: &'static str,
        mut call: impl FnMut(&mut [f32], &[f32]) -> Result<(), Box<dyn Error>> + 'static,
    ) -> Self {
        Contender {
            name,
            run: Box::new(move |sums, input| {
                let begun = Instant::now();
                call(sums, input)?;
                Ok(begun.elapsed())
            }),
            best: Duration::MAX,
        }
    }
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

/// Returns whether all sums were the same.
fn run() -> Result<bool, Box<dyn Error>> {
    let sizes: Result<Vec<usize>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let mut sizes = sizes.map_err(|fault| format!("a number of values is a number: {fault}"))?;
    if sizes.is_empty() {
        sizes = vec![1 << 20, 1 << 26];
    }
    println!("{}", machine());
    let mut same = true;
    for size in sizes {
        same &= measure(size)?;
    }
    Ok(same)
}

/// The processor's name, and how many threads rayon uses on it.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split(": ").nth(1));
    format!(
        "{}, {} threads",
        name.unwrap_or("a processor without a name"),
        rayon::current_num_threads()
    )
}

/// Values with every bit of the fraction in use, of both signs.
fn values(count: usize) -> Vec<f32> {
    let mut state = 42_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state as i32) as f32 / 2_147_483_648.0
    };
    (0..count).map(|_| next()).collect()
}

fn measure(size: usize) -> Result<bool, Box<dyn Error>> {
    let input = values(size);
    let groups = size / LANES;
    let mut expected = vec![f32::NAN; groups];
    by_hand::tree(&mut expected, &input);
    let mut contenders = contenders();
    #[cfg(feature = "cubecl")]
    contenders.extend(peers(&input));
    let mut sums = vec![f32::NAN; groups];
    let mut same = true;
    for contender in &mut contenders {
        sums.fill(f32::NAN);
        (contender.run)(&mut sums, &input)?;
        let differ = |(a, b): &(&f32, &f32)| a.to_bits() != b.to_bits();
        let wrong = sums.iter().zip(&expected).filter(differ).count();
        if wrong > 0 {
            println!("{}: DIFFERENT in {wrong} of {groups} sums", contender.name);
            same = false;
        }
    }
    let started = Instant::now();
    while started.elapsed() < BUDGET {
        for contender in &mut contenders {
            contender.best = contender.best.min((contender.run)(&mut sums, &input)?);
        }
    }
    report(size, &contenders);
    Ok(same)
}

fn contenders() -> Vec<Contender> {
    vec![
        Contender::new("by hand, one thread", |sums, input| {
            by_hand::tree(sums, input);
            Ok(())
        }),
        Contender::new("by hand, rayon", |sums, input| {
            let parts = sums.par_chunks_mut(GROUPS_A_TASK);
            let groups = input.par_chunks(GROUPS_A_TASK * LANES);
            parts
                .zip(groups)
                .for_each(|(sums, input)| by_hand::tree(sums, input));
            Ok(())
        }),
        Contender::new("nupp, cpu", |sums, input| Ok(kernel::tree(sums, input)?)),
        Contender::new("nupp, cpu_parallel", |sums, input| {
            Ok(kernel::tree::cpu_parallel(sums, input)?)
        }),
    ]
}

/// CubeCL, whose input is uploaded beforehand and whose results are fetched after the time is taken.
#[cfg(feature = "cubecl")]
fn peers(input: &[f32]) -> Vec<Contender> {
    let forms = [(PEER, 1), (PEER_IN_A_ROW, 64)];
    let with = |(name, each)| {
        let mut peer = peer::Peer::new(input, each);
        Contender {
            name,
            run: Box::new(move |sums, _| Ok(peer.tree(sums))),
            best: Duration::MAX,
        }
    };
    forms.into_iter().map(with).collect()
}

fn report(size: usize, contenders: &[Contender]) {
    println!("{size} values, {} KiB", size * 4 / 1024);
    let best = |name: &str| {
        let found = contenders.iter().find(|contender| contender.name == name);
        found.map(|contender| contender.best.as_secs_f64())
    };
    for contender in contenders {
        let rate = size as f64 * 4.0 / contender.best.as_secs_f64() / 1e9;
        println!("  {:<22} {rate:>8.2} GB/s", contender.name);
    }
    let ratios = [
        ("nupp, cpu", "by hand, one thread"),
        ("nupp, cpu_parallel", "by hand, rayon"),
        ("nupp, cpu_parallel", PEER),
        ("nupp, cpu_parallel", PEER_IN_A_ROW),
    ];
    for (ours, theirs) in ratios {
        if let (Some(us), Some(them)) = (best(ours), best(theirs)) {
            println!("  {ours} / {theirs}: {:.2}", them / us);
        }
    }
}
