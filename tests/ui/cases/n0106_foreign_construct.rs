//! N0106: a construct of Lua or Rust that Nupp does not have.

nupp::nupp! {
    local function double(a: float): float
        let twice = a * 2.0
        return twice
    end
}

fn main() {}
