//! Reads that no guard and no comparison covers.

nupp::nupp! {
    @aot(target = "gpu")
    local function unguarded(exclusive output: span.WriteSpan<float>, borrows s: span.Span<float>): nil
        for index = 1, #output do
            output[index] = s[index]
        end
    end

    @aot(target = "gpu")
    local function one_past(exclusive output: span.WriteSpan<float>, borrows s: span.Span<float>, c: uint32): nil
        for index = 1, #output do
            if c < #s then
                output[index] = s[c + 2]
            end
        end
    end

    @aot(target = "gpu")
    local function after_increment(exclusive output: span.WriteSpan<float>, borrows s: span.Span<float>): nil
        for index = 1, #output do
            local c: uint32 = 0
            local sum = 0.0
            while c < #s do
                c = c + 1
                sum = sum + s[c + 1]
            end
            output[index] = sum
        end
    end

    @aot(target = "gpu")
    local function wrapping(exclusive output: span.WriteSpan<float>, borrows s: span.Span<float>, c: uint32): nil
        for index = 1, #output do
            if c + 1 < #s then
                output[index] = s[c + 1]
            end
        end
    end

    @aot(target = "gpu")
    local function two_forms(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 4), 4, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 4 + localIndex + 1] = 1.0
            end)
            phases:run(function(localIndex)
                if localIndex == 0 then
                    output[groupIndex + 1] = 2.0
                end
            end)
        end)
    end
}

fn main() {}
