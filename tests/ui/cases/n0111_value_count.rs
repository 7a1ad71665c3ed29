//! N0111: a different number of names and values.

nupp::nupp! {
    local function spread(a: float, b: float): float
        local low, high = f32.min(a, b)
        return high - low
    end
}

fn main() {}
