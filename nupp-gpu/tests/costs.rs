//! The cost log: real kernels are run, and the file is read back and held to `docs/costs.md`.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "costs/dispatches.rs"]
mod dispatches;
#[path = "costs/files.rs"]
mod files;
#[path = "costs/schema.rs"]
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::embedded::{check_groups, check_map, embed};
use common::{affine, bump, context_with};
use nupp_core::ir::samples;
use nupp_gpu::{Context, ContextOptions, RawBinding, RawKernel, Slot, SlotMut};
use schema::{Line, Schema, of, read};
use serde_json::json;

/// A file for a test's log, with something in it that is no log.
fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("costs-{name}.jsonl"));
    std::fs::write(&path, "of an earlier run\n").unwrap();
    path
}

fn logged(path: &Path) -> Option<Context> {
    context_with(ContextOptions::new().costs(path))
}

/// A binding of `bump` to a new buffer of so many words.
fn bumped(
    context: &Context,
    kernel: &RawKernel,
    len: usize,
) -> (nupp_gpu::Buffer<u32>, RawBinding) {
    let buffer = context.buffer::<u32>(len).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    (buffer, binding)
}

/// 300 dispatches of a chain, with uploads in between.
fn run(context: &Context) -> Vec<u32> {
    let (bump, affine) = (
        context.compile_raw(bump()).unwrap(),
        context.compile_raw(affine()).unwrap(),
    );
    let (values, bumped) = bumped(context, &bump, 500);
    let input = context.buffer::<u32>(500).unwrap();
    let mapped = affine
        .bind(vec![
            SlotMut::from(&values).into(),
            Slot::from(&input).into(),
        ])
        .unwrap();
    for step in 0..100 {
        context.upload(&input, &inputs(step)).unwrap();
        mapped.dispatch(&[3, step]).unwrap();
        bumped.dispatch(&[7]).unwrap();
        bumped.dispatch(&[step]).unwrap();
    }
    context.download_blocking(&values).unwrap()
}

fn inputs(step: u32) -> Vec<u32> {
    (0..500)
        .map(|i: u32| i.wrapping_mul(0x9e37_79b9) ^ step)
        .collect()
}

fn expected() -> Vec<u32> {
    inputs(99)
        .iter()
        .map(|x| x.wrapping_mul(3).wrapping_add(99 + 7 + 99))
        .collect()
}

#[test]
fn every_operation_is_logged_as_documented() {
    let path = file("every");
    let Some(context) = logged(&path) else { return };
    let map = context.compile_raw(embed(samples::map())).unwrap();
    check_map(&context, &map, 5000);
    let groups = context.compile_raw(embed(samples::groups())).unwrap();
    // The second has no whole group, and so nothing to run.
    check_groups(&context, &groups, 256 * 37 + 19);
    check_groups(&context, &groups, 255);
    context.synchronize_blocking().unwrap();
    assert_eq!(context.costs_failure(), None);
    let device = context.device().to_string();
    drop((map, groups, context));

    let lines = read(&path);
    let schema = Schema::read();
    let seen: BTreeSet<&str> = lines.iter().map(Line::operation).collect();
    assert_eq!(seen, schema.operations());
    let adapter = of(&lines, "adapterDevice")[0];
    assert!(device.starts_with(adapter.text("adapter")));
    assert!(adapter.integer("clockUnixUs") > 0);
    let measures = adapter.text("timestamps") == "available";
    assert_eq!(measures, adapter.get("periodNs").is_number());
    for operation in schema.operations() {
        let forms: BTreeSet<usize> = of(&lines, operation)
            .into_iter()
            .map(|l| schema.check(l))
            .collect();
        let without = usize::from(operation == "kernelExecution" && !measures);
        assert_eq!(
            forms.len(),
            schema.forms(operation) - without,
            "{operation}"
        );
    }
    let kinds = |kind| {
        of(&lines, "dispatch")
            .iter()
            .any(|line| line.text("workItem") == kind)
    };
    assert!(kinds("lane") && kinds("group"));
    let made = |name| of(&lines, name).len() as u64;
    let end = lines.last().unwrap();
    assert_eq!(end.operation(), "contextCleanup");
    assert_eq!(
        end.integers(["buffers", "pipelines", "bindings", "dispatches"]),
        [
            "bufferAllocate",
            "pipelineCreate",
            "bindingCreate",
            "dispatch"
        ]
        .map(made)
    );
    assert_eq!(end.get("inFlight"), &json!(false));
    let bytes = |name| -> BTreeMap<u64, u64> {
        let all = of(&lines, name).into_iter();
        all.map(|line| (line.integer("buffer"), line.integer("allocatedBytes")))
            .collect()
    };
    assert_eq!(made("bufferAllocate"), made("bufferRelease"));
    assert_eq!(bytes("bufferAllocate"), bytes("bufferRelease"));
    let process = u64::from(std::process::id());
    assert!(
        lines
            .iter()
            .all(|line| line.integers(["process", "context"]) == [process, 1])
    );
}

