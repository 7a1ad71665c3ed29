//! N0211: `/` on integers.

nupp::nupp! {
    local function half(n: uint32): uint32
        return n / 2
    end
}

fn main() {}
