//! The operations that both shader targets have, one row each.
//!
//! A row gives the operand types, the result type, the WGSL form and the SPIR-V instruction. Each
//! means the same in both for every operand that `expand` passes: divisors are not 0, an int32
//! division does not overflow, and shift counts are below 32. Integers wrap.

use crate::ir::entity::Scalar::{self, Bool, F32, I32, U32};

/// How an operation is written in WGSL.
#[cfg(feature = "text")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `a + b`
    Infix(&'static str),
    /// `-a`
    Prefix(&'static str),
    /// `min(a, b)`
    Call(&'static str),
    /// `select(c, b, a)`: the operands of the table, last first.
    Select,
}

/// Which SPIR-V instruction an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An instruction of the core set.
    Core(u16),
    /// Core float arithmetic, whose result must not be contracted.
    Float(u16),
    /// An instruction of GLSL.std.450.
    Ext(u32),
    /// Float arithmetic of GLSL.std.450, whose result must not be contracted.
    FloatExt(u32),
}

use Code::{Core, Ext, Float, FloatExt};
#[cfg(feature = "text")]
use Form::{Call, Infix, Prefix, Select};

macro_rules! prims {
    ($( $name:ident ($($arg:ident),*) -> $result:ident, $form:expr, $code:expr; )*) => {
        /// An operation that both targets have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Prim { $( $name, )* }

        impl Prim {
            /// The types it takes.
            pub fn args(self) -> &'static [Scalar] { match self { $( Prim::$name => &[$($arg),*], )* } }
            /// The type it gives.
            pub fn result(self) -> Scalar { match self { $( Prim::$name => $result, )* } }
            /// Its WGSL form.
            #[cfg(feature = "text")]
            pub fn form(self) -> Form { match self { $( Prim::$name => $form, )* } }
            /// Its SPIR-V instruction.
            pub fn code(self) -> Code { match self { $( Prim::$name => $code, )* } }
        }
    };
}

prims! {
    FAdd (F32, F32) -> F32, Infix("+"), Float(129);
    FSub (F32, F32) -> F32, Infix("-"), Float(131);
    FMul (F32, F32) -> F32, Infix("*"), Float(133);
    FDiv (F32, F32) -> F32, Infix("/"), Float(136);
    FSqrt (F32) -> F32, Call("sqrt"), FloatExt(31);
    FFma (F32, F32, F32) -> F32, Call("fma"), FloatExt(50);
    FEq (F32, F32) -> Bool, Infix("=="), Core(180);
    FLt (F32, F32) -> Bool, Infix("<"), Core(184);
    FLe (F32, F32) -> Bool, Infix("<="), Core(188);
    FFromI (I32) -> F32, Call("f32"), Core(111);
    FFromU (U32) -> F32, Call("f32"), Core(112);
    FFromBits (U32) -> F32, Call("bitcast<f32>"), Core(124);
    FBits (F32) -> U32, Call("bitcast<u32>"), Core(124);
    UFromI (I32) -> U32, Call("bitcast<u32>"), Core(124);
    IFromU (U32) -> I32, Call("bitcast<i32>"), Core(124);

    UAdd (U32, U32) -> U32, Infix("+"), Core(128);
    USub (U32, U32) -> U32, Infix("-"), Core(130);
    UMul (U32, U32) -> U32, Infix("*"), Core(132);
    UDiv (U32, U32) -> U32, Infix("/"), Core(134);
    UMod (U32, U32) -> U32, Infix("%"), Core(137);
    UMin (U32, U32) -> U32, Call("min"), Ext(38);
    UMax (U32, U32) -> U32, Call("max"), Ext(41);
    UAnd (U32, U32) -> U32, Infix("&"), Core(199);
    UOr (U32, U32) -> U32, Infix("|"), Core(197);
    UXor (U32, U32) -> U32, Infix("^"), Core(198);
    UNot (U32) -> U32, Prefix("~"), Core(200);
    UShl (U32, U32) -> U32, Infix("<<"), Core(196);
    UShr (U32, U32) -> U32, Infix(">>"), Core(194);
    UBitCount (U32) -> U32, Call("countOneBits"), Core(205);
    UFirstLeadingBit (U32) -> U32, Call("firstLeadingBit"), Ext(75);
    UFirstTrailingBit (U32) -> U32, Call("firstTrailingBit"), Ext(73);
    UEq (U32, U32) -> Bool, Infix("=="), Core(170);
    ULt (U32, U32) -> Bool, Infix("<"), Core(176);
    ULe (U32, U32) -> Bool, Infix("<="), Core(178);

    IAdd (I32, I32) -> I32, Infix("+"), Core(128);
    ISub (I32, I32) -> I32, Infix("-"), Core(130);
    IMul (I32, I32) -> I32, Infix("*"), Core(132);
    IDiv (I32, I32) -> I32, Infix("/"), Core(135);
    INeg (I32) -> I32, Prefix("-"), Core(126);
    IMin (I32, I32) -> I32, Call("min"), Ext(39);
    IMax (I32, I32) -> I32, Call("max"), Ext(42);
    IAnd (I32, I32) -> I32, Infix("&"), Core(199);
    IOr (I32, I32) -> I32, Infix("|"), Core(197);
    IXor (I32, I32) -> I32, Infix("^"), Core(198);
    INot (I32) -> I32, Prefix("~"), Core(200);
    IShl (I32, U32) -> I32, Infix("<<"), Core(196);
    IShr (I32, U32) -> I32, Infix(">>"), Core(195);
    IEq (I32, I32) -> Bool, Infix("=="), Core(170);
    ILt (I32, I32) -> Bool, Infix("<"), Core(177);
    ILe (I32, I32) -> Bool, Infix("<="), Core(179);

    BAnd (Bool, Bool) -> Bool, Infix("&"), Core(167);
    BOr (Bool, Bool) -> Bool, Infix("|"), Core(166);
    BXor (Bool, Bool) -> Bool, Infix("!="), Core(165);
    BNot (Bool) -> Bool, Prefix("!"), Core(168);

    USelect (Bool, U32, U32) -> U32, Select, Core(169);
    ISelect (Bool, I32, I32) -> I32, Select, Core(169);
    BSelect (Bool, Bool, Bool) -> Bool, Select, Core(169);
}
