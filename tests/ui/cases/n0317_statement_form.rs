//! N0317: an expression where a statement is needed.

nupp::nupp! {
    local function double(a: float): float
        f32.mul(a, 2.0)
        return a
    end
}

fn main() {}
