//! N0104: a `//` comment that reads like a division.

nupp::nupp! {
    local function half(a: uint32): uint32
        local h = a // 2
        return h
    end
}

fn main() {}
