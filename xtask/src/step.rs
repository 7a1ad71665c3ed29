//! Runs one command of a lane: prints it, runs it in the workspace root, and reports its failure
//! as a sentence that names it.

use std::path::PathBuf;
use std::process::Command;

/// The workspace root.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// Runs a command line with these extra variables.
pub fn run(line: &[&str], env: &[(&str, &str)]) -> Result<(), String> {
    let shown = line.join(" ");
    let prefix: String = env
        .iter()
        .map(|(name, value)| format!("{name}={value} "))
        .collect();
    println!("\n$ {prefix}{shown}");
    let (program, arguments) = line.split_first().ok_or("an empty command")?;
    let status = Command::new(program)
        .args(arguments)
        .envs(env.iter().copied())
        .current_dir(root())
        .status()
        .map_err(|fault| format!("`{shown}` could not be started: {fault}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{prefix}{shown}` failed ({status})"))
    }
}

/// Whether a program answers `--version`, or at least starts.
pub fn on_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}
