//! Operands of an operation: edges among themselves, hard ones, random ones.

use nupp_core::device::probe;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::op::ScalarOp;
use nupp_testkit::random::Random;

/// Bits that special cases, carries and roundings turn on, of floats and of integers.
const EDGES: [u32; 64] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x0000_0003,
    0x0000_001f,
    0x0000_0020,
    0x0000_0021,
    0x003f_ffff,
    0x0040_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0c00_0000,
    0x1f80_0000,
    0x1fff_ffff,
    0x2000_0000,
    0x2000_0001,
    0x3300_0000,
    0x3300_0001,
    0x3380_0000,
    0x3400_0000,
    0x387f_ffff,
    0x3880_0000,
    0x3eaa_aaab,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4049_0fdb,
    0x4060_0000,
    0x477f_efff,
    0x477f_f000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0xcf7f_ffff,
    0x5f00_0001,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0xffff_ffff,
];

/// Hard operands beside the edges.
const HARD: usize = 1 << 16;

/// Edges among themselves, those with a neighbour's bits, and operands that are hard.
pub fn chosen(op: ScalarOp) -> [Vec<u32>; 3] {
    let mut all = [const { Vec::new() }; 3];
    let mut push = |sample: [u32; 3]| {
        for (all, bits) in all.iter_mut().zip(sample) {
            all.push(bits);
        }
    };
    for (n, &a) in EDGES.iter().enumerate() {
        for (m, &b) in EDGES.iter().enumerate() {
            push([a, b, EDGES[(n * 7 + m * 11) % EDGES.len()]]);
            push([a.wrapping_add(1), b, a]);
            push([a, b.wrapping_sub(1), b]);
        }
    }
    for sample in probe::hard_operands(op, HARD) {
        push(sample);
    }
    all
}

/// Random operands: any bits, and floats of like size.
pub fn random(op: ScalarOp, seed: u64, count: usize) -> [Vec<u32>; 3] {
    let mut random = Random::new(seed);
    let floats = op.args().contains(&Scalar::F32);
    let mut all = [(); 3].map(|()| Vec::with_capacity(count));
    for n in 0..count {
        for all in &mut all {
            let bits = (random.bits() >> 32) as u32;
            let near = (bits & 0x81ff_ffff) | 0x3e00_0000;
            all.push(if floats && n % 2 == 1 { near } else { bits });
        }
    }
    all
}
