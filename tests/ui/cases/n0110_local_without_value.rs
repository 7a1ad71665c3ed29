//! N0110: a `local` without a value.

nupp::nupp! {
    local function sign(a: float): float
        local s: float
        if a < 0.0 then s = -1.0 else s = 1.0 end
        return s
    end
}

fn main() {}
