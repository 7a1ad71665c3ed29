//! Nupp for Rust.
