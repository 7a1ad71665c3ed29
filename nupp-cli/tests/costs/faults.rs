//! Logs that something is wrong with: what is told of them, and what is still read.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{fresh, nupp, summary, text};

/// A line; what is in `fields` is added, or taken out where it is null.
fn line(sequence: u64, operation: &str, fields: Value) -> Value {
    let mut line = json!({
        "schemaVersion": 1,
        "process": 7,
        "sequence": sequence,
        "context": 1,
        "operation": operation,
        "timeNs": 1000 * sequence,
    });
    for (name, value) in fields.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

/// A log of five lines: two buffers, of which one goes before a third comes.
fn lines() -> Vec<Value> {
    let allocate = |sequence, buffer, bytes| {
        let fields = json!({
            "hostNs": 10, "buffer": buffer, "element": "u32", "elements": bytes / 4,
            "bytes": bytes, "allocatedBytes": bytes,
        });
        line(sequence, "bufferAllocate", fields)
    };
    vec![
        allocate(1, 1, 400),
        allocate(2, 2, 100),
        line(
            3,
            "bufferRelease",
            json!({ "buffer": 1, "allocatedBytes": 400 }),
        ),
        allocate(4, 3, 300),
        line(
            5,
            "synchronizeWait",
            json!({ "hostNs": 500, "outcome": "done" }),
        ),
    ]
}

fn written(name: &str, lines: &[Value]) -> PathBuf {
    let path = fresh(name);
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, lines).unwrap();
    path
}

