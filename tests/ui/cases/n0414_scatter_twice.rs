//! N0414: one lane may scatter into a span twice.

nupp::nupp! {
    @aot(target = "gpu")
    local function shift(exclusive output: span.WriteSpan<float>, exclusive moved: span.WriteSpan<float>): nil
        assert(#moved == #output)
        for index = 1, #output do
            output[index] = 0.0
            moved:scatter(index, 1.0)
            if index > 1 then
                moved:scatter(index - 1, 2.0)
            end
        end
    end
}

fn main() {}
