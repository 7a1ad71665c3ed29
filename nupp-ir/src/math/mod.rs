//! The functions of one argument, correctly rounded: one definition for every executor.
//!
//! A function is written once over [`machine::Machine`], the operations that every executor has to
//! the bit: it runs on plain floats (`plain`, which the interpreter and the CPU runtime call) and
//! builds Device IR (`device::math`). It computes in double-float arithmetic, about 48 bits, and
//! tells by a rounding test whether that was enough; where it was not, which is a few inputs in a
//! million, the value is looked up among the function's exceptions: the inputs whose true value
//! lies so near the middle of two floats that 48 bits decide wrongly. They were found by comparing
//! all 2^32 inputs, for both ways in which a machine may carry `mul_add`.
//!
//! A new function is a file, its exceptions, a row here and its `ScalarOp`.

use crate::ir::op::ScalarOp;

mod constants;
pub mod double;
mod exceptions;
mod exp;
pub mod machine;
pub mod plain;
mod reduce;
pub mod round;
#[cfg(test)]
mod tests;

use machine::Machine;
use round::Rounded;

macro_rules! functions {
    ($( $(#[$doc:meta])* $name:ident $op:ident $core:path, $exceptions:path; )*) => {
        /// A function of one argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function { $( $(#[$doc])* $name, )* }

        impl Function {
            /// Every function.
            pub const ALL: &'static [Function] = &[ $( Function::$name, )* ];

            /// The operation that it is the meaning of.
            pub fn op(self) -> ScalarOp {
                match self { $( Function::$name => ScalarOp::$op, )* }
            }

            /// Inputs and their values, by bits, where double-float arithmetic rounds wrongly;
            /// ascending by input.
            pub fn exceptions(self) -> &'static [(u32, u32)] {
                match self { $( Function::$name => &$exceptions, )* }
            }

            /// The value to double-float accuracy, and whether it may be an exception.
            ///
            /// A NaN gives the canonical NaN.
            #[inline(always)]
            pub fn core<M: Machine>(self, m: M, x: M::Float) -> Rounded<M> {
                match self { $( Function::$name => $core(m, x), )* }
            }
        }
    };
}

functions! {
    /// e to the power of x.
    Exp F32Exp exp::exp, exceptions::EXP;
}

impl Function {
    /// The function that an operation is, if it is one.
    pub fn of(op: ScalarOp) -> Option<Function> {
        Function::ALL
            .iter()
            .copied()
            .find(|function| function.op() == op)
    }

    /// The value at a float, by bits.
    pub fn apply(self, bits: u32) -> u32 {
        plain::one::<plain::Separate>(self, f32::from_bits(bits)).to_bits()
    }
}
