//! N0108: a word that cannot be a name.

nupp::nupp! {
    local function double(self: float): float
        return self * 2.0
    end
}

fn main() {}
