//! N0207: a number whose type nothing decides.

nupp::nupp! {
    local function two(): uint32
        local n = 2
        return n
    end
}

fn main() {}
