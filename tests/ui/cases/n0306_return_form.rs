//! N0306: a `return` that cannot stand here.

nupp::nupp! {
    @aot(target = "gpu")
    local function limit(exclusive output: span.WriteSpan<float>, on: uint32): nil
        for index = 1, #output do
            if on == 0 then
                return
            end
            output[index] = 1.0
        end
    end
}

fn main() {}
