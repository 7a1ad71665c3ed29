//! N0214: an element or field that is not 32 bits wide.

nupp::nupp! {
    @aot(target = "gpu")
    local function widen(exclusive output: span.WriteSpan<uint32>, borrows bytes: span.Span<uint8>): nil
        assert(#output == #bytes)
        for index = 1, #output do
            output[index] = u32.wrap(bytes[index])
        end
    end
}

fn main() {}
