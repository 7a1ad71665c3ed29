//! N0502: more than 16 spans.

nupp::nupp! {
    @aot(target = "gpu")
    local function many(
        exclusive output: span.WriteSpan<float>,
        borrows s1: span.Span<float>, borrows s2: span.Span<float>, borrows s3: span.Span<float>,
        borrows s4: span.Span<float>, borrows s5: span.Span<float>, borrows s6: span.Span<float>,
        borrows s7: span.Span<float>, borrows s8: span.Span<float>, borrows s9: span.Span<float>,
        borrows s10: span.Span<float>, borrows s11: span.Span<float>, borrows s12: span.Span<float>,
        borrows s13: span.Span<float>, borrows s14: span.Span<float>, borrows s15: span.Span<float>,
        borrows s16: span.Span<float>
    ): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end
}

fn main() {}
