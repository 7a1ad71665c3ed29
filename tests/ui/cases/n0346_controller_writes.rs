//! N0346: a write in the controller.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            output[groupIndex + 1] = 0.0
            phases:run(function(localIndex)
                local mine = localIndex
            end)
        end)
    end
}

fn main() {}
