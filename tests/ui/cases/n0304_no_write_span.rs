//! N0304: a kernel that writes nothing.

nupp::nupp! {
    @aot(target = "gpu")
    local function look(borrows input: span.Span<float>): nil
        for index = 1, #input do
            local it = input[index]
        end
    end
}

fn main() {}
