//! N0216: a span parameter without its `exclusive` or `borrows`, or with the wrong one.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(output: span.WriteSpan<float>, input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            output[index] = input[index]
        end
    end
}

fn main() {}
