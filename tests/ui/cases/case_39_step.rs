//! Counted loops have no step. The parser refuses it, so it stands alone.

nupp::nupp! {
    @aot(target = "gpu")
    local function steps(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            for i = 1, 10, 2 do
                output[index] = f32.fromI32(i)
            end
        end
    end
}

fn main() {}
