//! `cargo nupp`.
fn main() {}
