//! Re-checks every claim of both representations, from the representation alone.
//!
//! Only this module makes a [`Verified`], in release builds too; everything that executes or
//! prints takes one.

pub mod device;
pub mod source;

/// Something whose claims were checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified<T>(T);

impl<T> std::ops::Deref for Verified<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Verified<T> {
    /// Marks something without a check, so that a test can see what executors make of it.
    #[cfg(test)]
    pub(crate) fn unchecked(value: T) -> Self {
        Verified(value)
    }

    /// Gives up the token, so that a pass may change what it held.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// A claim that does not hold. It names entities as the printed representation does; it reaches a
/// user only as a fault of the compiler, since the front end refuses wrong programs with
/// diagnostics of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The rule, in a few words.
    pub rule: &'static str,
    /// What broke it.
    pub detail: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rule, detail } = self;
        write!(f, "{rule}: {detail}")
    }
}

impl std::error::Error for VerifyError {}
