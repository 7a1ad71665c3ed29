//! The mathematical functions: one definition for every executor.
//!
//! A function is written once over [`machine::Machine`], the operations that every executor has to
//! the bit: it runs on plain floats (`plain`, which the interpreter and the CPU runtime call) and
//! builds Device IR (`device::math`). It computes in double-float arithmetic, about 48 bits, and
//! tells by a rounding test whether that was enough; where it was not, which is a few inputs in a
//! million, the value is looked up among the function's exceptions: the inputs whose true value
//! lies so near the middle of two floats that 48 bits decide wrongly. They were found by comparing
//! all 2^32 inputs, for both ways in which a machine may carry `mul_add`.
//!
//! Of two arguments, `hypot` decides the hard ones exactly; `pow` and `atan2` are *frozen*: their value
//! is what their sequence of operations gives (`frozen`).
//!
//! A new function is a file, its exceptions and a row here; then a row in the library
//! (`nupp-front`) and in the CPU runtime (`nupp-rt`), and its reference in the tests.

mod arc;
mod circular;
mod constants;
pub mod double;
mod exceptions;
mod exp;
mod fast;
mod frozen;
pub mod hash;
mod hyperbolic;
mod hypot;
mod log;
pub mod machine;
pub mod plain;
mod power;
mod reduce;
mod root;
pub mod round;
#[cfg(test)]
pub(crate) mod tests;
mod turns;

pub use circular::FAR;
use machine::Machine;
use round::Rounded;

macro_rules! place {
    (x) => {
        0
    };
    (y) => {
        1
    };
}

macro_rules! functions {
    ($(
        $(#[$doc:meta])* $name:ident $text:literal ($($arg:ident),+) $core:path, $exceptions:expr;
    )*) => {
        /// A mathematical function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function { $( $(#[$doc])* $name, )* }

        impl Function {
            /// Every function.
            pub const ALL: &'static [Function] = &[ $( Function::$name, )* ];

            /// Its name in printed IR and in the language.
            pub fn name(self) -> &'static str {
                match self { $( Function::$name => $text, )* }
            }

            /// How many arguments it takes: one or two.
            pub fn arity(self) -> usize {
                match self { $( Function::$name => [$( stringify!($arg) ),+].len(), )* }
            }

            /// Inputs and their values, by bits, where double-float arithmetic rounds wrongly;
            /// ascending by input. Only functions of one argument have any.
            pub fn exceptions(self) -> &'static [(u32, u32)] {
                match self { $( Function::$name => &$exceptions, )* }
            }

            /// `Definition::core` of it.
            pub fn core<M: Machine>(self, m: M, args: [M::Float; 2]) -> Rounded<M> {
                match self { $( Function::$name => of::$name::core(m, args), )* }
            }

            /// Gives its definition to a visitor.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self { $( Function::$name => visitor.visit::<of::$name>(), )* }
            }
        }

        /// The functions as types, for code that is compiled for one of them.
        pub mod of {
            use super::*;
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $name;

                impl Definition for $name {
                    const FUNCTION: Function = Function::$name;
                    #[inline(always)]
                    fn core<M: Machine>(m: M, args: [M::Float; 2]) -> Rounded<M> {
                        $core(m, $( args[place!($arg)] ),+)
                    }
                }
            )*
        }
    };
}

/// What a function is.
pub trait Definition {
    /// Its place in the table.
    const FUNCTION: Function;
    /// The value to double-float accuracy, and whether it may be an exception. A function of one
    /// argument looks at the first.
    ///
    /// A NaN gives the canonical NaN.
    fn core<M: Machine>(m: M, args: [M::Float; 2]) -> Rounded<M>;
}

/// What is done with a definition.
pub trait Visitor {
    /// What it gives.
    type Output;
    /// Does it.
    fn visit<D: Definition>(self) -> Self::Output;
}

