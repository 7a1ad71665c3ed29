//! N0215: a scalar parameter of a kernel that is no float, int32 or uint32.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, on: boolean): nil
        for index = 1, #output do
            output[index] = on and 1.0 or 0.0
        end
    end
}

fn main() {}
