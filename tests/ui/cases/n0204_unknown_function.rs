//! N0204: a function that the library does not have.

nupp::nupp! {
    local function root(a: float): float
        return f32.squareRoot(a)
    end
}

fn main() {}
