//! N0212: a call with too few or too many arguments.

nupp::nupp! {
    local function axpy(a: float, x: float, y: float): float
        return f32.fma(a, x)
    end
}

fn main() {}
