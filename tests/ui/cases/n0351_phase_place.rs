//! N0351: a phase where none can run.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = 1.0
                phases:run(function(inner)
                    local mine = inner
                end)
            end)
        end)
    end
}

fn main() {}
