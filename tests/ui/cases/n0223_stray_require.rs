//! N0223: a `require` inside a function.

nupp::nupp! {
    local function double(a: float): float
        local gpu = require("nupp.gpu")
        return a * 2.0
    end
}

fn main() {}
