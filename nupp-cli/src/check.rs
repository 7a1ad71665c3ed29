//! `cargo nupp check`.

use crate::Failure;
use crate::file::{compile, counted};
use std::path::PathBuf;

/// Checks files and prints every mistake of each, then how many there were.
pub fn run(files: &[PathBuf]) -> Result<(), Failure> {
    let (mut kernels, mut mistakes) = (0, 0);
    for path in files {
        let outcome = compile(path)?;
        if outcome.compiled.is_empty() && outcome.mistakes == 0 {
            eprintln!("note: `{}` has no `nupp!` block", path.display());
        }
        kernels += outcome
            .compiled
            .iter()
            .map(|(_, compiled)| compiled.kernels.len())
            .sum::<usize>();
        mistakes += outcome.mistakes;
    }
    let files = counted(files.len(), "file");
    if mistakes == 0 {
        println!("{} in {files} accepted", counted(kernels, "kernel"));
        return Ok(());
    }
    eprintln!("{} in {files}", counted(mistakes, "mistake"));
    Err(Failure::Refused)
}
