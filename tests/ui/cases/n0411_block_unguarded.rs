//! N0411: no guard makes room for the elements a lane owns.

nupp::nupp! {
    @aot(target = "gpu")
    local function split(exclusive output: span.WriteSpan<float>, exclusive pairs: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = 0.0
            pairs[(index - 1) * 2 + 1] = 1.0
            pairs[(index - 1) * 2 + 2] = 2.0
        end
    end
}

fn main() {}
