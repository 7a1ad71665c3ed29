//! Kernels that scatter: a map, groups, a choice of two spans, and lanes that do it three times. What
//! an element's number is, the programs say by a span of cursors, so that each can have its lanes meet
//! where it wants.

nupp::nupp! {
    @aot(target = "gpu")
    pub local function move_floats(
        exclusive copy: span.WriteSpan<float>,
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        borrows to: span.Span<uint32>
    ): nil
        assert(#input == #copy and #to == #copy)
        for index = 1, #copy do
            copy[index] = input[index]
            local c = to[index]
            if c < #output then output:scatter(c + 1, input[index] * 0.5) end
        end
    end

    @aot(target = "gpu")
    pub local function place(
        exclusive output: span.WriteSpan<uint32>,
        borrows values: span.Span<uint32>,
        borrows to: span.Span<uint32>
    ): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#values), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                if cursor < #values and cursor < #to then
                    local c = to[cursor + 1]
                    if c < #output then output:scatter(c + 1, values[cursor + 1]) end
                end
            end)
        end)
    end

    @aot(target = "gpu")
    pub local function sides(
        exclusive copy: span.WriteSpan<uint32>,
        exclusive low: span.WriteSpan<uint32>,
        exclusive high: span.WriteSpan<uint32>,
        borrows to: span.Span<uint32>
    ): nil
        assert(#to == #copy)
        for index = 1, #copy do
            copy[index] = index
            local c = to[index]
            if c < 1000 then
                if c < #low then low:scatter(c + 1, index) end
            elseif c < 2000 then
                local d = c - 1000
                if d < #high then high:scatter(d + 1, index) end
            end
        end
    end

    @aot(target = "gpu")
    pub local function turns(
        exclusive copy: span.WriteSpan<uint32>,
        exclusive output: span.WriteSpan<uint32>,
        borrows to: span.Span<uint32>,
        step: uint32
    ): nil
        assert(#to == #copy)
        for index = 1, #copy do
            copy[index] = index
            local n: uint32 = 0
            while n < 3 do
                local c = to[index] + n * step
                if c < #output then output:scatter(c + 1, index * 4 + n) end
                n = n + 1
            end
        end
    end

    @aot(target = "gpu")
    pub local function rounds(
        exclusive output: span.WriteSpan<uint32>,
        borrows to: span.Span<uint32>,
        step: uint32
    ): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#to), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                local cursor = groupIndex * 64 + localIndex
                if cursor < #to then
                    local n: uint32 = 0
                    while n < 3 do
                        local c = to[cursor + 1] + n * step
                        if c < #output then output:scatter(c + 1, cursor * 4 + n) end
                        n = n + 1
                    end
                end
            end)
        end)
    end
}
