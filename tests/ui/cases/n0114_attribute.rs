//! N0114: an attribute that Nupp does not have, or one in the wrong place.

nupp::nupp! {
    @gpu
    local function zero(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            output[index] = 0.0
        end
    end
}

fn main() {}
