//! N0112: a function that is not local, or is generic, variadic or inside another.

nupp::nupp! {
    function double(a: float): float
        return a * 2.0
    end
}

fn main() {}
