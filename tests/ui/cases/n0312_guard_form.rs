//! N0312: a condition or message that a guard cannot have.

nupp::nupp! {
    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        assert(#output * #input == 64)
        for index = 1, #output do
            output[index] = 1.0
        end
    end
}

fn main() {}
