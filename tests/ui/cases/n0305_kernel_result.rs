//! N0305: a kernel that returns a value.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>): float
        for index = 1, #output do
            output[index] = 1.0
        end
    end
}

fn main() {}
