//! N0218: a field that the struct does not have.

nupp::nupp! {
    local struct Pair
        left: float
        right: float
    end

    local function first(p: Pair): float
        return p.lefft
    end
}

fn main() {}
