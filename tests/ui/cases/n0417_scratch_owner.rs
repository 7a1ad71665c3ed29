//! N0417: a phase writes a slot that its lane does not own.

nupp::nupp! {
    @aot(target = "gpu")
    local function turn(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                tile[63 - localIndex] = localIndex
            end)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = tile[localIndex]
            end)
        end)
    end
}

fn main() {}
