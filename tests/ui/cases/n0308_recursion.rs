//! N0308: a helper that calls itself.

nupp::nupp! {
    local function power(a: float, n: uint32): float
        if n == 0 then
            return 1.0
        end
        return a * power(a, n - 1)
    end
}

fn main() {}
