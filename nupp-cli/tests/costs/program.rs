//! The program that is run: this test's own, which then opens a context and runs two kernels.

use std::process::Command;

use nupp::{Context, nupp};

nupp! {
    @aot(target = "gpu")
    local function scale(exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>, factor: float): nil
        assert(#output == #input, "output and input differ in length")
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function count(exclusive output: span.WriteSpan<uint32>): nil
        for index = 1, #output do
            output[index] = u32.wrap(index)
        end
    end
}

/// Bytes of the two buffers of floats and the one of integers.
pub const BYTES: [u64; 3] = [4000, 4000, 400];
/// Dispatches of `scale`.
pub const SCALES: u64 = 7;

/// What another process reads its clock as, in nanoseconds.
#[cfg(target_os = "linux")]
pub fn monotonic() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one `timespec` to where the pointer leads, which is a local one.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    assert_eq!(failed, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(not(target_os = "linux"))]
pub fn monotonic() -> u64 {
    0
}

/// Runs for a log that the variable names, if one is named.
#[test]
fn program() {
    if !available() {
        return;
    }
    let before = monotonic();
    let context = Context::open().unwrap();
    println!("clock {before} {}", monotonic());
    let input: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let (output, source) = (
        context.buffer::<f32>(1000).unwrap(),
        context.buffer::<f32>(1000).unwrap(),
    );
    context.upload(&source, &input).unwrap();
    let binding = scale::compile(&context)
        .unwrap()
        .bind(&output, &source)
        .unwrap();
    for _ in 0..SCALES {
        binding.dispatch(0.5).unwrap();
    }
    context.synchronize_blocking().unwrap();
    {
        let counted = context.buffer::<u32>(100).unwrap();
        let kernel = count::compile(&context).unwrap();
        kernel.bind(&counted).unwrap().dispatch().unwrap();
        let counted = context.download_blocking(&counted).unwrap();
        assert_eq!(counted, (1..=100).collect::<Vec<u32>>());
    }
    let halves = context.download_blocking(&output).unwrap();
    let expected = input.iter().map(|x| (x * 0.5).to_bits());
    assert!(halves.iter().map(|x| x.to_bits()).eq(expected));
}

/// Whether there is a device to run on; where one is required, its absence fails.
pub fn available() -> bool {
    let there = nupp::available();
    let required = std::env::var_os("NUPP_REQUIRE_GPU").is_some_and(|value| value == "1");
    assert!(there || !required, "an adapter is required");
    if !there {
        eprintln!("skipped: there is no adapter");
    }
    there
}

/// The words that run the program.
pub fn command() -> Vec<String> {
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap().to_owned();
    let rest = ["--exact", "program::program", "--nocapture"];
    let rest = rest.into_iter().map(str::to_owned);
    std::iter::once(own).chain(rest).collect()
}

/// `cargo nupp` with these words, then the program.
pub fn under(arguments: &[&str]) -> Command {
    let mut nupp = Command::new(env!("CARGO_BIN_EXE_cargo-nupp"));
    nupp.args(arguments).arg("--").args(command());
    nupp
}
