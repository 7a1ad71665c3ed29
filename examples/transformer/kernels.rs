//! Five of the six kernels of a decoder block: the embedding of a token, the norm of a vector, attention,
//! the activation, and the choice of the next token. The sixth is the product with bytes that
//! `examples/quantized` has too.

use nupp::nupp;

/// Numbers of a head's query, key and value; the kernels have it as a constant of their own.
pub const HEAD: usize = 12;

nupp! {
    const HEAD = 12
    // The least finite float: a lane without a token has it as its score.
    const LEAST = -3.4028234e38

    /// Row `token[0]` of a matrix of bytes, as floats: four weights a word, each row from a word on.
    @aot(target = "gpu")
    pub local function embed(
        exclusive output: span.WriteSpan<float>,
        borrows token: span.Span<uint32>,
        borrows scales: span.Span<float>,
        borrows zeros: span.Span<int32>,
        borrows words: span.Span<uint32>
    ): nil
        for index = 1, #output do
            local row: uint32 = 0
            if #token >= 1 then row = token[1] end
            local at = row * u32.divCeil(#output, 4) + u32.div(index - 1, 4)
            local value: float = 0.0
            if row < #scales and row < #zeros and at < #words then
                value = quant.dequantizeI8(words[at + 1], u32.mod(index - 1, 4), scales[row + 1], zeros[row + 1])
            end
            output[index] = value
        end
    end

    /// `input` over the root of its mean square, times `gain`: one group of 64 lanes, so 256 elements at
    /// most.
    @aot(target = "gpu")
    pub local function norm(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        borrows gain: span.Span<float>
    ): nil
        assert(#output == #input and #output == #gain, "one gain an element")
        assert(#output <= 256, "at most 256 elements")
        gpu.workgroups(u32.divCeil(u32.wrap(#output), 256), 64, function(groupIndex, phases)
            local squares = phases:scratch(0.0, 64)
            phases:run(function(localIndex)
                local sum: float = 0.0
                for turn = 0, 3 do
                    local cursor = localIndex + turn * 64
                    if cursor < #input then
                        local x = input[cursor + 1]
                        sum = sum + x * x
                    end
                end
                squares[localIndex] = sum
            end)
            phases:reduceSum(squares)
            phases:run(function(localIndex)
                local factor = f32.rsqrt(squares[0] / f32.fromU32(#input) + 0.00001)
                for turn = 0, 3 do
                    local cursor = groupIndex * 256 + localIndex + turn * 64
                    if cursor < #output then
                        output[groupIndex * 256 + localIndex + turn * 64 + 1] = input[cursor + 1] * factor * gain[cursor + 1]
                    end
                end
            end)
        end)
    end

    /// What the last token takes from all up to itself, a group of 64 lanes a head: softmax of its query
    /// with each key, times each value. `cache` has a row a token: queries, keys and values of all heads.
    @aot(target = "gpu")
    pub local function attend(exclusive output: span.WriteSpan<float>, borrows cache: span.Span<float>): nil
        assert(#cache <= 192 * #output, "at most 64 tokens")
        gpu.workgroups(u32.div(u32.wrap(#output), HEAD), 64, function(groupIndex, phases)
            local scores = phases:scratch(LEAST, 64)
            local best = phases:scratch(LEAST, 64)
            local weights = phases:scratch(0.0, 64)
            local sums = phases:scratch(0.0, 64)
            local width = #output
            local tokens = u32.div(#cache, 3 * width)
            local first = groupIndex * HEAD
            phases:run(function(localIndex)
                if localIndex < tokens then
                    local score: float = 0.0
                    for k = 0, HEAD - 1 do
                        local query = (tokens - 1) * 3 * width + first + k
                        local key = localIndex * 3 * width + width + first + k
                        if query < #cache and key < #cache then
                            score = score + cache[query + 1] * cache[key + 1]
                        end
                    end
                    score = score * f32.rsqrt(12.0)
                    scores[localIndex] = score
                    best[localIndex] = score
                end
            end)
            phases:reduceMax(best)
            phases:run(function(localIndex)
                if localIndex < tokens then
                    local weight = f32.exp(scores[localIndex] - best[0])
                    weights[localIndex] = weight
                    sums[localIndex] = weight
                end
            end)
            phases:reduceSum(sums)
            phases:run(function(localIndex)
                if localIndex < HEAD then
                    local sum: float = 0.0
                    local token: uint32 = 0
                    while token < tokens and token < 64 do
                        local value = token * 3 * width + 2 * width + first + localIndex
                        if value < #cache then sum = sum + weights[token] * cache[value + 1] end
                        token = token + 1
                    end
                    output[groupIndex * HEAD + localIndex + 1] = sum / sums[0]
                end
            end)
        end)
    end

    /// `x * sigmoid(x)`, in place.
    @aot(target = "gpu")
    pub local function activate(exclusive values: span.WriteSpan<float>): nil
        for index = 1, #values do
            values[index] = values[index] * f32.sigmoid(values[index])
        end
    end

    /// The number of the greatest element, the first of them: one group of 64 lanes.
    @aot(target = "gpu")
    pub local function choose(exclusive token: span.WriteSpan<uint32>, borrows logits: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#token), 1), 64, function(groupIndex, phases)
            local best = phases:scratch(LEAST, 64)
            local scores = phases:scratch(LEAST, 64)
            local tokens = phases:scratch(u32.wrap(0), 64)
            phases:run(function(localIndex)
                local score: float = LEAST
                local found: uint32 = 0
                local cursor = localIndex
                while cursor < #logits do
                    if logits[cursor + 1] > score then
                        score = logits[cursor + 1]
                        found = cursor
                    end
                    cursor = cursor + 64
                end
                scores[localIndex] = score
                best[localIndex] = score
                tokens[localIndex] = found
            end)
            phases:reduceMax(best)
            phases:run(function(localIndex)
                if scores[localIndex] ~= best[0] then tokens[localIndex] = 0xffffffff end
            end)
            phases:reduceMin(tokens)
            phases:run(function(localIndex)
                if localIndex == 0 then token[groupIndex + 1] = tokens[0] end
            end)
        end)
    end
}
