//! N0343: scratch whose size is no constant.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>, slots: uint32): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(1.0, slots)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = tile[0]
            end)
        end)
    end
}

fn main() {}
