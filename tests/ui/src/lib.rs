//! Nothing by itself: `cases/` holds one wrong block a diagnostic code, and the cases that need
//! Rust's own checks, each with what rustc says of it; `tests/ui.rs` compares. The cases are a
//! package of their own, checked in a folder of their own, once with all that they depend on.
