//! A guard on a uniform: refused on a GPU kernel, at the guard; accepted on a CPU kernel.

nupp::nupp! {
    @aot
    pub local function on_cpu(exclusive output: span.WriteSpan<float>, factor: uint32): nil
        assert(factor >= 1, "factor is positive")
        for index = 1, #output do
            output[index] = f32.fromU32(factor)
        end
    end

    @aot(target = "gpu")
    pub local function on_gpu(exclusive output: span.WriteSpan<float>, factor: uint32): nil
        assert(factor >= 1, "factor is positive")
        for index = 1, #output do
            output[index] = f32.fromU32(factor)
        end
    end
}

fn main() {}
