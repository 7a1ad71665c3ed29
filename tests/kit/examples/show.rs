//! Prints the generated kernel of a seed: a map, or with `groups` after the number a workgroup kernel.
fn main() {
    let seed = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    let groups = std::env::args().nth(2).is_some_and(|kind| kind == "groups");
    let make = if groups {
        nupp_testkit::generate::group_kernel
    } else {
        nupp_testkit::generate::map_kernel
    };
    print!("{}", make(seed));
}
