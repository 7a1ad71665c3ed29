//! N0224: a module that does not exist.

nupp::nupp! {
    local f64 = nupp.math.f64
}

fn main() {}
