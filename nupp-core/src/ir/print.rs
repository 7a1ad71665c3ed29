//! Prints Source IR as text.
