//! N0316: a struct of a form that does not exist.

nupp::nupp! {
    local struct Point
        x: float
        y: float
    end

    local struct Line
        from: Point
        to: Point
    end
}

fn main() {}
