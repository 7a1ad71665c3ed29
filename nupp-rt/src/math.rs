//! The correctly rounded functions in the compiled widths: of one lane, and of a block of lanes.
//!
//! The functions themselves are `nupp_ir::math`, the same text that devices run; here is only
//! how a width multiplies. They are inlined into the generated loop, which is compiled for it.

use super::isa::Isa;
use nupp_ir::math::Function;
use nupp_ir::math::double::Double;
use nupp_ir::math::plain::{self, Products, Separate};
use std::marker::PhantomData;

/// The products of a width.
#[derive(Clone, Copy)]
struct Of<I>(PhantomData<I>);

impl<I: Isa> Products for Of<I> {
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        if I::FUSED {
            I::fma(a, b, c)
        } else {
            Separate::mul_add(a, b, c)
        }
    }

    #[inline(always)]
    fn two_prod(a: f32, b: f32) -> Double<f32> {
        if !I::FUSED {
            return Separate::two_prod(a, b);
        }
        let high = a * b;
        let low = I::fma(a, b, -high);
        Double { high, low }
    }
}

macro_rules! functions {
    ($( $(#[$doc:meta])* $one:ident $block:ident $function:ident; )*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $one<I: Isa>(x: f32) -> f32 {
            plain::one::<Of<I>>(Function::$function, x)
        }
        $(#[$doc])*
        #[inline(always)]
        pub fn $block<I: Isa, const W: usize>(x: &[f32; W]) -> [f32; W] {
            plain::block::<Of<I>, W>(Function::$function, x)
        }
    )* };
}

functions! {
    /// e to the power of x, correctly rounded.
    f32_exp f32_exp_block Exp;
}
