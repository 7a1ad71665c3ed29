//! A stencil that writes the span it reads: the help says how to double-buffer.

nupp::nupp! {
    @aot(target = "gpu")
    local function smooth(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            if index > 1 and index < #output then
                output[index] = (output[index - 1] + output[index] + output[index + 1]) / 3.0
            end
        end
    end
}

fn main() {}
