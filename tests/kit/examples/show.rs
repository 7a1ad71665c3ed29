//! Prints the generated kernel of a seed.
fn main() {
    let seed = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    print!("{}", nupp_testkit::generate::map_kernel(seed));
}
