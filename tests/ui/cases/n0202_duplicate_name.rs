//! N0202: two things of one name.

nupp::nupp! {
    local struct Pair
        a: float
        a: float
    end
}

fn main() {}
