//! N0406: an element lies past what a comparison proves.

nupp::nupp! {
    @aot(target = "gpu")
    local function look_up(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>, at: uint32): nil
        for index = 1, #output do
            output[index] = 0.0
            if at < #table then
                output[index] = table[at + 2]
            end
        end
    end
}

fn main() {}
