//! A wrong block reports all its mistakes of a stage at once, each at its own tokens, and breeds no
//! errors where its kernels are used.

nupp::nupp! {
    local function half(n: uint32): uint32
        return n / 2
    end

    @aot(target = "gpu")
    pub local function first(exclusive output: span.WriteSpan<float>, borrows input: span.Span<uint8>): nil
        assert(#output == #input)
        for index = 1, #output do
            local sum = index + gain
            output[index] = indx
        end
    end

    @aot(target = "gpu")
    pub local function second(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>, n: uint32): nil
        assert(#output == #input)
        for index = 1, #output do
            input[index] = 1.0
            output[index] = input[index] * n
            local two = 2
            if n then
                output[index] = f32.squrt(1.0)
            end
        end
    end
}

fn main() {
    let (mut output, input) = ([0.0; 4], [1.0; 4]);
    second(&mut output, &input, 3).unwrap();
}
