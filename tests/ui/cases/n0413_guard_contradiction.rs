//! N0413: guards cannot hold together.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#input == #output)
        assert(#input < #output)
        for index = 1, #output do
            output[index] = input[index]
        end
    end
}

fn main() {}
