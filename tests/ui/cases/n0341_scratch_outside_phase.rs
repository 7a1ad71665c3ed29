//! N0341: scratch used outside a phase.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(1.0, 64)
            local first = tile[0]
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = first
            end)
        end)
    end
}

fn main() {}
