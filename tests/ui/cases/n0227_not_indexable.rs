//! N0227: an index on what has no elements.

nupp::nupp! {
    local function first(a: float): float
        return a[1]
    end
}

fn main() {}
