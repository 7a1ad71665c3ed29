//! N0310: a `continue` past the declaration of a local that the `until` reads.

nupp::nupp! {
    local function below(a: float): float
        local v = a
        repeat
            if v > 4.0 then
                v = v / 2.0
                continue
            end
            local done = v <= 1.0
            v = v - 1.0
        until done
        return v
    end
}

fn main() {}
