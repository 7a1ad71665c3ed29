//! N0203: a name that the language keeps for itself.

nupp::nupp! {
    local function f32(a: int32): int32
        return a
    end
}

fn main() {}
