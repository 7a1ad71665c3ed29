//! The hash of a function's values at all 2^32 inputs, in order of their bits.
//!
//! It stands for a table of 16 GiB: whoever computes all values, on whatever device, compares this.
//! FNV-1a over the words of the values of each part of 2^20 inputs, and over the hashes of the parts
//! in order, so that parts may be taken by as many workers as there are. A hash is entered
//! here when a comparison of all inputs with CORE-MATH found nothing (`tests/math`).

use super::Function;

/// Inputs of one part.
pub const PART: usize = 1 << 20;

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn mixed(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// The hash of the values of one part.
pub fn part(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(START, mixed)
}

/// The hash of all values, from those of the parts in order.
pub fn whole(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(START, |hash, part| {
        mixed(mixed(hash, part as u32), (part >> 32) as u32)
    })
}

/// The hash of the right values of a function of one argument; none while it waits for a comparison.
pub fn right(function: Function) -> Option<u64> {
    use Function::*;
    match function {
        Exp => Some(0x2a65_e812_a379_1226),
        Exp2 => Some(0x557e_76d0_7149_805c),
        Expm1 => Some(0x91fb_d892_72c3_7cce),
        Log => Some(0xde5f_de83_722d_ccdc),
        Log2 => Some(0x51d0_1ab9_1d30_d8bb),
        Log10 => Some(0x2868_04f2_6551_c569),
        Log1p => Some(0x6db5_fa54_5162_046f),
        Sin => Some(0x151c_12cd_3b54_24ac),
        Cos => Some(0x2019_5e26_ffda_44b5),
        Tan => Some(0x9a52_aa61_d9e5_f5ab),
        Asin => Some(0x11cd_9027_25c8_c82c),
        Acos => Some(0xefc6_b0e8_6cd8_4916),
        Atan => Some(0x726b_c6de_16f3_8a0d),
        Sinh => Some(0xc195_551d_c937_8628),
        Cosh => Some(0x4b38_6e34_d8c5_393d),
        Tanh => Some(0xfc93_0664_7dd9_b647),
        Sigmoid => Some(0xd755_3ce5_32ec_b4ef),
        Rsqrt | FastRsqrt => Some(0xc58a_7835_bea6_c30f),
        Cbrt | FastCbrt => Some(0x3890_6c4f_6165_f3df),
        _ => None,
    }
}
