//! N0414: one lane may scatter into a span twice, in two turns of a loop.

nupp::nupp! {
    @aot(target = "gpu")
    local function place(exclusive output: span.WriteSpan<uint32>, exclusive moved: span.WriteSpan<uint32>): nil
        for index = 1, #output do
            output[index] = 0
            for turn = 0, 3 do
                if index < #moved then
                    moved:scatter(index + 1, u32.wrap(turn))
                end
            end
        end
    end
}

fn main() {}
