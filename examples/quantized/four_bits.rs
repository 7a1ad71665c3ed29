//! A product of a matrix of four-bit integers and a vector. Eight integers stand in a word, the first
//! in its lowest bits; each row begins on a word.

use nupp::nupp;

nupp! {
    // What eight weights of a row add to a sum. The sums of a lane are products and additions of
    // their own, which every device has; a fused one would be carried in software on some.
    local function eight(
        word: uint32,
        first: uint32,
        scale: float,
        zero: int32,
        borrows input: span.Span<float>,
        start: float
    ): float
        local sum = start
        for k = 0, 7 do
            local column = first + k
            if column < #input then
                sum = sum + quant.dequantizeI4(word, k, scale, zero) * input[column + 1]
            end
        end
        return sum
    end

    /// One output a row, which a group of 64 lanes adds up: lane by lane, then in a tree. `words` are the
    /// rows one after the other, `scales` and `zeros` what the integers of each mean.
    @aot(target = "gpu")
    pub local function four_bit_rows(
        exclusive output: span.WriteSpan<float>,
        borrows scales: span.Span<float>,
        borrows zeros: span.Span<int32>,
        borrows words: span.Span<uint32>,
        borrows input: span.Span<float>
    ): nil
        assert(#output == #scales and #output == #zeros, "one output, scale and zero point a row")
        gpu.workgroups(u32.div(u32.wrap(#output), 1), 64, function(groupIndex, phases)
            local partial = phases:scratch(0.0, 64)
            local turns = u32.divCeil(#input, 8)
            local scale = scales[groupIndex + 1]
            local zero = zeros[groupIndex + 1]
            phases:run(function(localIndex)
                local sum: float = 0.0
                local turn = localIndex
                while turn < turns do
                    local cursor = groupIndex * turns + turn
                    if cursor < #words then
                        sum = eight(words[cursor + 1], turn * 8, scale, zero, input, sum)
                    end
                    turn = turn + 64
                end
                partial[localIndex] = sum
            end)
            phases:reduceSum(partial)
            phases:run(function(localIndex)
                if localIndex == 0 then output[groupIndex + 1] = partial[0] end
            end)
        end)
    end
}

/// Integers eight a word.
pub fn nibbles(integers: &[i8]) -> Vec<u32> {
    let nibble = |q: &i8| *q as u32 & 15;
    let word = |eight: &[i8]| eight.iter().rfold(0, |word, q| word << 4 | nibble(q));
    integers.chunks(8).map(word).collect()
}
