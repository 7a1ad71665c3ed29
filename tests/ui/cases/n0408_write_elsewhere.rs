//! N0408: a write is not at an element that only its lane writes.

nupp::nupp! {
    @aot(target = "gpu")
    local function shift(exclusive output: span.WriteSpan<float>, to: uint32): nil
        for index = 1, #output do
            if to < #output then
                output[to + 1] = 1.0
            end
        end
    end
}

fn main() {}
