//! N0504: a constant too long to be kept exactly.

nupp::nupp! {
    const LARGE = 1e2000
    const LARGER = LARGE * LARGE
}

fn main() {}
