//! N0404: no dominating comparison bounds a cursor.

nupp::nupp! {
    @aot(target = "gpu")
    local function look_up(exclusive output: span.WriteSpan<float>, borrows table: span.Span<float>, at: uint32): nil
        for index = 1, #output do
            output[index] = table[at + 1]
        end
    end
}

fn main() {}
