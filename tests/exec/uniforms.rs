//! Values that come from uniforms alone, which a driver may try to know when it compiles.

use crate::harness::{Case, kernel};
use nupp::nupp;

nupp! {
    @aot(target = "gpu")
    local function settled(exclusive output: span.WriteSpan<float>, x: float, y: float): nil
        for index = 1, #output do
            local t = f32.fma(x, y, -x)
            t = f32.fma(t, t / y, f32.sqrt(f32.abs(t)))
            if t < f32.fma(y, t, x) then
                t = f32.fma(t, y, t / x)
            end
            if f32.sqrt(f32.abs(t)) / y ~= x then
                t = t / y
            end
            output[index] = t
        end
    end
}

/// A driver that looks for uniforms behind a condition along every path, of which four software
/// operations in a row have more than can be counted, never ends.
#[test]
fn software_operations_on_uniforms_compile() {
    for (x, y) in [(1.5_f32, 0.7_f32), (-3.0, 1.0e-3), (f32::INFINITY, 2.0)] {
        let mut t = x.mul_add(y, -x);
        t = t.mul_add(t / y, t.abs().sqrt());
        if t < y.mul_add(t, x) {
            t = t.mul_add(y, t / x);
        }
        if t.abs().sqrt() / y != x {
            t /= y;
        }
        let bits = if t.is_nan() { 0x7fc0_0000 } else { t.to_bits() };
        Case::new(kernel!(settled: w f32, u f32, u f32))
            .spans([vec![0; 5]])
            .uniforms([x, y])
            .gives(0, vec![bits; 5]);
    }
}
