//! N0219: a span, module, function or type where a value is needed.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            output[index] = input
        end
    end
}

fn main() {}
