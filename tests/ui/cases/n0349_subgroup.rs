//! N0349: a subgroup function.

nupp::nupp! {
    @aot(target = "gpu")
    local function sums(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = subgroupAdd(1.0)
        end
    end
}

fn main() {}
