//! Values that break arithmetic, and spans filled with them.

use crate::random::Random;

/// Floats at every edge: zeros, subnormals, the least normal, one and its neighbours, halfway cases,
/// limits of the integers, the greatest, infinities, NaN with and without a payload.
pub const FLOATS: &[u32] = &[
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x3380_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3eff_ffff,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4000_0000,
    0x4020_0000,
    0x4040_0000,
    0x40490fdb,
    0x4b00_0000,
    0x4b00_0001,
    0x4b7f_ffff,
    0x4b80_0000,
    0xcb00_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0xcf00_0001,
    0x4f7f_ffff,
    0x4f80_0000,
    0x5f00_0000,
    0x6000_0000,
    0x7e80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0xffff_ffff,
    0x7fa1_2345,
    0x3eaa_aaab,
    0x3dcc_cccd,
    0x477f_e000,
    0x477f_f000,
    0x477f_efff,
    0x3880_0000,
    0x3300_0000,
    0x3300_0001,
    0x3f80_1000,
    0x3f80_3000,
];

/// Integers at every edge.
pub const INTEGERS: &[u32] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    257,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0xff_ffff,
    0x100_0000,
    0x100_0001,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0xaaaa_aaaa,
    0x5555_5555,
    0xdead_beef,
];

/// A span of floats: edges, small numbers, and bits as they fall.
pub fn floats(random: &mut Random, len: usize) -> Vec<u32> {
    let one = |random: &mut Random| match random.below(4) {
        0 => FLOATS[random.below(FLOATS.len() as u32) as usize],
        1 => random.bits() as u32,
        2 => (random.below(2001) as f32 / 8.0 - 125.0).to_bits(),
        _ => (random.below(1 << 24) as f32 / 8_388_608.0 - 1.0).to_bits(),
    };
    (0..len).map(|_| one(random)).collect()
}

/// A span of integers: edges, small numbers, and bits as they fall.
pub fn integers(random: &mut Random, len: usize) -> Vec<u32> {
    let one = |random: &mut Random| match random.below(3) {
        0 => INTEGERS[random.below(INTEGERS.len() as u32) as usize],
        1 => random.below(300),
        _ => random.bits() as u32,
    };
    (0..len).map(|_| one(random)).collect()
}

/// The linear congruential stream of the acceptance cases: each step in binary64 with two roundings,
/// as published; the value is the state after the step.
#[derive(Clone, Debug)]
pub struct Lcg(f64);

impl Default for Lcg {
    fn default() -> Self {
        Lcg(42.0)
    }
}

impl Iterator for Lcg {
    type Item = f64;
    fn next(&mut self) -> Option<f64> {
        self.0 = (self.0 * 1_103_515_245.0 + 12345.0) % 2_147_483_648.0;
        Some(self.0)
    }
}
