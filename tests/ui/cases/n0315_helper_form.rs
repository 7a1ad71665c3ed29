//! N0315: a helper of a form that does not exist.

nupp::nupp! {
    pub local function double(a: float): float
        return a * 2.0
    end
}

fn main() {}
