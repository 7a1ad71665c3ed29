//! N0228: constant arithmetic without a result.

nupp::nupp! {
    const RATIO = 1.0 / 0.0
}

fn main() {}
