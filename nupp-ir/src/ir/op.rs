//! The table of scalar operations: one row each.
//!
//! Every operation is pure, total and takes at most three scalars. A new operation is one row
//! here, its meaning in `eval::scalar`, and one line in each emitter; the exhaustive matches lead
//! the way. The mathematical functions are one operation that says which: their table is
//! `math::Function`. Floats: `docs/numerics.md` says what each result is, to the bit.

use super::entity::Scalar::{self, Bool, F32, I32, U32};
use crate::math::Function;

macro_rules! ops {
    ($( $(#[$doc:meta])* $variant:ident $name:literal ($($arg:ident),*) -> $result:ident; )*) => {
        /// A pure scalar operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ScalarOp {
            $( $(#[$doc])* $variant, )*
            /// A function of `math`.
            Math(Function),
        }

        /// The operations that are no functions.
        const PLAIN: &[ScalarOp] = &[ $( ScalarOp::$variant, )* ];

        impl ScalarOp {
            /// Its name in printed IR, for example `f32.fma`.
            pub fn name(self) -> &'static str {
                match self {
                    $( ScalarOp::$variant => $name, )*
                    ScalarOp::Math(function) => function.name(),
                }
            }
            /// The types it takes.
            pub fn args(self) -> &'static [Scalar] {
                match self {
                    $( ScalarOp::$variant => &[$($arg),*], )*
                    ScalarOp::Math(function) => &[F32, F32][..function.arity()],
                }
            }
            /// The type it gives.
            pub fn result(self) -> Scalar {
                match self {
                    $( ScalarOp::$variant => $result, )*
                    ScalarOp::Math(_) => F32,
                }
            }
        }
    };
}

const EVERY: [ScalarOp; PLAIN.len() + Function::ALL.len()] = {
    let mut every = [ScalarOp::F32Add; PLAIN.len() + Function::ALL.len()];
    let mut n = 0;
    while n < every.len() {
        every[n] = if n < PLAIN.len() {
            PLAIN[n]
        } else {
            ScalarOp::Math(Function::ALL[n - PLAIN.len()])
        };
        n += 1;
    }
    every
};

impl ScalarOp {
    /// Every operation, in table order and then the functions in theirs.
    pub const ALL: &'static [ScalarOp] = &EVERY;
}

ops! {
    /// One rounding.
    F32Add "f32.add" (F32, F32) -> F32;
    /// One rounding.
    F32Sub "f32.sub" (F32, F32) -> F32;
    /// One rounding.
    F32Mul "f32.mul" (F32, F32) -> F32;
    /// Correctly rounded.
    F32Div "f32.div" (F32, F32) -> F32;
    /// Correctly rounded.
    F32Sqrt "f32.sqrt" (F32) -> F32;
    /// `a * b + c` with one rounding.
    F32Fma "f32.fma" (F32, F32, F32) -> F32;
    /// NaN on either side gives NaN; -0 is less than +0.
    F32Min "f32.min" (F32, F32) -> F32;
    /// NaN on either side gives NaN; +0 is greater than -0.
    F32Max "f32.max" (F32, F32) -> F32;
    /// Flips the sign bit; NaN stays NaN.
    F32Neg "f32.neg" (F32) -> F32;
    /// Clears the sign bit; NaN stays NaN.
    F32Abs "f32.abs" (F32) -> F32;
    /// Magnitude of the first, sign bit of the second; NaN in the first stays NaN, and a NaN in
    /// the second counts as positive, since a NaN has no visible sign.
    F32CopySign "f32.copySign" (F32, F32) -> F32;
    /// Towards minus infinity.
    F32Floor "f32.floor" (F32) -> F32;
    /// Towards plus infinity.
    F32Ceil "f32.ceil" (F32) -> F32;
    /// Towards zero.
    F32Trunc "f32.trunc" (F32) -> F32;
    /// To nearest, ties to even.
    F32Round "f32.round" (F32) -> F32;
    /// IEEE `==`.
    F32Eq "f32.eq" (F32, F32) -> Bool;
    /// IEEE `<`.
    F32Lt "f32.lt" (F32, F32) -> Bool;
    /// IEEE `<=`.
    F32Le "f32.le" (F32, F32) -> Bool;
    /// Whether it is a NaN.
    F32IsNan "f32.isNaN" (F32) -> Bool;
    /// Whether it is an infinity.
    F32IsInf "f32.isInf" (F32) -> Bool;
    /// The float with these bits.
    F32FromBits "f32.fromBits" (U32) -> F32;
    /// Its bits; a NaN gives 0x7fc00000.
    F32ToBits "f32.toBits" (F32) -> U32;
    /// Nearest even.
    F32FromI32 "f32.fromI32" (I32) -> F32;
    /// Nearest even.
    F32FromU32 "f32.fromU32" (U32) -> F32;
    /// The value of the binary16 in the low 16 bits; the others are not looked at.
    F32FromF16 "f32.fromF16Bits" (U32) -> F32;
    /// Nearest even binary16 in the low 16 bits; a NaN gives 0x7e00.
    F32ToF16 "f32.toF16Bits" (F32) -> U32;
    /// The value of the bfloat16 in the low 16 bits; the others are not looked at.
    F32FromBf16 "f32.fromBF16Bits" (U32) -> F32;
    /// Nearest even bfloat16 in the low 16 bits; a NaN gives 0x7fc0.
    F32ToBf16 "f32.toBF16Bits" (F32) -> U32;

    /// Nearest even, modulo 2^32; NaN and infinity give 0.
    U32WrapF32 "u32.wrapF32" (F32) -> U32;
    /// Towards zero, clamped to the type; NaN gives 0.
    U32SaturateF32 "u32.saturate" (F32) -> U32;
    /// Nearest even, modulo 2^32; NaN and infinity give 0.
    I32WrapF32 "i32.wrapF32" (F32) -> I32;
    /// Towards zero, clamped to the type; NaN gives 0.
    I32SaturateF32 "i32.saturate" (F32) -> I32;
    /// The same bits.
    U32FromI32 "u32.fromI32" (I32) -> U32;
    /// The same bits.
    I32FromU32 "i32.fromU32" (U32) -> I32;

    /// Modulo 2^32.
    U32Add "u32.add" (U32, U32) -> U32;
    /// Modulo 2^32.
    U32Sub "u32.sub" (U32, U32) -> U32;
    /// Modulo 2^32.
    U32Mul "u32.mul" (U32, U32) -> U32;
    /// Division by 0 gives 0.
    U32Div "u32.div" (U32, U32) -> U32;
    /// Remainder by 0 gives 0.
    U32Mod "u32.mod" (U32, U32) -> U32;
    /// The lesser.
    U32Min "u32.min" (U32, U32) -> U32;
    /// The greater.
    U32Max "u32.max" (U32, U32) -> U32;
    /// Bitwise and.
    U32And "u32.and" (U32, U32) -> U32;
    /// Bitwise or.
    U32Or "u32.or" (U32, U32) -> U32;
    /// Bitwise exclusive or.
    U32Xor "u32.xor" (U32, U32) -> U32;
    /// Bitwise not.
    U32Not "u32.not" (U32) -> U32;
    /// Count modulo 32.
    U32Shl "u32.shl" (U32, U32) -> U32;
    /// Logical; count modulo 32.
    U32Shr "u32.shr" (U32, U32) -> U32;
    /// Count modulo 32.
    U32RotateLeft "u32.rotateLeft" (U32, U32) -> U32;
    /// Count modulo 32.
    U32RotateRight "u32.rotateRight" (U32, U32) -> U32;
    /// Ones in the word.
    U32Popcount "u32.popcount" (U32) -> U32;
    /// 32 for 0.
    U32LeadingZeros "u32.leadingZeros" (U32) -> U32;
    /// 32 for 0.
    U32TrailingZeros "u32.trailingZeros" (U32) -> U32;
    /// The high word of the 64-bit product.
    U32MulHigh "u32.mulHigh" (U32, U32) -> U32;
    /// Equality.
    U32Eq "u32.eq" (U32, U32) -> Bool;
    /// Less than.
    U32Lt "u32.lt" (U32, U32) -> Bool;
    /// At most.
    U32Le "u32.le" (U32, U32) -> Bool;

    /// Modulo 2^32.
    I32Add "i32.add" (I32, I32) -> I32;
    /// Modulo 2^32.
    I32Sub "i32.sub" (I32, I32) -> I32;
    /// Modulo 2^32.
    I32Mul "i32.mul" (I32, I32) -> I32;
    /// Truncates; division by 0 gives 0, the least value by -1 itself.
    I32Div "i32.div" (I32, I32) -> I32;
    /// Sign of the dividend; remainder by 0 or -1 gives 0.
    I32Mod "i32.mod" (I32, I32) -> I32;
    /// Modulo 2^32.
    I32Neg "i32.neg" (I32) -> I32;
    /// The lesser.
    I32Min "i32.min" (I32, I32) -> I32;
    /// The greater.
    I32Max "i32.max" (I32, I32) -> I32;
    /// Bitwise and.
    I32And "i32.and" (I32, I32) -> I32;
    /// Bitwise or.
    I32Or "i32.or" (I32, I32) -> I32;
    /// Bitwise exclusive or.
    I32Xor "i32.xor" (I32, I32) -> I32;
    /// Bitwise not.
    I32Not "i32.not" (I32) -> I32;
    /// Count modulo 32.
    I32Shl "i32.shl" (I32, U32) -> I32;
    /// Arithmetic; count modulo 32.
    I32Shr "i32.shr" (I32, U32) -> I32;
    /// The high word of the signed 64-bit product.
    I32MulHigh "i32.mulHigh" (I32, I32) -> I32;
    /// Equality.
    I32Eq "i32.eq" (I32, I32) -> Bool;
    /// Less than.
    I32Lt "i32.lt" (I32, I32) -> Bool;
    /// At most.
    I32Le "i32.le" (I32, I32) -> Bool;

    /// Both.
    BoolAnd "bool.and" (Bool, Bool) -> Bool;
    /// Either.
    BoolOr "bool.or" (Bool, Bool) -> Bool;
    /// Exactly one.
    BoolXor "bool.xor" (Bool, Bool) -> Bool;
    /// Not.
    BoolNot "bool.not" (Bool) -> Bool;

    /// The second where the first is true, else the third.
    F32Select "f32.select" (Bool, F32, F32) -> F32;
    /// The second where the first is true, else the third.
    U32Select "u32.select" (Bool, U32, U32) -> U32;
    /// The second where the first is true, else the third.
    I32Select "i32.select" (Bool, I32, I32) -> I32;
    /// The second where the first is true, else the third.
    BoolSelect "bool.select" (Bool, Bool, Bool) -> Bool;

    /// Device IR only: the bits as they are, a NaN's payload included.
    F32RawBits "f32.rawBits" (F32) -> U32;
}
