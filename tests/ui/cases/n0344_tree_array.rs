//! N0344: a tree over an array that it is not defined for.

nupp::nupp! {
    local struct Candidate
        score: float
        place: uint32
    end

    @aot(target = "gpu")
    local function sums(exclusive output: span.WriteSpan<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 48), 48, function(groupIndex, phases)
            local sum = phases:scratch(1.0, 48)
            phases:reduceSum(sum)
            phases:run(function(localIndex)
                output[groupIndex * 48 + localIndex + 1] = sum[0]
            end)
        end)
    end

    @aot(target = "gpu")
    local function greatest(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 1), 64, function(groupIndex, phases)
            local best = phases:scratch(Candidate(0.0, 0), 64)
            phases:reduce(best, function(a, b) return a end)
            phases:run(function(localIndex)
                if localIndex == 0 then output[groupIndex + 1] = best[0].place end
            end)
        end)
    end
}

fn main() {}
