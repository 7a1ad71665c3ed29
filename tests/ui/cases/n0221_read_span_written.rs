//! N0221: a write to a borrowed span.

nupp::nupp! {
    @aot(target = "gpu")
    local function double(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #output do
            input[index] = input[index] * 2.0
        end
    end
}

fn main() {}
