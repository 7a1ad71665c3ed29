//! N0205: a function of the language that this release does not have yet.

nupp::nupp! {
    local function bell(a: float): float
        return f32.fast.tanh(a)
    end
}

fn main() {}
