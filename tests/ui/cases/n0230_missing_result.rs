//! N0230: a helper without a result where a value is needed, or a result that is dropped.

nupp::nupp! {
    local function double(a: float): float
        return a * 2.0
    end

    local function twice(a: float): float
        double(a)
        return a
    end
}

fn main() {}
