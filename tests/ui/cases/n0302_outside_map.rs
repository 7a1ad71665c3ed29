//! N0302: a statement beside a map's one loop.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, gain: float): nil
        local twice = gain * 2.0
        for index = 1, #output do
            output[index] = twice
        end
    end
}

fn main() {}
