//! A write at the next lane's slot, and a read of it in the phase that writes.

nupp::nupp! {
    @aot(target = "gpu")
    local function writes(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)
            local tile = phases:scratch(0.0, 5)
            phases:run(function(localIndex)
                tile[localIndex + 1] = 1.0
            end)
            phases:run(function(localIndex)
                output[groupIndex * 4 + localIndex + 1] = tile[localIndex]
            end)
        end)
    end

    @aot(target = "gpu")
    local function reads(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)
            local tile = phases:scratch(0.0, 4)
            phases:run(function(localIndex)
                tile[localIndex] = 1.0
                output[groupIndex * 4 + localIndex + 1] = tile[u32.mod(localIndex + 1, 4)]
            end)
        end)
    end
}

fn main() {}