fn costs(path: &Path) -> (Option<i32>, String, String) {
    let output = nupp(&["costs", path.to_str().unwrap()]);
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_log_without_faults() {
    let path = written("right.jsonl", &lines());
    let (status, printed, told) = costs(&path);
    assert_eq!((status, told.as_str()), (Some(0), ""));
    assert!(
        printed.starts_with("5 lines of process 7 over 5.00 µs\n"),
        "{printed}"
    );
    assert!(
        printed.ends_with("\nat most 500 bytes of buffers at once\n"),
        "{printed}"
    );
    let (object, _) = summary(&path);
    assert_eq!(
        object["buffers"]["allocated"],
        json!({ "count": 3, "bytes": 800, "hostNs": 30 })
    );
    assert_eq!(
        object["waits"],
        json!({ "done": { "count": 1, "hostNs": 500 } })
    );
}

/// A line with a change to its object.
fn changed(position: usize, change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let mut lines = lines();
    change(&mut lines[position]);
    lines
}

#[test]
fn each_fault_is_named_with_its_line() {
    let without = |lines: &mut Value, name: &str| {
        lines.as_object_mut().unwrap().remove(name);
    };
    let cases = [
        (
            changed(1, |l| l["schemaVersion"] = json!(2)),
            2,
            "schemaVersion is 2, and this program reads 1",
        ),
        (
            changed(1, |l| l["operation"] = json!("bufferMove")),
            2,
            "unknown operation `bufferMove`",
        ),
        (
            changed(4, |l| l["why"] = json!(1)),
            5,
            "unknown field `why` of `synchronizeWait`",
        ),
        (
            changed(3, |l| without(l, "bytes")),
            4,
            "`bufferAllocate` has no field `bytes`",
        ),
        (
            changed(0, |l| l["bytes"] = json!(1.5)),
            1,
            "field `bytes` of `bufferAllocate` is not of type integer",
        ),
        (
            changed(0, |l| l["bytes"] = json!(-1)),
            1,
            "field `bytes` of `bufferAllocate` is not of type integer",
        ),
        (changed(2, |l| *l = json!([])), 3, "no JSON object"),
        (
            changed(2, |l| *l = json!({})),
            3,
            "there is no schemaVersion: this is no line of a cost log",
        ),
        (
            changed(2, |l| l["process"] = json!(8)),
            3,
            "process 8 wrote to the file of process 7; its lines are left out",
        ),
    ];
    for (position, (lines, number, expected)) in cases.into_iter().enumerate() {
        let path = written(&format!("fault-{position}.jsonl"), &lines);
        let (status, printed, told) = costs(&path);
        let first = told.lines().next().unwrap();
        assert_eq!(
            first,
            format!("error: {}:{number}: {expected}", path.display())
        );
        assert_eq!(status, Some(1));
        // The other lines count.
        assert!(printed.starts_with("5 lines of process 7"), "{printed}");
        let (object, status) = summary(&path);
        assert_eq!(status, Some(1));
        assert_eq!(
            object["faults"][0],
            json!({ "line": number, "text": expected })
        );
        let counted = object["buffers"]["allocated"]["count"].as_u64().unwrap()
            + object["buffers"]["released"]["count"].as_u64().unwrap()
            + object["waits"]["done"]["count"]
                .as_u64()
                .unwrap_or_default();
        assert_eq!(counted, 4, "{expected}");
    }
}

#[test]
fn a_line_that_is_missing_is_noticed_and_told_once() {
    let mut lines = lines();
    lines.remove(1);
    let path = written("gap.jsonl", &lines);
    let (status, _, told) = costs(&path);
    assert_eq!(status, Some(1));
    let shown = path.display();
    assert_eq!(
        told,
        format!(
            "error: {shown}:2: sequence is 3 where 2 is due: lines are missing or out of order\n"
        )
    );
}

#[test]
fn broken_json_is_a_fault_but_for_a_last_line_that_is_cut_off() {
    let path = written("broken.jsonl", &lines());
    let whole = std::fs::read_to_string(&path).unwrap();
    // In the middle.
    std::fs::write(&path, whole.replacen("\"buffer\":2", "\"buffer\":", 1)).unwrap();
    let (status, _, told) = costs(&path);
    assert_eq!(status, Some(1));
    assert!(
        told.starts_with(&format!(
            "error: {}:2: no JSON: expected value (column ",
            path.display()
        )),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
    // At the end, wherever it is cut; without its last letter alone the line is whole.
    let last = whole[..whole.len() - 1].rfind('\n').unwrap() + 1;
    for cut in last + 1..whole.len() - 1 {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (object, status) = summary(&path);
        assert_eq!((status, &object["cutOff"]), (Some(0), &json!(true)));
        assert_eq!(
            (&object["lines"], &object["waits"]),
            (&json!(4), &json!({}))
        );
    }
    let (status, _, told) = costs(&path);
    assert_eq!(status, Some(0));
    let shown = path.display();
    assert_eq!(
        told,
        format!("note: {shown}:5: the last line is cut off, as by a process that died\n")
    );
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let (object, _) = summary(&path);
    assert_eq!(
        (&object["lines"], &object["cutOff"]),
        (&json!(5), &json!(false))
    );
}

#[test]
fn device_times_are_never_mixed_with_host_times() {
    let kernel = |sequence, fields: Value| line(sequence, "kernelExecution", fields);
    let dispatch = |sequence: u64| {
        let fields = json!({
            "hostNs": 5, "binding": 1, "pipeline": 1, "kernel": "k",
            "use": if sequence == 1 { "first-use" } else { "steady-state" },
            "bindingReused": sequence != 1, "workItem": "group", "workItems": 3,
            "workgroups": 3, "uniforms": [], "slots": [],
        });
        line(sequence, "dispatch", fields)
    };
    let timed = |of: u64, ms: f64| json!({ "dispatch": of, "kernel": "k", "gpuMs": ms, "ticks": 1, "beginTick": 1, "endTick": 2, "periodNs": 1.0 });
    let mut lines: Vec<Value> = (1..=6).map(dispatch).collect();
    for (of, ms) in [(1, 8.0), (2, 1.0), (3, 2.0), (4, 4.0)] {
        lines.push(kernel(6 + of, timed(of, ms)));
    }
    let reason = json!({ "dispatch": 5, "kernel": "k", "unavailable": "both ticks are equal" });
    lines.push(kernel(11, reason));
    let path = written("times.jsonl", &lines);
    let (object, status) = summary(&path);
    assert_eq!(status, Some(0));
    let found = &object["kernels"][0];
    let device = json!({ "dispatches": 4, "totalMs": 15.0, "medianMs": 3.0, "leastMs": 1.0, "greatestMs": 8.0 });
    assert_eq!(found["device"], device);
    assert_eq!(found["recording"], json!({ "count": 6, "hostNs": 30 }));
    assert_eq!(
        found["unavailable"],
        json!([{ "reason": "both ticks are equal", "dispatches": 1 }])
    );
    // The sixth has no line of its execution.
    assert_eq!(found["untold"], 1);
    let (_, printed, _) = costs(&path);
    let expected = "
kernel `k`
  dispatches  1 first use, 5 steady, 18 groups
  recording   host 30 ns
  execution   device 15.00 ms in 4 timed; median 3.00 ms, least 1.00 ms, greatest 8.00 ms
  execution   1 without a device time: both ticks are equal
  execution   1 of which the log tells nothing
";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn files_that_are_no_log() {
    let output = nupp(&["costs", "missing.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: `missing.jsonl`: "));
    let (status, _, told) = costs(&written("empty.jsonl", &[]));
    assert_eq!(status, Some(0));
    assert!(told.ends_with("is empty: no context was opened with this log\n"));
    // Of many faults the first ten are told.
    let path = written("prose.jsonl", &vec![json!("a"); 12]);
    let (status, _, told) = costs(&path);
    assert_eq!((status, told.lines().count()), (Some(1), 11));
    assert!(told.ends_with("and 2 further faults\n"), "{told}");
}
