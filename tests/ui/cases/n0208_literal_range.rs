//! N0208: a constant that its type cannot hold.

nupp::nupp! {
    local function none(): uint32
        return -1
    end
}

fn main() {}
