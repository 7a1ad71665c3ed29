//! N0231: a span or scratch argument that the helper cannot take.

nupp::nupp! {
    local function first(borrows s: span.Span<float>): float
        return s[1]
    end

    @aot(target = "gpu")
    local function fill(exclusive output: span.WriteSpan<float>, borrows counts: span.Span<uint32>): nil
        assert(#counts >= 1)
        for index = 1, #output do
            output[index] = first(counts)
        end
    end
}

fn main() {}
