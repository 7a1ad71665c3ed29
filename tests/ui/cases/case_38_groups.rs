//! Group sizes and counts that are refused.

nupp::nupp! {
    @aot(target = "gpu")
    local function empty(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 0, function(groupIndex, phases)
            phases:run(function(localIndex)
                local mine = localIndex
            end)
        end)
    end

    @aot(target = "gpu")
    local function large(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 257, function(groupIndex, phases)
            phases:run(function(localIndex)
                local mine = localIndex
            end)
        end)
    end

    @aot(target = "gpu")
    local function chosen(exclusive output: span.WriteSpan<float>, lanes: uint32): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), lanes, function(groupIndex, phases)
            phases:run(function(localIndex)
                local mine = localIndex
            end)
        end)
    end

    @aot(target = "gpu")
    local function counted(exclusive output: span.WriteSpan<float>, x: uint32): nil
        gpu.workgroups(u32.div(x, 4), 4, function(groupIndex, phases)
            phases:run(function(localIndex)
                local mine = localIndex
            end)
        end)
    end
}

fn main() {}
