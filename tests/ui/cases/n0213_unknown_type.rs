//! N0213: a type that does not exist.

nupp::nupp! {
    local function double(a: f32): f32
        return a * 2.0
    end
}

fn main() {}
