//! N0401: no guard makes a span as long as the loop that indexes it.

nupp::nupp! {
    @aot(target = "gpu")
    local function copy(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        for index = 1, #output do
            output[index] = input[index]
        end
    end
}

fn main() {}
