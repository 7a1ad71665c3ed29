//! N0309: `break` or `continue` outside a loop.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, on: uint32): nil
        for index = 1, #output do
            if on == 0 then
                break
            end
            output[index] = 1.0
        end
    end
}

fn main() {}
