//! Kernels that read narrow elements through words: four bytes with a scale, and 16-bit floats of both
//! kinds, every pattern of them.

use nupp::nupp;

use crate::context;

nupp! {
    @aot(target = "gpu")
    local function widen_bytes(
        exclusive output: span.WriteSpan<int32>,
        borrows words: span.Span<uint32>
    ): nil
        for index = 1, #output do
            local cursor = u32.div(index - 1, 4)
            local value: int32 = 0
            if cursor < #words then
                local shifted = words[cursor + 1] << ((3 - u32.mod(index - 1, 4)) * 8)
                value = i32.wrap(shifted) >> 24
            end
            output[index] = value
        end
    end

    @aot(target = "gpu")
    local function widen_halves(
        exclusive output: span.WriteSpan<float>,
        borrows words: span.Span<uint32>
    ): nil
        for index = 1, #output do
            local cursor = u32.div(index - 1, 2)
            local value: float = 0.0
            if cursor < #words then
                local bits = words[cursor + 1] >> (u32.mod(index - 1, 2) * 16) & 0xffff
                value = f32.fromF16Bits(bits)
            end
            output[index] = value
        end
    end

    @aot(target = "gpu")
    local function widen_brains(
        exclusive output: span.WriteSpan<float>,
        borrows words: span.Span<uint32>
    ): nil
        for index = 1, #output do
            local cursor = u32.div(index - 1, 2)
            local value: float = 0.0
            if cursor < #words then
                local bits = words[cursor + 1] >> (u32.mod(index - 1, 2) * 16) & 0xffff
                value = f32.fromBF16Bits(bits)
            end
            output[index] = value
        end
    end
}

#[test]
fn signed_bytes_are_read_in_order() {
    let Some(context) = context() else { return };
    for len in [3, 8, 257] {
        let values: Vec<i8> = (0..len as u32).map(|i| (i * 37 + 100) as i8).collect();
        let packed = context.buffer::<i8>(len).unwrap();
        context.upload(&packed, &values).unwrap();
        let output = context.buffer::<i32>(len).unwrap();
        let kernel = widen_bytes::compile(&context).unwrap();
        let binding = kernel.bind(&output, &packed.words().unwrap()).unwrap();
        binding.dispatch().unwrap();
        let expected: Vec<i32> = values.iter().copied().map(i32::from).collect();
        assert_eq!(context.download_blocking(&output).unwrap(), expected);
    }
}

#[test]
fn every_16_bit_float_is_widened() {
    let Some(context) = context() else { return };
    let patterns: Vec<u16> = (0..=u16::MAX).collect();
    let output = context.buffer::<f32>(patterns.len()).unwrap();
    // A NaN comes back as the one NaN of the language.
    let gate = |value: f32| match value.is_nan() {
        true => 0x7fc0_0000,
        false => value.to_bits(),
    };

    let halves = context.buffer::<half::f16>(patterns.len()).unwrap();
    let values: Vec<_> = patterns.iter().copied().map(half::f16::from_bits).collect();
    context.upload(&halves, &values).unwrap();
    let kernel = widen_halves::compile(&context).unwrap();
    let binding = kernel.bind(&output, &halves.words().unwrap()).unwrap();
    binding.dispatch().unwrap();
    let got = context.download_blocking(&output).unwrap();
    for (value, got) in values.iter().zip(&got) {
        assert_eq!(gate(*got), gate(value.to_f32()), "{:#06x}", value.to_bits());
    }

    let brains = context.buffer::<half::bf16>(patterns.len()).unwrap();
    let values: Vec<_> = patterns
        .iter()
        .copied()
        .map(half::bf16::from_bits)
        .collect();
    context.upload(&brains, &values).unwrap();
    let kernel = widen_brains::compile(&context).unwrap();
    let binding = kernel.bind(&output, &brains.words().unwrap()).unwrap();
    binding.dispatch().unwrap();
    let got = context.download_blocking(&output).unwrap();
    for (value, got) in values.iter().zip(&got) {
        assert_eq!(gate(*got), gate(value.to_f32()), "{:#06x}", value.to_bits());
    }
}
