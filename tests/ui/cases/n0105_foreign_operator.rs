//! N0105: an operator of Lua or Rust that Nupp does not have.

nupp::nupp! {
    local function even(a: uint32): boolean
        return a % 2 != 1
    end
}

fn main() {}
