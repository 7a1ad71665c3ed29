//! `cargo nupp costs`, `run` and `bench` as a user meets them: on logs of real runs, and on logs that
//! something is wrong with.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

#[path = "costs/bench.rs"]
mod bench;
#[path = "costs/faults.rs"]
mod faults;
#[path = "costs/program.rs"]
mod program;
#[path = "costs/run.rs"]
mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A path for a test's file, where nothing is.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn nupp(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-nupp"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The summary of a log as JSON, and how the command ended.
fn summary(path: &Path) -> (Value, Option<i32>) {
    let output = nupp(&["costs", "--json", &path.to_string_lossy()]);
    let object = serde_json::from_slice(&output.stdout).unwrap();
    (object, output.status.code())
}
