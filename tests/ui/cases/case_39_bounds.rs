//! Bounds of counted loops are int32 or literals of its range.

nupp::nupp! {
    @aot(target = "gpu")
    local function bounds(exclusive output: span.WriteSpan<float>, n: uint32): nil
        for index = 1, #output do
            output[index] = 0.0
            for i = 1, n do
                output[index] = f32.fromI32(i)
            end
            for i = 1, #output do
                output[index] = f32.fromI32(i)
            end
            for i = 1, 2147483648 do
                output[index] = f32.fromI32(i)
            end
            for i = 0.5, 2 do
                output[index] = 1.0
            end
        end
    end
}

fn main() {}
