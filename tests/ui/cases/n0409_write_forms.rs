//! N0409: a written span is used in two forms.

nupp::nupp! {
    @aot(target = "gpu")
    local function split(exclusive output: span.WriteSpan<float>, exclusive pairs: span.WriteSpan<float>): nil
        assert(#output == #pairs)
        assert(2 * #output <= #pairs + #output)
        for index = 1, #output do
            output[index] = 0.0
            pairs[index] = 1.0
            pairs:scatter(index, 2.0)
        end
    end
}

fn main() {}
