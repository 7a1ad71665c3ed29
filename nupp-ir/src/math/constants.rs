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
/// 1 / ln 2.
pub const LOG2_E_DOUBLE: Constant = constant(0x3fb8_aa3b, 0x32a5_7060);

/// 1 / ln 10.
pub const LOG10_E: Constant = constant(0x3ede_5bd9, 0xb22d_91af);

/// lg 2.
pub const LOG10_2: Constant = constant(0x3e9a_209b, 0xb276_0860);

/// `(2^r - 1) / r` on |r| <= 0.50001. With [`EXP2_TAIL`] the relative error of 2^r is 2^-51.7.
pub const EXP2: [Constant; 6] = [
    constant(0x3f31_7218, 0xb102_e2f0),
    constant(0x3e75_fdf0, 0xaf7a_7480),
    constant(0x3d63_5847, 0xb08f_c42c),
    constant(0x3c1d_955b, 0x2ffb_9c34),
    constant(0x3aae_c3ff, 0x2e1f_220c),
    constant(0x3921_848a, 0xace6_0a22),
];

/// The coefficients after [`EXP2`].
pub const EXP2_TAIL: [f32; 4] = [
    f32::from_bits(0x377f_e5a8),
    f32::from_bits(0x35b1_5fd7),
    f32::from_bits(0x33db_3c8c),
    f32::from_bits(0x31f3_2233),
];

/// `(atanh(s) / s - 1) / s^2` in powers of s^2, on |s| <= 0.1718. With [`ATANH_TAIL`] the relative
/// error of atanh is 2^-61.8.
pub const ATANH: [Constant; 3] = [
    constant(0x3eaa_aaab, 0xb22a_aaaa),
    constant(0x3e4c_cccd, 0xb14c_d480),
    constant(0x3e12_4925, 0xb1d7_88cc),
];

/// The coefficients after [`ATANH`].
pub const ATANH_TAIL: [f32; 5] = [
    f32::from_bits(0x3de3_8e37),
    f32::from_bits(0x3dba_2f08),
    f32::from_bits(0x3d9d_7902),
    f32::from_bits(0x3d89_8a1f),
    f32::from_bits(0x3d70_8443),
];

/// `1 / d` on 1.70 ..= 2.42, relative error 2^-13.0.
pub const RECIPROCAL_NEAR_2: [f32; 4] = [
    f32::from_bits(0x3ffc_6dcc),
    f32::from_bits(0xbfb9_b549),
    f32::from_bits(0x3ef1_a122),
    f32::from_bits(0xbd6a_979e),
];

/// `(sin(r) / r - 1) / r^2` in powers of r^2, on |r| <= 0.7856. With [`SIN_TAIL`] the relative error
/// of sin is 2^-57.8.
pub const SIN: [Constant; 4] = [
    constant(0xbe2a_aaab, 0x31aa_aaaa),
    constant(0x3c08_8889, 0xafee_ede6),
    constant(0xb950_0d01, 0x2c3b_290c),
    constant(0x3638_ef1e, 0x29d4_052a),
];

/// The coefficients after [`SIN`].
pub const SIN_TAIL: [f32; 3] = [
    f32::from_bits(0xb2d7_3390),
    f32::from_bits(0x2f31_5978),
    f32::from_bits(0xab97_5995),
];

/// `(cos(r) - 1 + r^2 / 2) / r^4` in powers of r^2, on |r| <= 0.7856. With [`COS_TAIL`] the relative
/// error of cos is 2^-63.5.
pub const COS: [Constant; 3] = [
    constant(0x3d2a_aaab, 0xb0aa_aaaa),
    constant(0xbab6_0b61, 0x2e13_e7b2),
    constant(0x37d0_0d01, 0xaaba_366c),
];

/// The coefficients after [`COS`].
pub const COS_TAIL: [f32; 4] = [
    f32::from_bits(0xb493_f27f),
    f32::from_bits(0x310f_7803),
    f32::from_bits(0xad4b_0616),
    f32::from_bits(0x29aa_6f7e),
];

/// `(sinh(r) / r - 1) / r^2` in powers of r^2, on |r| <= 0.3475. With [`SINH_TAIL`] the relative error
/// of sinh is 2^-59.8.
pub const SINH: [Constant; 3] = [
    constant(0x3e2a_aaab, 0xb1aa_aaaa),
    constant(0x3c08_8889, 0xafee_f2de),
    constant(0x3950_0d01, 0xabfd_7888),
];

/// The coefficients after [`SINH`].
pub const SINH_TAIL: [f32; 3] = [
    f32::from_bits(0x3638_eee0),
    f32::from_bits(0x32d8_084d),
    f32::from_bits(0xaed5_addb),
];

/// `(cosh(r) - 1 - r^2 / 2) / r^4` in powers of r^2, on |r| <= 0.3475. With [`COSH_TAIL`] the relative
/// error of cosh is 2^-65.9.
pub const COSH: [Constant; 2] = [
    constant(0x3d2a_aaab, 0xb0aa_aaaa),
    constant(0x3ab6_0b61, 0xae13_f3be),
];

/// The coefficients after [`COSH`].
pub const COSH_TAIL: [f32; 4] = [
    f32::from_bits(0x37d0_0d01),
    f32::from_bits(0x3493_f1c2),
    f32::from_bits(0x3112_12a4),
    f32::from_bits(0xaec4_e4d2),
];

/// `(atan(t) / t - 1) / t^2` in powers of t^2, on |t| <= 0.1710. With [`ATAN_TAIL`] the relative error
/// of atan is 2^-61.4.
pub const ATAN: [Constant; 3] = [
    constant(0xbeaa_aaab, 0x322a_aaaa),
    constant(0x3e4c_cccd, 0xb14c_c6a0),
    constant(0xbe12_4925, 0x31d8_c97e),
];

/// The coefficients after [`ATAN`].
pub const ATAN_TAIL: [f32; 5] = [
    f32::from_bits(0x3de3_8e3a),
    f32::from_bits(0xbdba_2ecb),
    f32::from_bits(0x3d9d_90dc),
    f32::from_bits(0xbd88_c068),
    f32::from_bits(0x3d65_2bd9),
];

/// atan(5/16).
pub const ATAN_5_16: Constant = constant(0x3e9b_13ba, 0xb20f_8143);

/// atan(3/4).
pub const ATAN_3_4: Constant = constant(0x3f24_bc7d, 0x31c9_a7b8);

/// Pi.
pub const PI: Constant = constant(0x4049_0fdb, 0xb3bb_bd2e);

/// Pi / 2 in four parts, right to 2^-102.
pub const HALF_PI: [f32; 4] = [
    f32::from_bits(0x3fc9_0fdb),
    f32::from_bits(0xb33b_bd2e),
    f32::from_bits(0xa6f7_2ced),
    f32::from_bits(0x194c_5170),
];

/// Pi / 2.
pub const HALF_PI_DOUBLE: Constant = constant(0x3fc9_0fdb, 0xb33b_bd2e);

/// 2 / pi.
pub const TWO_BY_PI: f32 = f32::from_bits(0x3f22_f983);

/// The first 320 bits of 2 / pi after the point.
pub const TWO_BY_PI_WORDS: [u32; 10] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
];
