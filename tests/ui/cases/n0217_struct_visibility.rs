//! N0217: a struct that is less visible than the kernel that names it.

nupp::nupp! {
    local struct Pair
        a: float
        b: float
    end

    @aot(target = "gpu")
    pub local function sum(exclusive output: span.WriteSpan<float>, borrows pairs: span.Span<Pair>): nil
        assert(#output == #pairs)
        for index = 1, #output do
            output[index] = pairs[index].a + pairs[index].b
        end
    end
}

fn main() {}
