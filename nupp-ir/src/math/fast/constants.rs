//! Coefficients of the fast grade: minimax polynomials in single precision by Sollya's `fpminimax`,
//! ascending.

/// `(exp(r) - 1 - r) / r^2` on |r| <= 0.3475, relative error of exp 2^-28.2.
pub const EXP: [f32; 5] = [
    f32::from_bits(0x3eff_fffd),
    f32::from_bits(0x3e2a_aa48),
    f32::from_bits(0x3d2a_ad11),
    f32::from_bits(0x3c09_1d82),
    f32::from_bits(0x3ab4_aa0a),
];

/// `(2^r - 1) / r` on |r| <= 0.50001, relative error of 2^r 2^-32.4.
pub const EXP2: [f32; 7] = [
    f32::from_bits(0x3f31_7218),
    f32::from_bits(0x3e75_fdf0),
    f32::from_bits(0x3d63_5839),
    f32::from_bits(0x3c1d_9525),
    f32::from_bits(0x3aae_d07b),
    f32::from_bits(0x3922_113e),
    f32::from_bits(0x3772_dadd),
];

/// `(log(1 + f) - f + f^2 / 2) / f^3` on -0.2930 ..= 0.4143, relative error of log 2^-26.7.
pub const LOG: [f32; 8] = [
    f32::from_bits(0x3eaa_aa97),
    f32::from_bits(0xbe80_010b),
    f32::from_bits(0x3e4c_d81a),
    f32::from_bits(0xbe2a_40c3),
    f32::from_bits(0x3e10_e696),
    f32::from_bits(0xbe06_075a),
    f32::from_bits(0x3e05_7370),
    f32::from_bits(0xbda6_3146),
];

/// `(sin(r) / r - 1) / r^2` in powers of r^2, on |r| <= 0.7856, relative error of sin 2^-32.2.
pub const SIN: [f32; 4] = [
    f32::from_bits(0xbe2a_aaab),
    f32::from_bits(0x3c08_88b2),
    f32::from_bits(0xb950_2432),
    f32::from_bits(0x363b_f082),
];

/// `(cos(r) - 1 + r^2 / 2) / r^4` in powers of r^2, on |r| <= 0.7856, relative error of cos 2^-33.0.
pub const COS: [f32; 3] = [
    f32::from_bits(0x3d2a_aaa5),
    f32::from_bits(0xbab6_0615),
    f32::from_bits(0x37cc_f486),
];

/// `(tanh(x) / x - 1) / x^2` in powers of x^2, on |x| <= 0.64, relative error of tanh 2^-31.9.
pub const TANH: [f32; 6] = [
    f32::from_bits(0xbeaa_aaaa),
    f32::from_bits(0x3e08_8837),
    f32::from_bits(0xbd5c_f6e1),
    f32::from_bits(0x3cb1_b8da),
    f32::from_bits(0xbc05_9da7),
    f32::from_bits(0x3b0a_ccce),
];

/// `(atan(t) / t - 1) / t^2` in powers of t^2, on |t| <= 1, relative error of atan 2^-25.8.
pub const ATAN: [f32; 8] = [
    f32::from_bits(0xbeaa_aa6e),
    f32::from_bits(0x3e4c_bc77),
    f32::from_bits(0xbe11_8558),
    f32::from_bits(0x3dda_6fee),
    f32::from_bits(0xbd9a_a9fa),
    f32::from_bits(0x3d30_fbab),
    f32::from_bits(0xbc86_11ff),
    f32::from_bits(0x3b3f_60e2),
];

/// `(asin(t) / t - 1) / t^2` in powers of t^2, on |t| <= 0.5, relative error of asin 2^-31.7.
pub const ASIN: [f32; 6] = [
    f32::from_bits(0x3e2a_aaa6),
    f32::from_bits(0x3d99_9c4f),
    f32::from_bits(0x3d36_555b),
    f32::from_bits(0x3d02_579a),
    f32::from_bits(0x3c6b_c926),
    f32::from_bits(0x3d19_ea19),
];

/// `(sinh(x) / x - 1) / x^2` in powers of x^2, on |x| <= 1, relative error of sinh 2^-31.4.
pub const SINH: [f32; 4] = [
    f32::from_bits(0x3e2a_aaab),
    f32::from_bits(0x3c08_8875),
    f32::from_bits(0x3950_0e11),
    f32::from_bits(0x363b_3b8f),
];

/// ln 2 in two parts of 24 bits.
pub const LN2: [f32; 2] = [f32::from_bits(0x3f31_7218), f32::from_bits(0xb102_e308)];

/// The coefficients of atanh after the first, for pow.
pub const ATANH: [f32; 5] = [
    f32::from_bits(0x3e4c_cccd),
    f32::from_bits(0x3e12_4925),
    f32::from_bits(0x3de3_8e37),
    f32::from_bits(0x3dba_2f08),
    f32::from_bits(0x3d9d_7902),
];
