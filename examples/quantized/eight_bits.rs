//! A product of a matrix of bytes and a vector, and a sum with another where there is one. A kernel
//! reads bytes through words, four in each, the first in its lowest bits; each row begins on a word.

use nupp::nupp;

nupp! {
    // What four weights of a row add to a sum, as in the product of four-bit integers.
    local function four(
        word: uint32,
        first: uint32,
        scale: float,
        zero: int32,
        borrows input: span.Span<float>,
        start: float
    ): float
        local sum = start
        for k = 0, 3 do
            local column = first + k
            if column < #input then
                sum = sum + quant.dequantizeI8(word, k, scale, zero) * input[column + 1]
            end
        end
        return sum
    end

    /// One output a row, which a group of 64 lanes adds up: lane by lane, then in a tree, then the
    /// residual, which may be empty. `words` are the rows one after the other, `scales` and `zeros` what
    /// the integers of each mean.
    @aot(target = "gpu")
    pub local function eight_bit_rows(
        exclusive output: span.WriteSpan<float>,
        borrows scales: span.Span<float>,
        borrows zeros: span.Span<int32>,
        borrows words: span.Span<uint32>,
        borrows input: span.Span<float>,
        borrows residual: span.Span<float>
    ): nil
        assert(#output == #scales and #output == #zeros, "one output, scale and zero point a row")
        gpu.workgroups(u32.div(u32.wrap(#output), 1), 64, function(groupIndex, phases)
            local partial = phases:scratch(0.0, 64)
            local turns = u32.divCeil(#input, 4)
            local scale = scales[groupIndex + 1]
            local zero = zeros[groupIndex + 1]
            phases:run(function(localIndex)
                local sum: float = 0.0
                local turn = localIndex
                while turn < turns do
                    local cursor = groupIndex * turns + turn
                    if cursor < #words then
                        sum = four(words[cursor + 1], turn * 4, scale, zero, input, sum)
                    end
                    turn = turn + 64
                end
                partial[localIndex] = sum
            end)
            phases:reduceSum(partial)
            phases:run(function(localIndex)
                if localIndex == 0 then
                    local sum = partial[0]
                    if groupIndex < #residual then sum = sum + residual[groupIndex + 1] end
                    output[groupIndex + 1] = sum
                end
            end)
        end)
    end
}

/// Integers four a word, as the words of a device's buffer of bytes have them.
pub fn words(integers: &[i8]) -> Vec<u32> {
    let byte = |q: &i8| u32::from(*q as u8);
    let word = |four: &[i8]| four.iter().rfold(0, |word, q| word << 8 | byte(q));
    integers.chunks(4).map(word).collect()
}
