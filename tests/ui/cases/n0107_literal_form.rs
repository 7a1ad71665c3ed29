//! N0107: a number or string in a form that Nupp does not have.

nupp::nupp! {
    local function half(a: float): float
        return a * 0.5f32
    end
}

fn main() {}
