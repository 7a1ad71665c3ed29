//! N0344: a tree over an array that it is not defined for.

nupp::nupp! {
    @aot(target = "gpu")
    local function sums(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 48), 48, function(groupIndex, phases)
            local sum = phases:scratch(1.0, 48)
            phases:reduceSum(sum)
            phases:run(function(localIndex)
                output[groupIndex * 48 + localIndex + 1] = sum[0]
            end)
        end)
    end
}

fn main() {}
