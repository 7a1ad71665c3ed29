//! N0339: control flow across a phase's edge.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            for turn = 1, 4 do
                phases:run(function(localIndex)
                    if localIndex == 0 then break end
                    output[groupIndex * 64 + localIndex + 1] = 1.0
                end)
            end
        end)
    end
}

fn main() {}
