//! Stable compaction in three kernels: how many of a block of 256 are kept up to each value, where each
//! block's begin in the output, and the declared scatter that puts them there.
//!
//! One block adds up the totals of all, so there are at most 256 of them: 65,536 values.

use nupp::nupp;

/// Values of a block.
pub const BLOCK: usize = 256;

nupp! {
    /// The kept values of a block up to each, itself included, and of each block. What is odd is kept.
    @aot(target = "gpu")
    pub local function rank(
        exclusive ranks: span.WriteSpan<uint32>,
        exclusive totals: span.WriteSpan<uint32>,
        borrows keep: span.Span<uint32>
    ): nil
        assert(#ranks == #keep, "one rank a value")
        gpu.workgroups(u32.divCeil(u32.wrap(#keep), 256), 256, function(groupIndex, phases)
            local counts = phases:scratch(u32.wrap(0), 256)
            local other = phases:scratch(u32.wrap(0), 256)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #keep then counts[localIndex] = keep[cursor + 1] & 1 end
            end)
            phases:inclusiveScan(counts, other)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #ranks then
                    ranks[groupIndex * 256 + localIndex + 1] = counts[localIndex]
                end
                if localIndex == 255 and groupIndex < #totals then
                    totals[groupIndex + 1] = counts[localIndex]
                end
            end)
        end)
    end

    /// How many values are kept before each block.
    @aot(target = "gpu")
    pub local function offset(
        exclusive offsets: span.WriteSpan<uint32>,
        borrows totals: span.Span<uint32>
    ): nil
        assert(#offsets == #totals, "one offset a block")
        gpu.workgroups(u32.divCeil(u32.wrap(#totals), 256), 256, function(groupIndex, phases)
            local sums = phases:scratch(u32.wrap(0), 256)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #totals then sums[localIndex] = totals[cursor + 1] end
            end)
            phases:exclusiveScan(sums)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #offsets then
                    offsets[groupIndex * 256 + localIndex + 1] = sums[localIndex]
                end
            end)
        end)
    end

    /// Puts each kept value in its place. That no two go to one place is asserted: their ranks differ.
    @aot(target = "gpu")
    pub local function place(
        exclusive output: span.WriteSpan<uint32>,
        borrows values: span.Span<uint32>,
        borrows keep: span.Span<uint32>,
        borrows ranks: span.Span<uint32>,
        borrows offsets: span.Span<uint32>
    ): nil
        assert(#values == #keep and #keep == #ranks, "one rank a value")
        gpu.workgroups(u32.divCeil(u32.wrap(#values), 256), 256, function(groupIndex, phases)
            local first: uint32 = 0
            if groupIndex < #offsets then first = offsets[groupIndex + 1] end
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #values then
                    local at = first + ranks[cursor + 1] - 1
                    if keep[cursor + 1] & 1 == 1 and at < #output then
                        output:scatter(at + 1, values[cursor + 1])
                    end
                end
            end)
        end)
    end
}
