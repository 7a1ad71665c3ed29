//! N0335: a controller without a phase.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local first = groupIndex * 64
        end)
    end
}

fn main() {}
