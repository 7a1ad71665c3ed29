//! N0330: a call of `gpu.workgroups` of another form.

nupp::nupp! {
    @aot(target = "gpu")
    local function sums(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
        gpu.workgroups(u32.div(u32.wrap(#input), 64), 64)
    end
}

fn main() {}
