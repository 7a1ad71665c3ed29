//! What differs from lane to lane decides nothing in the controller, and nothing leaves a phase.

nupp::nupp! {
    @aot(target = "gpu")
    local function nonuniform(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)
            local tile = phases:scratch(u32.wrap(0), 4)
            local last: uint32 = 0
            if tile[0] > 1 then
                last = 1
            end
            for turn = 0, localIndex do
                phases:run(function(localIndex)
                    last = localIndex
                    if localIndex == 1 then
                        return
                    end
                    output[groupIndex * 4 + localIndex + 1] = tile[localIndex]
                end)
            end
        end)
    end
}

fn main() {}
