//! `cargo nupp bench`: a command with a cost log of its own for each case and candidate.
//!
//! The command is any program. `{case}` and `{candidate}` in its arguments stand for the names, so that a
//! program needs to know nothing of this one. A folder has the logs of one such run and `bench.json`, which
//! names them; it is written after each process, so that what is there stays if the rest is stopped.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Failure;
use crate::arguments::Bench;
use crate::file::counted;
use crate::run::child;

/// The version of `bench.json`.
const VERSION: u64 = 1;

/// Runs all cases with all candidates, and ends with 1 if one of them failed.
pub fn run(bench: &Bench) -> Result<(), Failure> {
    check(bench)?;
    let list = bench.folder.join("bench.json");
    prepare(&bench.folder, &list)?;
    let none = [String::new()];
    let candidates = match bench.candidates.as_slice() {
        [] => &none,
        candidates => candidates,
    };
    let (mut runs, mut failed) = (Vec::new(), 0);
    for case in &bench.cases {
        for candidate in candidates {
            let (run, ended) = one(bench, case, candidate, runs.len() + 1)?;
            runs.push(run);
            write(&list, &runs)?;
            failed += usize::from(ended.status != 0);
            // Who stops one of them means all.
            if ended.signal == Some(INTERRUPT) {
                eprintln!("error: interrupted after {}", counted(runs.len(), "run"));
                return Err(Failure::Status(ended.status));
            }
        }
    }
    println!(
        "{}, {failed} failed: {}",
        counted(runs.len(), "run"),
        list.display()
    );
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Refused),
    }
}

/// What a terminal sends.
const INTERRUPT: i32 = 2;

/// Refuses names that make no file, and a command that would do the same under several names.
fn check(bench: &Bench) -> Result<(), Failure> {
    for (kind, names) in [("case", &bench.cases), ("candidate", &bench.candidates)] {
        let stands = |word: &OsString| word.to_string_lossy().contains(&format!("{{{kind}}}"));
        let named = bench.command.iter().any(stands);
        if names.len() > 1 && !named {
            return Err(Failure::Usage(format!(
                "`{{{kind}}}` is not in the command, so that each {kind} would be the same"
            )));
        }
        if names.is_empty() && named {
            return Err(Failure::Usage(format!(
                "`{{{kind}}}` is in the command, and no --{kind} says what it stands for"
            )));
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let bad = names
            .iter()
            .find(|name| name.is_empty() || name.starts_with('.') || !name.chars().all(plain));
        if let Some(name) = bad {
            return Err(Failure::Usage(format!(
                "`{name}` cannot name a {kind}: letters, digits, `-`, `_` and `.` make a name, and `.` does not begin it"
            )));
        }
    }
    Ok(())
}

/// Makes the folder, and refuses one that has a run already.
fn prepare(folder: &Path, list: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|fault| Failure::Usage(format!("`{}`: {fault}", folder.display())))?;
    match list.exists() {
        true => Err(Failure::Usage(format!(
            "`{}` is there already: each run needs a folder of its own",
            list.display()
        ))),
        false => Ok(()),
    }
}

/// Runs the command once, and returns what the list says of it.
fn one(
    bench: &Bench,
    case: &str,
    candidate: &str,
    number: usize,
) -> Result<(Value, child::Ended), Failure> {
    // The number keeps two processes apart that have both names in common.
    let name = match candidate {
        "" => format!("{case}.{number}.jsonl"),
        _ => format!("{case}.{candidate}.{number}.jsonl"),
    };
    let log = bench.folder.join(&name);
    let failed = |fault| Failure::Usage(format!("`{}`: {fault}", log.display()));
    let mut new = OpenOptions::new();
    new.write(true)
        .create_new(true)
        .open(&log)
        .map_err(failed)?;
    let log = std::path::absolute(&log).map_err(failed)?;
    let command: Vec<OsString> = bench
        .command
        .iter()
        .map(|word| filled(word, case, candidate))
        .collect();
    let began = Instant::now();
    let running = child::start(&command, &log).inspect_err(|_| {
        // A log of a process that never was would stand in the way of the next try.
        let _ = std::fs::remove_file(&log);
    })?;
    let process = running.process();
    let ended = running.wait()?;
    let wall = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let status = ended.status;
    if status != 0 {
        eprintln!("error: {name}: the command ended with {status}");
    }
    // A program that opens no context leaves its log as it was.
    let written = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if !written {
        eprintln!("note: {name} is empty: no context was opened with this log");
    }
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let run = json!({
        "case": case,
        "candidate": (!candidate.is_empty()).then_some(candidate),
        "process": process,
        "command": words,
        "status": status,
        "signal": ended.signal,
        "wallNs": wall,
        "costs": name,
        "written": written,
    });
    Ok((run, ended))
}

/// A word of the command with the names in place.
fn filled(word: &OsString, case: &str, candidate: &str) -> OsString {
    match word.to_str() {
        Some(text) => OsString::from(
            text.replace("{case}", case)
                .replace("{candidate}", candidate),
        ),
        None => word.clone(),
    }
}

fn write(list: &Path, runs: &[Value]) -> Result<(), Failure> {
    let all = json!({ "schemaVersion": VERSION, "runs": runs });
    std::fs::write(list, format!("{all:#}\n"))
        .map_err(|fault| Failure::Usage(format!("`{}`: {fault}", list.display())))
}
