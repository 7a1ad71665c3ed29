//! N0206: a value of another type than its context needs.

nupp::nupp! {
    local function average(sum: float, count: uint32): float
        local mean: float = count
        return sum / mean
    end
}

fn main() {}
