//! N0407: a comparison is about an earlier value of a local.

nupp::nupp! {
    @aot(target = "gpu")
    local function next(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>, at: uint32): nil
        for index = 1, #output do
            local cursor = at
            output[index] = 0.0
            if cursor < #table then
                cursor = cursor + 1
                output[index] = table[cursor + 1]
            end
        end
    end
}

fn main() {}
