//! N0348: an atomic operation.

nupp::nupp! {
    @aot(target = "gpu")
    local function count(exclusive output: span.WriteSpan<uint32>): nil
        for index = 1, #output do
            gpu.atomicAdd(output, 1)
        end
    end
}

fn main() {}
