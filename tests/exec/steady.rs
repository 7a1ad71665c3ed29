//! A kernel gives the same bits at its first dispatch and at its ten thousandth, and when it is compiled
//! again: a driver that recompiles what runs often, or takes a module from a cache, must not learn the
//! value of the words that hide operands.
//!
//! `NUPP_STEADY_DISPATCHES` says how many dispatches.

use crate::generated::number;
use crate::harness::{devices, floats, kernel};
use nupp::nupp;
use nupp_testkit::compare::{difference, fnv1a};
use nupp_testkit::inputs::FLOATS;

nupp! {
    @aot(target = "gpu")
    local function much(
        exclusive output: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        scale: float
    ): nil
        assert(#a == #output and #b == #output)
        for index = 1, #output do
            local x, y = a[index], b[index]
            local difference = x * y - y * x
            local ratio = f32.fma(x, scale, y) / (f32.abs(y) + scale)
            output[index] = f32.exp(f32.min(ratio, 80.0)) + f32.sqrt(f32.abs(x)) + difference
        end
    end
}

#[test]
fn the_last_of_many_dispatches_gives_what_the_first_gave() {
    let times = number("NUPP_STEADY_DISPATCHES", 200);
    let mut lanes: Vec<u32> = FLOATS.to_vec();
    lanes.extend((0..4096_u32).map(|n| n.wrapping_mul(0x9e37_79b9)));
    let spans = [
        vec![0; lanes.len()],
        lanes.clone(),
        lanes.iter().rev().copied().collect(),
    ];
    let uniforms = floats(&[0.37]);
    let runner = kernel!(much: w f32, r f32, r f32, u f32);
    let mut expected = spans.clone();
    (runner.cpu)(&mut expected, &uniforms).expect("the CPU");
    // Integer code has nothing to hide.
    for device in devices().iter().filter(|device| !device.integer) {
        // Compiled twice: the second time, a driver may have it in a cache.
        for compiled in ["once", "again"] {
            let buffers = (runner.buffers)(&device.context, &spans).expect("buffers");
            let kernel = device.context.compile_raw(runner.spec).expect("a kernel");
            let slots = buffers.iter().map(|buffer| buffer.slot()).collect();
            let binding = kernel.bind(slots).expect("a binding");
            let mut hashes = Vec::new();
            for dispatch in 1..=times {
                binding.dispatch(&uniforms).expect("a dispatch");
                let looked_at = dispatch == times || dispatch % 100 == 1;
                if !looked_at {
                    continue;
                }
                let mut words = Vec::new();
                buffers[0].read(&device.context, &mut words).expect("words");
                if let Some(fault) = difference(&expected[0], &words) {
                    panic!(
                        "{}, compiled {compiled}, dispatch {dispatch}: {fault}",
                        device.name
                    );
                }
                hashes.push(fnv1a(&words));
            }
            hashes.dedup();
            assert_eq!(hashes.len(), 1);
        }
    }
}
