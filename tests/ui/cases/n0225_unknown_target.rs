//! N0225: a target other than `gpu` and `cpu`.

nupp::nupp! {
    @aot(target = "cuda")
    local function zero(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end
}

fn main() {}
