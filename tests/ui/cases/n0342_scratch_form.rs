//! N0342: a scratch declaration of another form.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                local tile = phases:scratch(1.0, 64)
                output[groupIndex * 64 + localIndex + 1] = tile[0]
            end)
        end)
    end
}

fn main() {}
