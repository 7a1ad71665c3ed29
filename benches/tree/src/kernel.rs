//! The kernel: a value of each whole group of 256, by the tree of `phases:reduceSum`.

use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    pub local function tree(exclusive sums: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#input), 256), 256, function(groupIndex, phases)
            local values = phases:scratch(0.0, 256)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #input then
                    values[localIndex] = input[cursor + 1]
                end
            end)
            phases:reduceSum(values)
            phases:run(function(localIndex)
                if localIndex == 0 and groupIndex < #sums then
                    sums[groupIndex + 1] = values[0]
                end
            end)
        end)
    end
}
