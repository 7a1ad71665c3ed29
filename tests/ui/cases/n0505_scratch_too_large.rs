//! N0505: a scratch array larger than any group may have.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(1.0, 100000)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = tile[63 - localIndex]
            end)
        end)
    end
}

fn main() {}
