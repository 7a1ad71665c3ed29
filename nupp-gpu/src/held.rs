//! The refusal to close what something else still holds.
//!
//! It owns the handle, so that the caller gets it back and nothing has changed.

use std::fmt;

/// Closing a handle failed because something else still holds what it stands for.
///
/// The handle is handed back: nothing has changed.
pub struct StillHeld<T> {
    what: &'static str,
    handle: T,
}

impl<T> StillHeld<T> {
    pub(crate) fn new(what: &'static str, handle: T) -> Self {
        Self { what, handle }
    }

    /// The handle that was to be closed.
    pub fn into_inner(self) -> T {
        self.handle
    }

    /// The same refusal, about what `wrap` makes of the handle.
    pub fn map<U>(self, wrap: impl FnOnce(T) -> U) -> StillHeld<U> {
        StillHeld {
            what: self.what,
            handle: wrap(self.handle),
        }
    }
}

impl<T> fmt::Debug for StillHeld<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StillHeld")
            .field("what", &self.what)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Display for StillHeld<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "something else still holds this {}; it was not closed",
            self.what
        )
    }
}

impl<T> std::error::Error for StillHeld<T> {}
