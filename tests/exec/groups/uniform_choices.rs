//! Choices in a phase that are the same in all lanes, used by operations that are the same in all lanes:
//! the CPU computes both before its loop over the lanes.

use crate::harness::{Case, floats, kernel};
use nupp::nupp;

nupp! {
    local function unless(c: boolean, x: float): float
        if c then return 0.25 end
        return x - 1.0
    end

    @aot(target = "gpu")
    local function chosen(
        exclusive output: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        x: float,
        n: uint32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 8), 8, function(groupIndex, phases)
            local values = phases:scratch(0.0, 8)
            phases:run(function(localIndex)
                local at = groupIndex * 8 + localIndex
                local factor: float = 0.25
                if x > 0.0 then
                    factor = x
                    if n > groupIndex then
                        factor = factor + 1.0
                    end
                end
                local value: float = 0.0
                if at < #a then
                    value = a[at + 1]
                end
                values[localIndex] = value * (factor * 3.0) + unless(true, x) * unless(n > 2, x)
            end)
            phases:run(function(localIndex)
                output[groupIndex * 8 + localIndex + 1] = values[7 - localIndex]
            end)
        end)
    end
}

#[test]
fn choices_of_all_lanes() {
    let a: Vec<f32> = (0..20).map(|i| i as f32 * 0.75 - 4.0).collect();
    for (x, n) in [(-1.5_f32, 0), (-1.5, 9), (2.5, 0), (2.5, 1), (2.5, 9)] {
        let value = |group: u32, lane: u32| {
            let mut factor = 0.25;
            if x > 0.0 {
                factor = if n > group { x + 1.0 } else { x };
            }
            let value = a.get((group * 8 + lane) as usize).copied().unwrap_or(0.0);
            value * (factor * 3.0) + 0.25 * if n > 2 { 0.25 } else { x - 1.0 }
        };
        let groups = (0..3).flat_map(|group| (0..8).map(move |lane| (group, 7 - lane)));
        let expected: Vec<f32> = groups.map(|(group, lane)| value(group, lane)).collect();
        Case::new(kernel!(chosen: w f32, r f32, u f32, u u32))
            .spans([vec![9; 24], floats(&a)])
            .uniforms([x.to_bits(), n])
            .gives(0, floats(&expected));
    }
}
