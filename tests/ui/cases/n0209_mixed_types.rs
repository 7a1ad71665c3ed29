//! N0209: operands of different types.

nupp::nupp! {
    local function scaled(a: float, n: uint32): float
        return a * n
    end
}

fn main() {}
