//! N0408: a histogram in place, in which lanes add to one element.

nupp::nupp! {
    @aot(target = "gpu")
    local function count(exclusive bins: span.WriteSpan<uint32>, borrows input: span.Span<uint32>): nil
        for index = 1, #bins do
            bins[input[index]] = bins[input[index]] + 1
        end
    end
}

fn main() {}
