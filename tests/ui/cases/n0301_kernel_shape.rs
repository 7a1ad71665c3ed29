//! N0301: a kernel of neither shape.

nupp::nupp! {
    @aot(target = "gpu")
    local function one(exclusive output: span.WriteSpan<float>): nil
        output[1] = 1.0
    end
}

fn main() {}
