//! N0352: a `scatter` of another form.

nupp::nupp! {
    @aot(target = "gpu")
    local function place(exclusive output: span.WriteSpan<float>, exclusive packed: span.WriteSpan<float>): nil
        assert(#output == #packed)
        for index = 1, #output do
            output[index] = 1.0
            packed:scatter(index)
        end
    end
}

fn main() {}
