//! N0102: a block, bracket, string or comment is not closed.

nupp::nupp! {
    local function clamp(a: float): float
        if a < 0.0 then
            return 0.0
        return a
    end
}

fn main() {}
