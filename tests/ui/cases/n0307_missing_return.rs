//! N0307: a path through a helper without its result.

nupp::nupp! {
    local function sign(a: float): float
        if a < 0.0 then
            return -1.0
        end
    end
}

fn main() {}
