//! N0113: a `for` that is not a counted loop of step one.

nupp::nupp! {
    local function sum_of_even(): int32
        local sum: int32 = 0
        for i = 0, 10, 2 do
            sum = sum + i
        end
        return sum
    end
}

fn main() {}