functions! {
    /// e to the power of x.
    Exp "f32.exp" (x) exp::exp, exceptions::exponential::EXP;
    /// 2 to the power of x.
    Exp2 "f32.exp2" (x) exp::exp2, exceptions::exponential::EXP2;
    /// exp(x) - 1.
    Expm1 "f32.expm1" (x) exp::expm1, exceptions::exponential::EXPM1;
    /// The natural logarithm.
    Log "f32.log" (x) log::log, exceptions::logarithm::LOG;
    /// The logarithm to base 2.
    Log2 "f32.log2" (x) log::log2, exceptions::logarithm::LOG2;
    /// The logarithm to base 10.
    Log10 "f32.log10" (x) log::log10, exceptions::logarithm::LOG10;
    /// log(1 + x).
    Log1p "f32.log1p" (x) log::log1p, exceptions::logarithm::LOG1P;
    /// The sine.
    Sin "f32.sin" (x) circular::sin, exceptions::circular::SIN;
    /// The cosine.
    Cos "f32.cos" (x) circular::cos, exceptions::circular::COS;
    /// The tangent.
    Tan "f32.tan" (x) circular::tan, exceptions::circular::TAN;
    /// The inverse sine.
    Asin "f32.asin" (x) arc::asin, exceptions::arc::ASIN;
    /// The inverse cosine.
    Acos "f32.acos" (x) arc::acos, exceptions::arc::ACOS;
    /// The inverse tangent.
    Atan "f32.atan" (x) arc::atan, exceptions::arc::ATAN;
    /// The hyperbolic sine.
    Sinh "f32.sinh" (x) hyperbolic::sinh, exceptions::hyperbolic::SINH;
    /// The hyperbolic cosine.
    Cosh "f32.cosh" (x) hyperbolic::cosh, exceptions::hyperbolic::COSH;
    /// The hyperbolic tangent.
    Tanh "f32.tanh" (x) hyperbolic::tanh, exceptions::hyperbolic::TANH;
    /// The logistic function, 1 / (1 + exp(-x)).
    Sigmoid "f32.sigmoid" (x) hyperbolic::sigmoid, exceptions::hyperbolic::SIGMOID;
    /// One by the square root.
    Rsqrt "f32.rsqrt" (x) root::rsqrt, exceptions::root::RSQRT;
    /// The cube root.
    Cbrt "f32.cbrt" (x) root::cbrt, exceptions::root::CBRT;
    /// The length of the vector (x, y).
    Hypot "f32.hypot" (x, y) hypot::hypot, [];
    /// x to the power of y; frozen, not correctly rounded.
    Pow "f32.pow" (x, y) power::pow, [];
    /// The angle of the vector (y, x), its first argument up; frozen, not correctly rounded.
    Atan2 "f32.atan2" (x, y) arc::atan2, [];
    /// e to the power of x, fast.
    FastExp "f32.fast.exp" (x) fast::exp, [];
    /// 2 to the power of x, fast.
    FastExp2 "f32.fast.exp2" (x) fast::exp2, [];
    /// exp(x) - 1, fast.
    FastExpm1 "f32.fast.expm1" (x) fast::expm1, [];
    /// The natural logarithm, fast.
    FastLog "f32.fast.log" (x) fast::log, [];
    /// The logarithm to base 2, fast.
    FastLog2 "f32.fast.log2" (x) fast::log2, [];
    /// The logarithm to base 10, fast.
    FastLog10 "f32.fast.log10" (x) fast::log10, [];
    /// log(1 + x), fast.
    FastLog1p "f32.fast.log1p" (x) fast::log1p, [];
    /// The sine, fast.
    FastSin "f32.fast.sin" (x) fast::sin, [];
    /// The cosine, fast.
    FastCos "f32.fast.cos" (x) fast::cos, [];
    /// The tangent, fast.
    FastTan "f32.fast.tan" (x) fast::tan, [];
    /// The inverse sine, fast.
    FastAsin "f32.fast.asin" (x) fast::asin, [];
    /// The inverse cosine, fast.
    FastAcos "f32.fast.acos" (x) fast::acos, [];
    /// The inverse tangent, fast.
    FastAtan "f32.fast.atan" (x) fast::atan, [];
    /// The hyperbolic sine, fast.
    FastSinh "f32.fast.sinh" (x) fast::sinh, [];
    /// The hyperbolic cosine, fast.
    FastCosh "f32.fast.cosh" (x) fast::cosh, [];
    /// The hyperbolic tangent, fast.
    FastTanh "f32.fast.tanh" (x) fast::tanh, [];
    /// The logistic function, fast.
    FastSigmoid "f32.fast.sigmoid" (x) fast::sigmoid, [];
    /// One by the square root, fast.
    FastRsqrt "f32.fast.rsqrt" (x) fast::rsqrt, [];
    /// The cube root, fast.
    FastCbrt "f32.fast.cbrt" (x) fast::cbrt, [];
    /// The length of the vector (x, y), fast.
    FastHypot "f32.fast.hypot" (x, y) fast::hypot, [];
    /// x to the power of y, fast.
    FastPow "f32.fast.pow" (x, y) fast::pow, [];
    /// The angle of the vector (y, x), fast.
    FastAtan2 "f32.fast.atan2" (x, y) fast::atan2, [];
}

impl Function {
    /// Whether it is of the fast grade.
    pub fn is_fast(self) -> bool {
        self >= Function::FastExp
    }

    /// Whether its value is what its sequence of operations gives, instead of the nearest float.
    pub fn is_frozen(self) -> bool {
        self.is_fast() || matches!(self, Function::Pow | Function::Atan2)
    }

    /// The value at floats, by bits. A function of one argument looks at the first.
    pub fn apply(self, args: [u32; 2]) -> u32 {
        plain::value(self, args.map(f32::from_bits)).to_bits()
    }
}
