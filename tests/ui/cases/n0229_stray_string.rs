//! N0229: a string outside a guard's message.

nupp::nupp! {
    local function label(): float
        local name = "gain"
        return 1.0
    end
}

fn main() {}
