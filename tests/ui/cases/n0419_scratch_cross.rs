//! N0419: a phase reads another lane's slot of an array it writes.

nupp::nupp! {
    @aot(target = "gpu")
    local function turn(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                tile[localIndex] = localIndex
                output[groupIndex * 64 + localIndex + 1] = tile[63 - localIndex]
            end)
        end)
    end
}

fn main() {}
