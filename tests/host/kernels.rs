//! The kernels that the programs share: over integers, so that a test of who owns what waits for no
//! probe of arithmetic.

nupp::nupp! {
    @aot(target = "gpu")
    pub local function affine(
        exclusive output: span.WriteSpan<uint32>,
        borrows input: span.Span<uint32>,
        factor: uint32,
        add: uint32
    ): nil
        assert(#output == #input, "output and input differ in length")
        for index = 1, #output do
            output[index] = input[index] * factor + add
        end
    end

    @aot(target = "gpu")
    pub local function bump(exclusive values: span.WriteSpan<uint32>, step: uint32): nil
        for index = 1, #values do
            values[index] = values[index] + step
        end
    end
}
