//! N0412: a slot may leave the elements its lane or group owns.

nupp::nupp! {
    @aot(target = "gpu")
    local function split(exclusive output: span.WriteSpan<float>, exclusive pairs: span.WriteSpan<float>): nil
        assert(2 * #output <= #pairs)
        for index = 1, #output do
            output[index] = 0.0
            pairs[(index - 1) * 2 + 3] = 1.0
        end
    end
}

fn main() {}
