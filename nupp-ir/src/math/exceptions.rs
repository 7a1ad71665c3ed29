//! Inputs whose true value lies too near the middle of two floats for double-float arithmetic,
//! with their values, by bits, ascending by input.
//!
//! They belong to the exact sequence of operations: a change of a constant or of a sequence is a
//! reason to find them again over all 2^32 inputs (`docs/testing.md`). An input that only one of
//! the two forms of `mul_add` gets wrong stands here too; its value is right for either.

/// Of exp.
pub const EXP: [(u32, u32); 15] = [
    (0x3380_0000, 0x3f80_0001),
    (0x383a_3ef1, 0x3f80_0175),
    (0x39c6_be5b, 0x3f80_0c6d),
    (0x39e5_bb1d, 0x3f80_0e5d),
    (0x3c60_8a0e, 0x3f81_c42b),
    (0x3caf_fe2e, 0x3f82_c797),
    (0x4031_5b33, 0x417f_a47d),
    (0x4034_d02b, 0x4186_ea51),
    (0x4283_070f, 0x6eb7_1738),
    (0x4288_942b, 0x70b7_a4c5),
    (0xbae0_e25c, 0x3f7f_8fa7),
    (0xbbf0_edf1, 0x3f7e_1fe9),
    (0xbf81_eadf, 0x3eb9_8dc1),
    (0xc13d_6631, 0x36f2_8e33),
    (0xc169_12cd, 0x34fd_331b),
];
