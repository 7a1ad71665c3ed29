//! N0220: an assignment to what cannot be assigned.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, value: float): nil
        for index = 1, #output do
            value = value * 2.0
            output[index] = value
        end
    end
}

fn main() {}
