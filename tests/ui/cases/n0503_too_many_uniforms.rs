//! N0503: more than 32 scalar parameters.

nupp::nupp! {
    @aot(target = "gpu")
    local function many(
        exclusive output: span.WriteSpan<float>,
        u1: float, u2: float, u3: float, u4: float, u5: float, u6: float, u7: float, u8: float,
        u9: float, u10: float, u11: float, u12: float, u13: float, u14: float, u15: float, u16: float,
        u17: float, u18: float, u19: float, u20: float, u21: float, u22: float, u23: float, u24: float,
        u25: float, u26: float, u27: float, u28: float, u29: float, u30: float, u31: float, u32: float,
        u33: float
    ): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end
}

fn main() {}
