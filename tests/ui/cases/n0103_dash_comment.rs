//! N0103: a `--` comment takes code with it.

nupp::nupp! {
    local function largest(a: float, b: float): float
        return f32.max(a, -- the larger (of both
            b))
    end
}

fn main() {}
