//! What the log says of dispatches, and of their times on the device.

use nupp_core::artifact::KernelSpec;
use nupp_gpu::{ContextOptions, Layout, Slot, SlotMut};
use serde_json::json;

use crate::common::{Sketch, affine, bump, context_with, span};
use crate::schema::{Line, of, read};
use crate::{bumped, file, logged};

/// `output[i] = input[i] * factor + add`, where a view begins too.
fn offset() -> &'static KernelSpec {
    let spans = vec![
        span("output", "uint32", true),
        span("input", "uint32", false),
    ];
    let body = "span0[lane] = span1[at(1u) + lane] * arg(0u) + arg(1u);";
    Sketch::map("offset", spans, body).uniforms(2).embed()
}

#[test]
fn a_dispatch_says_what_it_reuses_and_what_it_is_given() {
    let path = file("dispatch");
    let Some(context) = logged(&path) else { return };
    let kernel = context.compile_raw(offset()).unwrap();
    let output = context.buffer::<u32>(64).unwrap();
    let stored = context.buffer::<u32>(200).unwrap();
    let input = stored
        .view(&Layout::new(&[8, 8], &[8, 1], 70).unwrap())
        .unwrap();
    context.upload(&stored, &[7; 200]).unwrap();
    let bind = || {
        kernel.bind(vec![
            SlotMut::from(&output).into(),
            Slot::from(&input).into(),
        ])
    };
    let (first, second) = (bind().unwrap(), bind().unwrap());
    first.dispatch(&[1, u32::MAX]).unwrap();
    first.dispatch(&[2, 0]).unwrap();
    context.upload(&input, &[9; 64]).unwrap();
    second.dispatch(&[3, 0]).unwrap();
    assert_eq!(context.download_blocking(&output).unwrap(), [27; 64]);
    // The pipeline is found again by whoever compiles the kernel a second time.
    let again = context.compile_raw(offset()).unwrap();
    let slots = vec![SlotMut::from(&output).into(), Slot::from(&input).into()];
    again.bind(slots).unwrap().dispatch(&[1, 0]).unwrap();
    context.synchronize_blocking().unwrap();

    let lines = read(&path);
    assert_eq!(of(&lines, "pipelineCreate").len(), 1);
    let dispatches = of(&lines, "dispatch");
    let told: Vec<_> = dispatches
        .iter()
        .map(|line| {
            (
                line.text("use"),
                line.get("bindingReused").as_bool().unwrap(),
                line.integer("binding"),
            )
        })
        .collect();
    let later = "steady-state";
    let expected = [
        ("first-use", false, 1),
        (later, true, 1),
        (later, false, 2),
        (later, false, 3),
    ];
    assert_eq!(told, expected);
    let uniforms: Vec<_> = dispatches.iter().map(|line| line.get("uniforms")).collect();
    assert_eq!(
        uniforms,
        [
            &json!([1, u32::MAX]),
            &json!([2, 0]),
            &json!([3, 0]),
            &json!([1, 0])
        ]
    );
    for (position, line) in dispatches.iter().enumerate() {
        assert_eq!(
            line.integers(["workItems", "workgroups", "pipeline"]),
            [64, 1, 1]
        );
        let slot = |span, version, buffer, access, offset, layout: [&[u32]; 2]| {
            json!({
                "span": span, "version": version, "buffer": buffer, "access": access,
                "offset": offset, "extent": 64, "dimensions": layout[0], "strides": layout[1],
            })
        };
        let version = if position < 2 { 1 } else { 2 };
        let expected = json!([
            slot("output", position, 1, "write", 0, [&[64], &[1]]),
            slot("input", version, 2, "read", 70, [&[8, 8], &[8, 1]]),
        ]);
        assert_eq!(line.get("slots"), &expected);
    }
    let bound = of(&lines, "bindBuffer");
    let bound = bound
        .iter()
        .map(|line| line.integers(["binding", "slot", "buffer", "offset"]));
    let expected = (1..4).flat_map(|binding| [[binding, 0, 1, 0], [binding, 1, 2, 70]]);
    assert_eq!(bound.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn a_pipeline_that_compilation_shares_is_used_first_once() {
    let path = file("first");
    let Some(context) = logged(&path) else { return };
    let (bump, affine) = (bump(), affine());
    let kernel = context.compile_raw(bump).unwrap();
    // Nothing to run is no use.
    bumped(&context, &kernel, 0).1.dispatch(&[1]).unwrap();
    bumped(&context, &kernel, 4).1.dispatch(&[1]).unwrap();
    let (output, input) = (
        context.buffer::<u32>(4).unwrap(),
        context.buffer::<u32>(4).unwrap(),
    );
    let slots = vec![SlotMut::from(&output).into(), Slot::from(&input).into()];
    context
        .compile_raw(affine)
        .unwrap()
        .bind(slots)
        .unwrap()
        .dispatch(&[1, 1])
        .unwrap();
    bumped(&context, &kernel, 4).1.dispatch(&[1]).unwrap();
    context.synchronize_blocking().unwrap();
    let lines = read(&path);
    let uses = of(&lines, "dispatch");
    let uses: Vec<_> = uses
        .iter()
        .map(|line| {
            (
                line.text("kernel"),
                line.text("use"),
                line.integer("workgroups"),
            )
        })
        .collect();
    let first = |kernel| (kernel, "first-use", 1);
    assert_eq!(
        uses,
        [
            ("bump", "first-use", 0),
            first("bump"),
            first("affine"),
            ("bump", "steady-state", 1)
        ]
    );
}

#[test]
fn each_dispatch_has_one_execution() {
    let path = file("executions");
    let Some(context) = logged(&path) else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let (buffer, binding) = bumped(&context, &kernel, 100);
    // More than two batches, with copies between the passes.
    for step in 0..2500u32 {
        binding.dispatch(&[step]).unwrap();
        if step % 500 == 0 {
            context.upload(&buffer, &[step; 100]).unwrap();
        }
    }
    let sum = 2000 + (2001..2500).sum::<u32>();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [sum; 100]);
    bumped(&context, &kernel, 0).1.dispatch(&[1]).unwrap();
    // The last is never submitted.
    binding.dispatch(&[1]).unwrap();
    drop((context, kernel, buffer, binding));

    let lines = read(&path);
    let dispatches: Vec<u64> = of(&lines, "dispatch")
        .iter()
        .map(|line| line.integer("sequence"))
        .collect();
    assert_eq!(dispatches.len(), 2502);
    let executions = of(&lines, "kernelExecution");
    let mut told: Vec<u64> = executions
        .iter()
        .map(|line| line.integer("dispatch"))
        .collect();
    told.sort_unstable();
    assert_eq!(told, dispatches);
    assert!(
        executions
            .iter()
            .all(|line| line.integer("dispatch") < line.integer("sequence"))
    );
    let adapter = of(&lines, "adapterDevice")[0];
    let reason = |position: usize| {
        let line = executions
            .iter()
            .find(|line| line.integer("dispatch") == dispatches[position]);
        line.unwrap().text("unavailable")
    };
    assert_eq!(reason(2500), "there was nothing to run");
    assert_eq!(reason(2501), "it was never submitted");
    match adapter.text("timestamps") {
        "available" => measured(&executions, adapter.number("periodNs")),
        other => assert!(
            executions
                .iter()
                .take(2500)
                .all(|line| line.text("unavailable") == other)
        ),
    }
}

/// A dispatch that a bound of workgroups splits has a launch in each of several submits, and ticks would
/// be those of the last.
#[test]
fn a_split_dispatch_has_no_time() {
    let path = file("split");
    let options = ContextOptions::new().costs(&path).workgroups_per_submit(2);
    let Some(context) = context_with(options) else {
        return;
    };
    let kernel = context.compile_raw(bump()).unwrap();
    let (long, split) = bumped(&context, &kernel, 64 * 5);
    let (short, whole) = bumped(&context, &kernel, 64 * 2);
    for step in 1..4 {
        split.dispatch(&[step]).unwrap();
        whole.dispatch(&[step]).unwrap();
    }
    assert_eq!(context.download_blocking(&long).unwrap(), [6; 64 * 5]);
    assert_eq!(context.download_blocking(&short).unwrap(), [6; 64 * 2]);
    let lines = read(&path);
    let executions = of(&lines, "kernelExecution");
    assert_eq!(executions.len(), 6);
    let reason = "it was split into several launches";
    let told = |line: &Line| !line.has("gpuMs") && line.text("unavailable") == reason;
    let adapter = of(&lines, "adapterDevice")[0];
    let timestamps = adapter.text("timestamps") == "available";
    for pair in executions.chunks(2) {
        assert_eq!([told(pair[0]), told(pair[1])], [timestamps, false]);
    }
}

/// Times are what the ticks say, and the kernels of a context ran one after the other.
fn measured(executions: &[&Line], period: f64) {
    let mut end = 0;
    let mut times = 0;
    for line in executions.iter().take(2500) {
        if !line.has("gpuMs") {
            // A counter may be too coarse for so small a kernel.
            assert_eq!(line.text("unavailable"), "both ticks are equal");
            continue;
        }
        let [ticks, begin, next] = line.integers(["ticks", "beginTick", "endTick"]);
        assert!(
            ticks > 0 && next - begin == ticks && begin >= end,
            "{line:?} after {end}"
        );
        assert_eq!(line.number("periodNs").to_bits(), period.to_bits());
        assert_eq!(
            line.number("gpuMs").to_bits(),
            (ticks as f64 * period / 1e6).to_bits()
        );
        (end, times) = (next, times + 1);
    }
    assert!(times > 0, "nothing was measured");
}
