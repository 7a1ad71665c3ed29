//! Kernels whose loops turn as often as a dispatch says, or as a constant does: one loop, two nested ones,
//! one that tests, a loop of phases, and one with a scatter after it.

nupp::nupp! {
    @aot(target = "gpu")
    pub local function single(exclusive output: span.WriteSpan<uint32>, turns: int32): nil
        for index = 1, #output do
            local n = index
            for turn = 1, turns do n = n * 3 + u32.wrap(turn) end
            output[index] = n
        end
    end

    @aot(target = "gpu")
    pub local function nested(exclusive output: span.WriteSpan<uint32>, outer: int32, inner: int32): nil
        for index = 1, #output do
            local n = index
            for turn = 1, outer do
                for other = 1, inner do n = n * 3 + u32.wrap(turn + other) end
            end
            output[index] = n
        end
    end

    -- Lanes of one group of lanes turn at different times.
    @aot(target = "gpu")
    pub local function testing(exclusive output: span.WriteSpan<uint32>, turns: uint32): nil
        for index = 1, #output do
            local n = index
            local left = turns + index
            while left > 1 do
                n = n * 3 + left
                left = left - 1
            end
            output[index] = n
        end
    end

    @aot(target = "gpu")
    pub local function few(exclusive output: span.WriteSpan<uint32>): nil
        for index = 1, #output do
            local n = index
            for turn = 1, 100 do
                for other = 1, 100 do n = n * 3 + u32.wrap(other) end
            end
            output[index] = n
        end
    end

    @aot(target = "gpu")
    pub local function many(exclusive output: span.WriteSpan<uint32>): nil
        for index = 1, #output do
            local n = index
            for turn = 1, 300 do
                for other = 1, 300 do n = n * 3 + u32.wrap(other) end
            end
            output[index] = n
        end
    end

    @aot(target = "gpu")
    pub local function spread(
        exclusive copy: span.WriteSpan<uint32>,
        exclusive output: span.WriteSpan<uint32>,
        turns: int32
    ): nil
        for index = 1, #copy do
            local n = index
            for turn = 1, turns do n = n * 3 + u32.wrap(turn) end
            copy[index] = n
            if index < #output then output:scatter(index + 1, n) end
        end
    end

    @aot(target = "gpu")
    pub local function phased(
        exclusive output: span.WriteSpan<uint32>,
        borrows values: span.Span<uint32>,
        turns: uint32
    ): nil
        assert(#values == #output)
        gpu.workgroups(u32.divCeil(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local shared = phases:scratch(u32.wrap(0), 64)
            local other = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                if cursor < #values then shared[localIndex] = values[cursor + 1] end
            end)
            for turn = 1, turns do
                phases:run(function(localIndex)
                    other[localIndex] = shared[u32.mod(localIndex + 1, 64)]
                end)
                phases:run(function(localIndex)
                    shared[localIndex] = other[localIndex] * 3 + turn
                end)
            end
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                if cursor < #output then output[cursor + 1] = shared[localIndex] end
            end)
        end)
    end

    -- The lanes of some vectors of a group turn long, those of others do not, before all of them meet.
    @aot(target = "gpu")
    pub local function uneven(exclusive output: span.WriteSpan<uint32>, turns: int32): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#output), 64), 64, function(groupIndex, phases)
            local shared = phases:scratch(u32.wrap(0), 64)
            local other = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                local n = localIndex
                if localIndex < 3 then
                    for turn = 1, turns do n = n * 3 + u32.wrap(turn) end
                end
                shared[localIndex] = n
            end)
            for turn = 1, 20 do
                phases:run(function(localIndex)
                    other[localIndex] = shared[u32.mod(localIndex + 1, 64)]
                end)
                phases:run(function(localIndex)
                    shared[localIndex] = other[localIndex] * 3 + u32.wrap(turn)
                end)
            end
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                if cursor < #output then output[cursor + 1] = shared[localIndex] end
            end)
        end)
    end
}
