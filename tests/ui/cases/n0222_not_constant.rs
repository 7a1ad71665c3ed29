//! N0222: a constant is needed.

nupp::nupp! {
    local function one(): float
        return 1.0
    end

    const ONE = one()
}

fn main() {}
