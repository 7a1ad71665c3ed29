//! N0210: an operator on a type it is not defined for.

nupp::nupp! {
    local function negative(n: uint32): uint32
        return -n
    end
}

fn main() {}
