//! N0201: a name that is not in scope.

nupp::nupp! {
    local function area(width: float, height: float): float
        return width * heigth
    end
}

fn main() {}
