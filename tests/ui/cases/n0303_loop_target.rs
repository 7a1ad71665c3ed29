//! N0303: a map's loop over something other than its primary output.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output == #input)
        for index = 1, #input do
            output[index] = input[index]
        end
    end
}

fn main() {}
