//! `cargo nupp bench`: a log for each case, process and candidate, and the list that names them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{SCALES, available, command};
use crate::{fresh, nupp, summary, text};

fn list(folder: &Path) -> Vec<Value> {
    let text = std::fs::read(folder.join("bench.json")).unwrap();
    let list: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(list["schemaVersion"], 1);
    list["runs"].as_array().unwrap().clone()
}

#[test]
fn a_real_run_has_a_log_of_its_own() {
    if !available() {
        return;
    }
    let folder = fresh("bench-real");
    let program = command();
    let mut words = vec!["bench", "--gpu-costs", folder.to_str().unwrap()];
    words.extend(["--case", "scale", "--case", "scale", "--"]);
    // The program takes no case, and hears of it in its environment's stead as a filter that is skipped.
    words.extend(program.iter().map(String::as_str));
    words.extend(["--skip", "{case}"]);
    let output = nupp(&words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let runs = list(&folder);
    assert_eq!(runs.len(), 2);
    for run in &runs {
        assert_eq!(run["written"], true);
        let (object, status) = summary(&folder.join(run["costs"].as_str().unwrap()));
        assert_eq!((status, &object["process"]), (Some(0), &run["process"]));
        let kernels = object["kernels"].as_array().unwrap();
        let scale = kernels
            .iter()
            .find(|kernel| kernel["kernel"] == "scale")
            .unwrap();
        assert_eq!(scale["dispatches"]["steadyState"], SCALES - 1);
    }
    assert_ne!(runs[0]["costs"], runs[1]["costs"]);
}

#[cfg(unix)]
#[test]
fn each_case_and_candidate_is_run_once() {
    let folder = fresh("bench-names");
    let place = folder.to_str().unwrap();
    let script = "echo \"$1 $2\" > \"$NUPP_GPU_COSTS\"; test \"$1 $2\" != 'b y'";
    let words = [
        "bench",
        "--gpu-costs",
        place,
        "--case",
        "a",
        "--case",
        "b",
        "--candidate",
        "x",
        "--candidate",
        "y",
    ];
    let run = |words: &[&str]| {
        let command = ["--", "sh", "-c", script, "sh", "{case}", "{candidate}"];
        nupp(&[words, &command].concat())
    };
    let output = run(&words);
    // One of them fails, and the others are run.
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "error: b.y.4.jsonl: the command ended with 1\n"
    );
    let runs = list(&folder);
    let names: Vec<(&str, &str)> = runs
        .iter()
        .map(|run| {
            (
                run["case"].as_str().unwrap(),
                run["candidate"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(names, [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]);
    for (run, (case, candidate)) in runs.iter().zip(names) {
        let log = std::fs::read_to_string(folder.join(run["costs"].as_str().unwrap())).unwrap();
        assert_eq!(log, format!("{case} {candidate}\n"));
        assert_eq!(run["status"], u64::from((case, candidate) == ("b", "y")));
        assert_eq!(
            run["command"],
            json!(["sh", "-c", script, "sh", case, candidate])
        );
        assert!(run["wallNs"].as_u64().unwrap() > 0);
    }
    let files: BTreeSet<&str> = runs
        .iter()
        .map(|run| run["costs"].as_str().unwrap())
        .collect();
    let processes: BTreeSet<u64> = runs
        .iter()
        .map(|run| run["process"].as_u64().unwrap())
        .collect();
    assert_eq!((files.len(), processes.len()), (4, 4));
    // A folder is of one run.
    let output = run(&words);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("bench.json` is there already"));
    assert_eq!(list(&folder).len(), 4);
}

#[test]
fn names_that_mean_nothing_are_refused() {
    let folder = fresh("bench-refused");
    let place = folder.to_str().unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["--", "true"], "--case"),
        (&["--case", "a/b", "--", "true"], "`a/b` cannot name a case"),
        (&["--case", "..", "--", "true"], "`..` cannot name a case"),
        (
            &["--case", "a", "--case", "b", "--", "true"],
            "`{case}` is not in the command",
        ),
        (
            &["--case", "a", "--", "true", "{candidate}"],
            "no --candidate says",
        ),
        (
            &["--case", "a", "--", "no-such-program"],
            "could not be started",
        ),
    ];
    for (words, part) in cases {
        let output = nupp(&[&["bench", "--gpu-costs", place], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            text(&output.stderr).contains(part),
            "{}",
            text(&output.stderr)
        );
    }
    // Nothing is left that would stand in the way of the next try.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
