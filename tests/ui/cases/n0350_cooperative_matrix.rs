//! N0350: a cooperative matrix.

nupp::nupp! {
    @aot(target = "gpu")
    local function product(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = gpu.cooperativeMatrix(16, 16)
        end
    end
}

fn main() {}
