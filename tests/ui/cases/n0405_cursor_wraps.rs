//! N0405: a sum that is compared may have wrapped.

nupp::nupp! {
    @aot(target = "gpu")
    local function look_up(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>, at: uint32): nil
        for index = 1, #output do
            output[index] = 0.0
            if at + 1 < #table then
                output[index] = table[at + 1]
            end
        end
    end
}

fn main() {}
