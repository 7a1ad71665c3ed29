//! Diagnostics: what is wrong, where, and what to write instead.
//!
//! A message is one sentence in lower case with the author's names in backticks; `help` gives the
//! text to type. `codes` has one row a code; `docs/diagnostics.md` explains each.

pub mod codes;
pub mod render;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use codes::Code;

use crate::span::SrcSpan;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// The tokens it is about.
    pub at: SrcSpan,
    /// Further facts, each with a place of its own where it has one.
    pub notes: Vec<(Option<SrcSpan>, String)>,
    /// What to write.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without notes or help.
    pub fn new(code: Code, at: SrcSpan, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            at,
            notes: Vec::new(),
            help: None,
        }
    }

    /// Adds what to write.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, at: Option<SrcSpan>, text: impl Into<String>) -> Self {
        self.notes.push((at, text.into()));
        self
    }
}
