//! A real run under `cargo nupp run`, and how that ends.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::program::{BYTES, SCALES, available, monotonic, under};
use crate::{fresh, nupp, summary, text};

#[test]
fn a_real_run_is_summarised() {
    if !available() {
        return;
    }
    let path = fresh("run.jsonl");
    let output = under(&["run", "--gpu-costs", path.to_str().unwrap()])
        .output()
        .unwrap();
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(text(&output.stdout).contains("test program::program ... "));
    assert!(
        printed.contains("\nkernel `scale`\n  dispatches  1 first use, 6 steady, 7000 lanes\n")
    );
    assert!(printed.contains("1 context opened, 1 ended\n"), "{printed}");

    let (object, status) = summary(&path);
    assert_eq!(status, Some(0));
    assert_eq!(
        (&object["faults"], &object["cutOff"]),
        (&json!([]), &json!(false))
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(object["lines"], lines.len());
    let kernel = |name: &str| {
        let kernels = object["kernels"].as_array().unwrap().iter();
        let mut of = kernels.filter(|kernel| kernel["kernel"] == name);
        let kernel = of.next().unwrap().clone();
        assert!(of.next().is_none());
        kernel
    };
    let scale = kernel("scale");
    assert_eq!(
        scale["dispatches"],
        json!({ "firstUse": 1, "steadyState": SCALES - 1 })
    );
    assert_eq!(scale["workItems"], json!({ "lane": 1000 * SCALES }));
    assert_eq!(scale["pipelines"]["count"], 1);
    assert_eq!(scale["untold"], 0);
    assert_eq!(kernel("count")["workItems"], json!({ "lane": 100 }));
    // Each dispatch has a time or a reason, and the times are the device's alone.
    let executions = lines
        .iter()
        .filter(|line| line["operation"] == "kernelExecution");
    let executions: Vec<&Value> = executions
        .filter(|line| line["kernel"] == "scale")
        .collect();
    let mut times: Vec<f64> = executions
        .iter()
        .filter_map(|l| l["gpuMs"].as_f64())
        .collect();
    times.sort_by(f64::total_cmp);
    let device = &scale["device"];
    assert_eq!(device["dispatches"], times.len());
    assert_eq!(device["leastMs"].as_f64(), times.first().copied());
    assert_eq!(device["greatestMs"].as_f64(), times.last().copied());
    if times.len() == 7 {
        assert_eq!(device["medianMs"].as_f64(), Some(times[3]));
    }
    let reasons = scale["unavailable"].as_array().unwrap().iter();
    let without: u64 = reasons.map(|r| r["dispatches"].as_u64().unwrap()).sum();
    assert_eq!(without + times.len() as u64, SCALES);
    // The probe of the arithmetic has buffers too, which are gone before the program's are made, or not.
    assert!(object["buffers"]["peakBytes"].as_u64().unwrap() >= BYTES.iter().sum());
    let sum = |operation: &str, field: &str| -> u64 {
        let of = lines.iter().filter(|line| line["operation"] == operation);
        of.map(|line| line[field].as_u64().unwrap()).sum()
    };
    for (key, operation) in [
        ("uploads", "upload"),
        ("downloadHostCopy", "downloadHostCopy"),
    ] {
        assert_eq!(object[key]["bytes"], sum(operation, "bytes"));
        assert_eq!(object[key]["hostNs"], sum(operation, "hostNs"));
    }
    assert_eq!(
        object["waits"]["done"]["hostNs"],
        sum("synchronizeWait", "hostNs")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn samples_and_the_log_are_on_one_clock() {
    if !available() {
        return;
    }
    let path = fresh("profile.jsonl");
    let before = monotonic();
    let output = under(&["run", "--profile", "--gpu-costs", path.to_str().unwrap()])
        .output()
        .unwrap();
    let after = monotonic();
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    // The program read the clock before it opened a context and after that, where the log's clock is 0.
    let (object, _) = summary(&path);
    let zero = object["clockMonotonicNs"].as_u64().unwrap();
    let told = text(&output.stdout);
    let told = told.split_once("clock ").unwrap().1.lines().next().unwrap();
    let told: Vec<u64> = told.split(' ').map(|word| word.parse().unwrap()).collect();
    assert!(told[0] <= zero && zero <= told[1], "{zero} in {told:?}");

    let samples = std::fs::read_to_string(path.with_extension("samples.jsonl")).unwrap();
    let samples: Vec<Value> = samples
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let process = &object["process"];
    let own: Vec<&Value> = samples
        .iter()
        .filter(|s| s["process"] == *process)
        .collect();
    let times: Vec<u64> = own
        .iter()
        .map(|s| s["clockMonotonicNs"].as_u64().unwrap())
        .collect();
    assert!(times.len() >= 2 && times.is_sorted());
    // All of them while the command ran, some of them while its context was open.
    let end = zero + object["endNs"].as_u64().unwrap();
    assert!(times.iter().all(|time| (before..=after).contains(time)));
    assert!(times.iter().any(|time| (zero..=end).contains(time)));
    let spent = |sample: &Value| -> u64 {
        let threads = sample["threads"].as_array().unwrap().iter();
        threads
            .map(|t| t["userNs"].as_u64().unwrap() + t["systemNs"].as_u64().unwrap())
            .sum()
    };
    assert!(own.iter().any(|sample| spent(sample) > 0));
    assert!(
        own.iter()
            .all(|sample| sample["residentBytes"].as_u64().unwrap() > 0)
    );
    let numbers: BTreeSet<&str> = printed
        .lines()
        .filter(|l| l.starts_with("  process "))
        .collect();
    assert!(
        numbers
            .iter()
            .any(|line| line.contains(&process.to_string())),
        "{printed}"
    );
    assert!(printed.contains(" CPU time within "), "{printed}");
}

#[cfg(unix)]
#[test]
fn the_end_of_the_command_is_passed_on() {
    let path = fresh("ends.jsonl");
    let run = |script: &str| {
        let file = path.to_str().unwrap();
        nupp(&["run", "--gpu-costs", file, "--", "sh", "-c", script])
    };
    let empty = format!(
        "note: {} is empty: no context was opened with this log\n",
        path.display()
    );
    let output = run("exit 7");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stderr), empty);
    let output = run("kill -KILL $$");
    assert_eq!(output.status.code(), Some(128 + 9));
    assert_eq!(
        text(&output.stderr),
        format!("note: the command was ended by signal 9\n{empty}")
    );
    // The log is the command's own, whatever stood in the file.
    std::fs::write(&path, "of an earlier run\n").unwrap();
    let output = run("printf %s \"$NUPP_GPU_COSTS\"");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), path.to_str().unwrap());
    assert_eq!(text(&output.stderr), empty);
    // What is wrong with the log is told, and does not fail the command.
    let output = run("echo no log > \"$NUPP_GPU_COSTS\"");
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stderr);
    assert!(
        printed.starts_with(&format!("error: {}:1: no JSON: ", path.display())),
        "{printed}"
    );
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_reaches_the_command() {
    use std::io::{BufRead as _, BufReader};
    let path = fresh("terminate.jsonl");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-nupp"))
        .args([
            "run",
            "--gpu-costs",
            path.to_str().unwrap(),
            "--",
            "sh",
            "-c",
        ])
        .arg("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    printed.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    // SAFETY: two numbers, of which the first is a process of this test that was not waited for.
    let failed = unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGTERM) };
    assert_eq!(failed, 0);
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[test]
fn what_cannot_be_run() {
    let path = fresh("none.jsonl");
    let path = path.to_str().unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["run", "--gpu-costs", path], "COMMAND"),
        (&["run", "--", "true"], "--gpu-costs"),
        (
            &["run", "--gpu-costs", path, "--", "no-such-program"],
            "`no-such-program` could not be started",
        ),
        (
            &["run", "--gpu-costs", "no/such/folder/f", "--", "true"],
            "`no/such/folder/f`",
        ),
    ];
    for (arguments, part) in cases {
        let output = nupp(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(part),
            "{}",
            text(&output.stderr)
        );
    }
}
