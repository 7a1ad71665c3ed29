//! N0418: a phase writes one array in two ways.

nupp::nupp! {
    @aot(target = "gpu")
    local function both(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(0.0, 128)
            phases:run(function(localIndex)
                tile[localIndex] = 1.0
                tile[localIndex * 2 + 1] = 2.0
            end)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = tile[localIndex]
            end)
        end)
    end
}

fn main() {}
