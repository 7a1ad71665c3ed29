//! Case 40 and block writes: guards of uniforms on the CPU, and of multiples of a length.

use crate::harness::{Case, kernel};
use nupp::nupp;

nupp! {
    @aot
    local function guarded(
        exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>,
        factor: float
    ): nil
        assert(#output == #input, "lengths")
        assert(factor >= 1.0, "factor below one")
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end

    @aot(target = "gpu")
    local function interleave(
        exclusive output: span.WriteSpan<float>,
        exclusive marks: span.WriteSpan<uint32>,
        borrows left: span.Span<float>,
        borrows right: span.Span<float>
    ): nil
        assert(#left == #marks and #right <= #marks and #right >= #marks)
        assert(2 * #output <= #left)
        for index = 1, #output do
            marks[(index - 1) * 2 + 1] = index
            for j = 0, 1 do
                marks[(index - 1) * 2 + j + 1] = 2 * index + u32.wrap(j)
            end
            output[index] = f32.fromU32(index)
        end
    end
}

#[test]
fn case_40_guards_on_the_cpu() {
    let mut output = [0.0; 2];
    assert!(guarded(&mut output, &[1.0, 2.0], 1.5).is_ok());
    assert_eq!(output, [1.5, 3.0]);
    let fault = guarded(&mut output, &[1.0, 2.0], 0.5).expect_err("a factor below one");
    assert!(fault.to_string().contains("factor below one"), "{fault}");
    let fault = guarded(&mut output, &[1.0], f32::NAN).expect_err("the first guard that fails");
    assert!(fault.to_string().contains("lengths"), "{fault}");
    assert_eq!(output, [1.5, 3.0], "a refused call touches nothing");
}

#[test]
fn block_writes() {
    for len in [0, 1, 128, 129, 300] {
        let marks: Vec<u32> = (1..=len as u32).flat_map(|i| [2 * i, 2 * i + 1]).collect();
        let output: Vec<u32> = (1..=len).map(|i| (i as f32).to_bits()).collect();
        let pad = vec![0; 2 * len];
        Case::new(kernel!(interleave: w f32, w u32, r f32, r f32))
            .spans([vec![9; len], pad.clone(), pad.clone(), pad])
            .gives_all([output, marks]);
    }
}
