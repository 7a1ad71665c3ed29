//! N0416: a slot may lie outside its array.

nupp::nupp! {
    @aot(target = "gpu")
    local function next(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local tile = phases:scratch(1.0, 64)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = tile[localIndex + 1]
            end)
        end)
    end
}

fn main() {}
