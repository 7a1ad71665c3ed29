//! N0332: a statement that cannot stand beside `gpu.workgroups`.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = 1.0
            end)
        end)
        local after = 1.0
    end
}

fn main() {}
