//! N0313: a GPU kernel's guard on something other than span lengths.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, factor: float): nil
        assert(factor >= 1.0)
        for index = 1, #output do
            output[index] = factor
        end
    end
}

fn main() {}
