//! N0593: the scratch arrays of a kernel take too much memory.

nupp::nupp! {
    @aot(target = "gpu")
    local function turn(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 256), 256, function(groupIndex, phases)
            local tile = phases:scratch(u32.wrap(0), 8192)
            phases:run(function(localIndex)
                for k = 0, 31 do
                    tile[localIndex + u32.wrap(k) * 256] = localIndex
                end
            end)
            phases:run(function(localIndex)
                output[groupIndex * 256 + localIndex + 1] = tile[255 - localIndex]
            end)
        end)
    end
}

fn main() {}
