//! N0333: a group size that is no constant from 1 to 256.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 512), 512, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 512 + localIndex + 1] = 1.0
            end)
        end)
    end
}

fn main() {}
