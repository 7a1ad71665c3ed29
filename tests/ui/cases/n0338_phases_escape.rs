//! N0338: a use of `phases` that lets it escape.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local p = phases
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = 1.0
            end)
        end)
    end
}

fn main() {}
