//! Reads a file into blocks and compiles each, printing what is wrong.

use crate::Failure;
use nupp_compile::driver::{self, Compiled};
use nupp_front::diag::Diagnostic;
use nupp_front::diag::render::render;
use nupp_front::syntax::Source;
use std::path::Path;

/// The blocks of a `.rs` file, or the one block that a `.nupp` file is.
pub fn blocks(path: &Path) -> Result<Vec<Source>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|fault| Failure::Usage(format!("`{shown}`: {fault}")))?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("nupp") => Ok(vec![Source::from_nupp(&text)]),
        Some("rs") => Ok(Source::blocks_of_rust(&text)),
        _ => Err(Failure::Usage(format!(
            "`{shown}` is neither a `.rs` nor a `.nupp` file"
        ))),
    }
}

/// What compiling a file's blocks gave: the accepted ones, and how many mistakes the others have.
pub struct Outcome {
    /// Accepted blocks.
    pub compiled: Vec<(Source, Compiled)>,
    /// Mistakes that were printed.
    pub mistakes: usize,
}

/// Compiles every block of a file and prints every mistake.
pub fn compile(path: &Path) -> Result<Outcome, Failure> {
    let mut outcome = Outcome {
        compiled: Vec::new(),
        mistakes: 0,
    };
    for source in blocks(path)? {
        match driver::compile(&source) {
            Ok(compiled) => outcome.compiled.push((source, compiled)),
            Err(mistakes) => {
                print(&mistakes, &source, path);
                outcome.mistakes += mistakes.len();
            }
        }
    }
    Ok(outcome)
}

fn print(mistakes: &[Diagnostic], source: &Source, path: &Path) {
    for mistake in mistakes {
        eprint!("{}", render(mistake, source, &path.display().to_string()));
    }
}

/// `1 kernel`, `2 kernels`.
pub fn counted(number: usize, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}
