//! N0334: a group count of another form.

nupp::nupp! {
    @aot(target = "gpu")
    local function ones(exclusive output: span.WriteSpan<float>, groups: uint32): nil
        gpu.workgroups(groups, 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 64 + localIndex + 1] = 1.0
            end)
        end)
    end
}

fn main() {}
