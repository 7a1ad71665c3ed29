//! N0410: a written span is read at another lane's element.

nupp::nupp! {
    @aot(target = "gpu")
    local function smooth(exclusive output: span.WriteSpan<float>): nil
        for index = 1, #output do
            if index > 1 then
                output[index] = (output[index - 1] + output[index]) / 2.0
            end
        end
    end
}

fn main() {}
