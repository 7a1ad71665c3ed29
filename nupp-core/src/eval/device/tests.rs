//! Held to the reference.
