//! N0340: a phase that assigns a local of the controller.

nupp::nupp! {
    @aot(target = "gpu")
    local function lane_numbers(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local mine: uint32 = 0
            phases:run(function(localIndex)
                mine = localIndex
            end)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = mine
            end)
        end)
    end
}

fn main() {}
