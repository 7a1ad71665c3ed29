//! N0311: a bound that a counted loop cannot have.

nupp::nupp! {
    local function sum(n: uint32): int32
        local total: int32 = 0
        for i = 1, n do
            total = total + i
        end
        return total
    end
}

fn main() {}
