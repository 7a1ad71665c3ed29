//! Constants and polynomial coefficients.
//!
//! The polynomials are minimax approximations by Sollya's `fpminimax` with coefficients of two
//! floats where the accuracy needs them; the intervals and errors stand beside each.

use super::double::{Constant, constant};

/// 1 / ln 2.
pub const LOG2_E: f32 = f32::from_bits(0x3fb8_aa3b);

/// ln 2 in three parts. The first two have 16 significant bits, so that their product with an
/// integer of 8 bits is exact; the sum is right to 2^-62.
pub const LN2: [f32; 3] = [
    f32::from_bits(0x3f31_7200),
    f32::from_bits(0x35bf_bf00),
    f32::from_bits(0xad63_0865),
];

/// `(exp(r) - 1 - r - r^2 / 2) / r^3` on |r| <= 0.3475: the coefficients of two floats. With those
/// of [`EXP_TAIL`] the relative error of exp is 2^-51.0.
pub const EXP: [Constant; 4] = [
    constant(0x3e2a_aaab, 0xb1aa_af9c),
    constant(0x3d2a_aaab, 0xb0aa_ae92),
    constant(0x3c08_8889, 0xafd9_f4a2),
    constant(0x3ab6_0b61, 0xadf6_b104),
];

/// The coefficients after [`EXP`], which need one float.
pub const EXP_TAIL: [f32; 4] = [
    f32::from_bits(0x3950_0cc6),
    f32::from_bits(0x37d0_0cca),
    f32::from_bits(0x3639_7557),
    f32::from_bits(0x3494_5aa8),
];
