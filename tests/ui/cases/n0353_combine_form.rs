//! N0353: a function of `phases:reduce` of another form.

nupp::nupp! {
    @aot(target = "gpu")
    local function largest(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local values = phases:scratch(1.0, 64)
            phases:reduce(values, f32.max)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = values[0]
            end)
        end)
    end
}

fn main() {}
