//! N0402: a guard bounds a span's length one way only.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output <= #input)
        for index = 1, #output do
            output[index] = input[index]
        end
    end
}

fn main() {}
