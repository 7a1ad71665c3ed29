//! N0226: a call of what cannot be called.

nupp::nupp! {
    local function double(a: float): float
        return a(2.0)
    end
}

fn main() {}
