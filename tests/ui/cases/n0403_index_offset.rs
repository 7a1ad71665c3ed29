//! N0403: an offset of the loop index may leave the span.

nupp::nupp! {
    @aot(target = "gpu")
    local function slope(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#input == #output)
        for index = 1, #output do
            output[index] = input[index] - input[index - 1]
        end
    end
}

fn main() {}
