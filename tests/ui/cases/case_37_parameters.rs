//! Elements, fields and uniforms that have no 32-bit form, and one scalar too many.

nupp::nupp! {
    pub local struct Half
        bits: uint16
    end

    @aot(target = "gpu")
    pub local function bytes(exclusive output: span.WriteSpan<float>, borrows pixels: span.Span<uint8>): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end

    @aot(target = "gpu")
    pub local function switched(exclusive output: span.WriteSpan<float>, on: boolean): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end

    @aot(target = "gpu")
    pub local function scalars(
        exclusive output: span.WriteSpan<float>,
        a1: float, a2: float, a3: float, a4: float, a5: float, a6: float, a7: float, a8: float,
        b1: int32, b2: int32, b3: int32, b4: int32, b5: int32, b6: int32, b7: int32, b8: int32,
        c1: uint32, c2: uint32, c3: uint32, c4: uint32, c5: uint32, c6: uint32, c7: uint32, c8: uint32,
        d1: float, d2: float, d3: float, d4: float, d5: float, d6: float, d7: float, d8: float,
        one_more: float
    ): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end
}

fn main() {}
