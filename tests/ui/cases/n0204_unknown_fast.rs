//! N0204: a function that the fast grade does not have.

nupp::nupp! {
    local function root(a: float): float
        return f32.fast.squareRoot(a)
    end
}

fn main() {}
