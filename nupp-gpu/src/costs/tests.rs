//! Batches that fail and devices that are lost, which need the inside of a context, and the choice of
//! a file.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::fault::lock;
use crate::{ContextOptions, SlotMut, failures};

#[test]
fn the_program_asks_before_the_variable() {
    let variable = |text: &str| Some(OsString::from(text));
    assert_eq!(wanted(None, None), None);
    assert_eq!(wanted(None, variable("")), None);
    assert_eq!(wanted(None, variable("a")), Some("a".into()));
    assert_eq!(wanted(Some(Path::new("b")), None), Some("b".into()));
    assert_eq!(
        wanted(Some(Path::new("b")), variable("a")),
        Some("b".into())
    );
}

/// A context with a log in a new file.
fn logged(name: &str) -> Option<(Context, PathBuf)> {
    let name = format!("nupp-costs-{name}-{}.jsonl", std::process::id());
    let path = std::env::temp_dir().join(name);
    let context = failures::common::context_with(ContextOptions::new().costs(&path))?;
    Some((context, path))
}

/// The lines of an operation; the file goes.
fn lines(path: &Path, operation: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::remove_file(path).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["operation"] == operation)
        .collect()
}

#[test]
fn a_batch_that_fails_has_no_times_and_the_next_one_has() {
    let Some((context, path)) = logged("batch") else {
        return;
    };
    let buffer = context.buffer::<u32>(2).unwrap();
    let kernel = context.compile_raw(failures::common::bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    binding.dispatch(&[1]).unwrap();
    binding.dispatch(&[2]).unwrap();
    // A copy that no device allows spoils the batch.
    let spoiled = failures::spoiled(&context);
    let inner = &context.inner;
    lock(&inner.recorder)
        .snapshot(&inner.gpu, &inner.uniforms, &spoiled)
        .unwrap();
    context.synchronize_blocking().unwrap_err();
    binding.dispatch(&[4]).unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [4, 4]);
    let measures = inner
        .gpu
        .device
        .features()
        .contains(wgpu::Features::TIMESTAMP_QUERY);
    let executions = lines(&path, "kernelExecution");
    assert_eq!(executions.len(), 3);
    for line in &executions[..2] {
        let reason = line["unavailable"].as_str().unwrap();
        assert!(
            reason.starts_with("its batch was not submitted: submitting `bump` failed"),
            "{reason}"
        );
    }
    // Its queries are those that the first batch would have used.
    let reason = executions[2]["unavailable"].as_str();
    assert!(
        executions[2]["gpuMs"].is_number() || !measures || reason == Some("both ticks are equal")
    );
}

#[test]
fn a_lost_device_leaves_a_line_for_each_dispatch() {
    let Some((context, path)) = logged("loss") else {
        return;
    };
    let buffer = context.buffer::<u32>(2).unwrap();
    let kernel = context.compile_raw(failures::common::bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    binding.dispatch(&[1]).unwrap();
    context.synchronize_blocking().unwrap();
    binding.dispatch(&[1]).unwrap();
    // In flight or done when the device goes.
    context.flush().unwrap();
    binding.dispatch(&[1]).unwrap();
    failures::lose(&context);
    context.synchronize_blocking().unwrap_err();
    assert_eq!(context.costs_failure(), None);
    drop((buffer, kernel, binding, context));
    // What was in flight is told by the thread that waits for it.
    let start = Instant::now();
    let told = || {
        let text = std::fs::read_to_string(&path).unwrap();
        text.matches("kernelExecution").count() == 3 && text.ends_with('\n')
    };
    while !told() {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1));
    }
    let executions = lines(&path, "kernelExecution");
    let told = executions
        .iter()
        .map(|line| line["dispatch"].as_u64().unwrap());
    assert_eq!(told.collect::<BTreeSet<u64>>().len(), 3);
    assert_eq!(executions.len(), 3);
    // The last did not run, as the device was gone before its batch went.
    let last = executions
        .iter()
        .max_by_key(|line| line["dispatch"].as_u64());
    let reason = last.unwrap()["unavailable"].as_str().unwrap();
    let never = reason == "it was never submitted";
    assert!(
        never || reason.starts_with("its batch was not submitted"),
        "{reason}"
    );
}
