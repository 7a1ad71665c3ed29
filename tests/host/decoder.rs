//! The decoder of `examples/transformer`: many short-lived views and bindings over a few buffers, bytes as
//! words, dispatches whose inputs only the device knows, one wait; each value of each token against the
//! CPU, by bits, and what both leave against hashes.

#[path = "../../examples/transformer/cpu.rs"]
mod cpu;
#[path = "../../examples/quantized/eight_bits.rs"]
mod eight_bits;
#[path = "../../examples/transformer/gpu.rs"]
mod gpu;
#[path = "../../examples/transformer/kernels.rs"]
mod kernels;
#[path = "../../examples/transformer/model.rs"]
mod model;
#[path = "../../examples/quantized/rows.rs"]
mod rows;

use cpu::on_cpu;
use gpu::OnDevice;
use model::{Model, Run, Shape};
use nupp::rt::testing;
use nupp_testkit::compare::{difference, fnv1a};

use crate::context;

/// Three shapes: the least, one with a hidden vector of part words and a vocabulary of one more than two
/// turns of the lanes, and one whose text is as long as a cache may be.
fn models() -> [(Model, [u64; 4]); 3] {
    let shapes = [
        (
            (1, 1, 2, vec![1], 3),
            [
                0xaf65_7290_f3fe_f745,
                0x8c07_5840_d16a_b55f,
                0xabde_acfd_f216_1faf,
                0xa9e3_b9dd_6124_cba5,
            ],
        ),
        (
            (3, 37, 129, vec![3, 14, 15], 9),
            [
                0xf365_c382_af95_82da,
                0x07a5_457a_5085_dd27,
                0x04b8_86d6_ebe1_5d1a,
                0x5691_393a_4e09_f197,
            ],
        ),
        (
            (2, 50, 31, vec![0], 64),
            [
                0xde65_f6d7_d32a_e7f5,
                0xf57a_e50b_8e3c_19a5,
                0xad6b_31e0_2567_9aab,
                0x6827_a0c7_ea49_45e7,
            ],
        ),
    ];
    shapes.map(|((heads, hidden, vocabulary, prompt, chosen), hashes)| {
        let shape = Shape {
            heads,
            hidden,
            vocabulary,
            prompt,
            chosen,
        };
        (Model::new(shape), hashes)
    })
}

fn same(what: &str, expected: &Run, got: &Run) {
    for ((name, expected), (_, got)) in expected.parts().iter().zip(got.parts()) {
        if let Some(fault) = difference(expected, &got) {
            panic!("{what}, {name}: {fault}");
        }
    }
}

#[test]
fn a_text_on_the_cpu_is_the_frozen_one() {
    for width in testing::widths() {
        // For the whole process, whose other tests give the same bits in any.
        testing::force(Some(width));
        for (n, (model, hashes)) in models().iter().enumerate() {
            let run = on_cpu(model).unwrap();
            let found = run.parts().map(|(_, words)| fnv1a(&words));
            assert_eq!(found, *hashes, "model {n} in {width}: {found:#018x?}");
        }
    }
    testing::force(None);
}

#[test]
fn a_text_on_the_device_has_every_bit() {
    let Some(context) = context() else { return };
    for (n, (model, _)) in models().iter().enumerate() {
        let cpu = on_cpu(model).unwrap();
        let resident = OnDevice::new(&context, model).unwrap();
        // Again over what the first run left.
        for turn in 0..2 {
            let gpu = resident.run().unwrap();
            same(&format!("model {n}, turn {turn}"), &cpu, &gpu);
        }
    }
}
