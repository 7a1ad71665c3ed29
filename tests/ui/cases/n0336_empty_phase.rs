//! N0336: a phase without a statement.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
            end)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = 1.0
            end)
        end)
    end
}

fn main() {}
