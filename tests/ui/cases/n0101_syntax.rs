//! N0101: the tokens do not form a Nupp item, statement or expression.

nupp::nupp! {
    local function mean(a: float, b: float): float
        return (a + ) / 2.0
    end
}

fn main() {}
