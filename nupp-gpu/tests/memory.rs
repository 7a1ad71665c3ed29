//! Memory that runs out: the error says for how many bytes, and the context goes on.
//!
//! Memory is made short by the system: the test runs itself again with a bound on its addresses, out of
//! which lavapipe takes the device's memory. A device in hardware has memory of its own, and SwiftShader
//! ends the process instead of answering.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod common;

use common::{bump, context};
use nupp_gpu::{Buffer, BufferError, Context, DeviceError, SlotMut, TransferError};
use nupp_testkit::alone;

/// KiB of addresses: several times what the driver takes for itself.
const BOUND: u32 = 4 * 1024 * 1024;
/// Elements of four bytes of a buffer that there is no room for at last: as many as every device binds.
const LARGE: usize = 32 * 1024 * 1024;
const BYTES: u64 = LARGE as u64 * 4;

#[test]
fn want_of_memory_is_told_in_bytes_and_the_context_goes_on() {
    const TEST: &str = "want_of_memory_is_told_in_bytes_and_the_context_goes_on";
    if alone::is(TEST) {
        return run_short();
    }
    let Some(context) = context() else { return };
    if !context.device().adapter.contains("llvmpipe") {
        eprintln!(
            "skipped: {} has no memory that could be bounded",
            context.device()
        );
        return;
    }
    drop(context);
    alone::run(TEST, &format!("ulimit -v {BOUND}"), &[]);
}

/// What the host keeps for itself, so that it is the device that runs out.
fn ballast() -> Vec<u8> {
    vec![0; 256 * 1024 * 1024]
}

/// Takes large buffers until there is no room for another.
fn fill(context: &Context) -> Vec<Buffer<u32>> {
    let mut held = Vec::new();
    loop {
        match context.buffer(LARGE) {
            Ok(buffer) => held.push(buffer),
            Err(refused) => {
                let told = BufferError::Device(DeviceError::OutOfMemory { bytes: Some(BYTES) });
                assert_eq!(refused, told);
                let text = format!("the device is out of memory: {BYTES} bytes were asked for");
                assert_eq!(refused.to_string(), text);
                return held;
            }
        }
        assert!(held.len() < 64, "there is no end of memory");
    }
}

fn run_short() {
    let context = context().unwrap();
    let kernel = context.compile_raw(bump()).unwrap();
    let values = context.buffer::<u32>(1000).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&values).into()]).unwrap();
    let data = vec![0; LARGE];
    let kept = ballast();
    for turn in 1..=3 {
        let mut held = fill(&context);
        // Transfers need staging memory of the same size.
        let refused = [
            context.upload(&held[0], &data).unwrap_err(),
            context.download_blocking(&held[0]).map(drop).unwrap_err(),
            context.enqueue_download(&held[0]).unwrap_err(),
        ];
        for refused in refused {
            let told = DeviceError::OutOfMemory { bytes: Some(BYTES) };
            assert_eq!(refused, TransferError::Device(told));
        }
        // What is there goes on being right, and what is let go of is there again.
        binding.dispatch(&[turn]).unwrap();
        let expected = vec![(1..=turn).sum::<u32>(); 1000];
        assert_eq!(context.download_blocking(&values).unwrap(), expected);
        held.truncate(1);
        context.synchronize_blocking().unwrap();
        held.push(context.buffer(LARGE).unwrap());
    }
    drop(kept);
}