#[test]
fn transfers_tell_their_bytes() {
    let path = file("transfers");
    let Some(context) = logged(&path) else { return };
    let narrow = context.buffer::<u8>(6).unwrap();
    let words = context.buffer::<u32>(10).unwrap();
    context.upload(&narrow, &[1; 6]).unwrap();
    context.upload(&words, &[2; 10]).unwrap();
    let part = words.subview(&[3], &[5]).unwrap();
    context.upload(&part, &[3; 5]).unwrap();
    context
        .upload(&words.subview(&[9], &[1]).unwrap(), &[4])
        .unwrap();
    context.enqueue_download(&narrow).unwrap();
    context.synchronize_blocking().unwrap();
    context.read_downloaded(&narrow, &mut [0; 6]).unwrap();
    assert_eq!(context.download_blocking(&part).unwrap(), [3; 5]);
    assert_eq!(pollster::block_on(context.download(&words)).unwrap()[9], 4);
    pollster::block_on(context.synchronize()).unwrap();
    drop(context.synchronize());
    // What is empty moves nothing.
    let empty = context.buffer::<u32>(0).unwrap();
    context.upload(&empty, &[]).unwrap();
    assert!(context.download_blocking(&empty).unwrap().is_empty());
    // What fails is not told.
    context.upload(&words, &[1]).unwrap_err();
    context.read_downloaded(&words, &mut [0; 10]).unwrap_err();

    let lines = read(&path);
    let told = |operation, names: [&str; 4]| {
        let all = of(&lines, operation).into_iter();
        all.map(|line| line.integers(names)).collect::<Vec<_>>()
    };
    let sizes = told(
        "bufferAllocate",
        ["buffer", "elements", "bytes", "allocatedBytes"],
    );
    assert_eq!(sizes, [[1, 6, 6, 8], [2, 10, 40, 40], [3, 0, 0, 4]]);
    let uploads = told("upload", ["buffer", "offsetBytes", "bytes", "stagedBytes"]);
    assert_eq!(
        uploads,
        [[1, 0, 6, 8], [2, 0, 40, 40], [2, 12, 20, 20], [2, 36, 4, 4]]
    );
    let versions = of(&lines, "upload")
        .into_iter()
        .map(|line| line.integer("version"));
    assert_eq!(versions.collect::<Vec<_>>(), [1, 1, 2, 3]);
    let queued = told(
        "downloadQueue",
        ["buffer", "version", "offsetBytes", "bytes"],
    );
    assert_eq!(queued, [[1, 1, 0, 6], [2, 3, 12, 20], [2, 3, 0, 40]]);
    for operation in ["downloadMapCopy", "downloadHostCopy"] {
        let copied = told(operation, ["buffer", "bytes", "context", "schemaVersion"]);
        assert_eq!(copied, [[1, 6, 1, 1], [2, 20, 1, 1], [2, 40, 1, 1]]);
    }
    let waits = of(&lines, "synchronizeWait");
    assert_eq!(
        waits
            .iter()
            .map(|line| line.text("outcome"))
            .collect::<Vec<_>>(),
        ["done"; 2]
    );
}

#[test]
fn a_wait_that_is_cut_short_says_so() {
    let path = file("timeout");
    let Some(context) = logged(&path) else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let (_buffer, binding) = bumped(&context, &kernel, 1 << 20);
    let mut outcomes = Vec::new();
    while !outcomes.contains(&"timeout") {
        (0..200).for_each(|_| binding.dispatch(&[1]).unwrap());
        outcomes.push(match context.synchronize_within(Duration::ZERO) {
            Ok(()) => "done",
            Err(_) => "timeout",
        });
    }
    context.synchronize_blocking().unwrap();
    outcomes.push("done");
    let lines = read(&path);
    let told = of(&lines, "synchronizeWait");
    assert_eq!(
        told.iter()
            .map(|line| line.text("outcome"))
            .collect::<Vec<_>>(),
        outcomes
    );
}
