//! Where the log goes: files that contexts, threads and processes share or cannot write, and results
//! that none of it changes.

use std::path::Path;
use std::process::Command;

use nupp_core::ir::samples;
use nupp_gpu::{Context, CostsError};

use crate::common::context;
use crate::common::embedded::{check_groups, check_map, embed};
use crate::schema::{of, read};
use crate::{expected, file, logged, run};

#[test]
fn the_first_context_empties_the_file_and_later_ones_add_to_it() {
    let path = file("contexts");
    let Some(first) = logged(&path) else { return };
    // The same file by another name.
    let parent = path.parent().unwrap();
    let detour = parent
        .join("..")
        .join(parent.file_name().unwrap())
        .join(path.file_name().unwrap());
    let second = logged(&detour).unwrap();
    for context in [&first, &second, &first] {
        context.buffer::<u32>(1).unwrap();
    }
    drop((first, second));
    drop(logged(&path));
    let lines = read(&path);
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line.integer("context"), line.operation()))
        .collect();
    let [made, gone] = ["bufferAllocate", "bufferRelease"];
    let expected = [
        (1, "adapterDevice"),
        (2, "adapterDevice"),
        (1, made),
        (1, gone),
        (2, made),
        (2, gone),
        (1, made),
        (1, gone),
        (1, "contextCleanup"),
        (2, "contextCleanup"),
        (3, "adapterDevice"),
        (3, "contextCleanup"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_file_that_cannot_be_opened_disturbs_nothing() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("no such folder")
        .join("costs.jsonl");
    let Some(context) = logged(&path) else { return };
    assert_eq!(run(&context), expected());
    match context.costs_failure() {
        Some(CostsError::Open { path: told, reason }) => {
            assert_eq!(told, path);
            assert!(!reason.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_full_disturbs_nothing() {
    let Some(context) = logged(Path::new("/dev/full")) else {
        return;
    };
    assert_eq!(run(&context), expected());
    match context.costs_failure() {
        // Some hundreds of dispatches alone, with as many executions.
        Some(CostsError::Write { path, lost, .. }) if lost > 600 => {
            assert_eq!(path, Path::new("/dev/full"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn results_are_the_same_bits_with_and_without() {
    let path = file("bits");
    let (Some(plain), Some(costly)) = (context(), logged(&path)) else {
        return;
    };
    let batches = |context: &Context| -> Vec<Vec<u32>> { (0..5).map(|_| run(context)).collect() };
    assert_eq!(batches(&plain), batches(&costly));
    for context in [&plain, &costly] {
        assert_eq!(run(context), expected());
        let map = context.compile_raw(embed(samples::map())).unwrap();
        let groups = context.compile_raw(embed(samples::groups())).unwrap();
        for len in [1, 257, 5000] {
            check_map(context, &map, len);
            check_groups(context, &groups, len);
        }
    }
    assert_eq!(
        of(&read(&path), "dispatch").len(),
        6 * 300 + 6 + probes(&path)
    );
}

/// Dispatches of the probe, which runs in the first context of a process that needs it.
fn probes(path: &Path) -> usize {
    let lines = read(path);
    let all = of(&lines, "dispatch");
    all.iter()
        .filter(|line| line.text("kernel") == "arithmetic probe")
        .count()
}

#[test]
fn threads_share_a_log() {
    let path = file("threads");
    let Some(context) = logged(&path) else { return };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(run(&context), expected()));
        }
    });
    let lines = read(&path);
    assert_eq!(of(&lines, "dispatch").len(), 4 * 300);
    assert_eq!(of(&lines, "kernelExecution").len(), 4 * 300);
    let uses = of(&lines, "dispatch").into_iter();
    let first = uses.filter(|line| line.text("use") == "first-use");
    assert_eq!(first.count(), of(&lines, "pipelineCreate").len());
}

/// Asks for no log, so that the variable decides.
#[test]
fn a_program_as_it_is() {
    let Some(context) = context() else { return };
    assert_eq!(run(&context), expected());
    assert_eq!(context.costs_failure(), None);
}

#[test]
fn the_variable_names_a_log() {
    if context().is_none() {
        return;
    }
    let path = file("variable");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "files::a_program_as_it_is"]);
    let child = child.env("NUPP_GPU_COSTS", &path).output().unwrap();
    assert!(child.status.success());
    let lines = read(&path);
    assert_eq!(of(&lines, "dispatch").len(), 300);
    let other = u64::from(std::process::id());
    assert!(lines.iter().all(|line| line.integer("process") != other));
}
