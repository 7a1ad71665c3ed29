//! N0314: `assert` or `error` after the guards.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, factor: float): nil
        for index = 1, #output do
            assert(factor >= 1.0)
            output[index] = factor
        end
    end
}

fn main() {}
