//! The proofs of all kernels of a block are tried, not those of the first alone.

nupp::nupp! {
    @aot(target = "gpu")
    local function first(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        for index = 1, #output do
            output[index] = input[index] + input[index + 1]
        end
    end

    @aot(target = "gpu")
    local function second(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>, c: uint32): nil
        assert(#input == #output)
        for index = 1, #output do
            output[index] = input[c + 1] + input[index - 1]
        end
    end
}

fn main() {}
