//! N0345: a scan whose temporary is its own array.

nupp::nupp! {
    @aot(target = "gpu")
    local function scan(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local sums = phases:scratch(1.0, 64)
            phases:inclusiveScan(sums, sums)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = sums[localIndex]
            end)
        end)
    end
}

fn main() {}
