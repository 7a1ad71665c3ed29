//! A proof that fails in an inlined helper names the element there and the call that led to it.

nupp::nupp! {
    local function at(borrows values: span.Span<float>, cursor: uint32): float
        return values[cursor + 1]
    end

    @aot(target = "gpu")
    local function look_up(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>, n: uint32): nil
        for index = 1, #output do
            output[index] = at(table, n)
        end
    end
}

fn main() {}
