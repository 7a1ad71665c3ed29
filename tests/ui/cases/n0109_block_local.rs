//! N0109: a block-level `local` that is no module alias.

nupp::nupp! {
    local gain = 1.5
    local function louder(a: float): float
        return a * gain
    end
}

fn main() {}
