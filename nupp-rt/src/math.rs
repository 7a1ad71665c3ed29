//! The mathematical functions in the compiled widths: of one lane, and of a block of lanes.
//!
//! The functions themselves are `nupp_ir::math`, the same text that devices run; here is only
//! how a width multiplies. They are inlined into the generated loop, which is compiled for it.

use super::isa::Isa;
use nupp_ir::math::double::Double;
use nupp_ir::math::of;
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

    #[inline(always)]
    fn residual(c: f32, a: f32, b: f32) -> f32 {
        if I::FUSED {
            I::fma(-a, b, c)
        } else {
            Separate::residual(c, a, b)
        }
    }
}

macro_rules! functions {
    ($( $(#[$doc:meta])* $one:ident $block:ident $function:ident ($($arg:ident),+); )*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $one<I: Isa>($($arg: f32),+) -> f32 {
            plain::one::<Of<I>, of::$function>(pair!($($arg),+))
        }
        $(#[$doc])*
        #[inline(always)]
        pub fn $block<I: Isa, const W: usize>($($arg: &[f32; W]),+) -> [f32; W] {
            plain::block::<Of<I>, of::$function, W>(pair!($($arg),+))
        }
    )* };
}

/// Both arguments; of a function of one argument the second is not looked at.
macro_rules! pair {
    ($x:ident) => {
        [$x, $x]
    };
    ($x:ident, $y:ident) => {
        [$x, $y]
    };
}

functions! {
    /// e to the power of x.
    f32_exp f32_exp_block Exp(x);
    /// 2 to the power of x.
    f32_exp2 f32_exp2_block Exp2(x);
    /// exp(x) - 1.
    f32_expm1 f32_expm1_block Expm1(x);
    /// The natural logarithm.
    f32_log f32_log_block Log(x);
    /// The logarithm to base 2.
    f32_log2 f32_log2_block Log2(x);
    /// The logarithm to base 10.
    f32_log10 f32_log10_block Log10(x);
    /// log(1 + x).
    f32_log1p f32_log1p_block Log1p(x);
    /// The sine.
    f32_sin f32_sin_block Sin(x);
    /// The cosine.
    f32_cos f32_cos_block Cos(x);
    /// The tangent.
    f32_tan f32_tan_block Tan(x);
    /// The inverse sine.
    f32_asin f32_asin_block Asin(x);
    /// The inverse cosine.
    f32_acos f32_acos_block Acos(x);
    /// The inverse tangent.
    f32_atan f32_atan_block Atan(x);
    /// The hyperbolic sine.
    f32_sinh f32_sinh_block Sinh(x);
    /// The hyperbolic cosine.
    f32_cosh f32_cosh_block Cosh(x);
    /// The hyperbolic tangent.
    f32_tanh f32_tanh_block Tanh(x);
    /// The logistic function, 1 / (1 + exp(-x)).
    f32_sigmoid f32_sigmoid_block Sigmoid(x);
    /// One by the square root.
    f32_rsqrt f32_rsqrt_block Rsqrt(x);
    /// The cube root.
    f32_cbrt f32_cbrt_block Cbrt(x);
    /// The length of the vector (x, y).
    f32_hypot f32_hypot_block Hypot(x, y);
    /// x to the power of y.
    f32_pow f32_pow_block Pow(x, y);
    /// The angle of the vector (x, y).
    f32_atan2 f32_atan2_block Atan2(y, x);
    /// e to the power of x, fast.
    f32_fast_exp f32_fast_exp_block FastExp(x);
    /// 2 to the power of x, fast.
    f32_fast_exp2 f32_fast_exp2_block FastExp2(x);
    /// exp(x) - 1, fast.
    f32_fast_expm1 f32_fast_expm1_block FastExpm1(x);
    /// The natural logarithm, fast.
    f32_fast_log f32_fast_log_block FastLog(x);
    /// The logarithm to base 2, fast.
    f32_fast_log2 f32_fast_log2_block FastLog2(x);
    /// The logarithm to base 10, fast.
    f32_fast_log10 f32_fast_log10_block FastLog10(x);
    /// log(1 + x), fast.
    f32_fast_log1p f32_fast_log1p_block FastLog1p(x);
    /// The sine, fast.
    f32_fast_sin f32_fast_sin_block FastSin(x);
    /// The cosine, fast.
    f32_fast_cos f32_fast_cos_block FastCos(x);
    /// The tangent, fast.
    f32_fast_tan f32_fast_tan_block FastTan(x);
    /// The inverse sine, fast.
    f32_fast_asin f32_fast_asin_block FastAsin(x);
    /// The inverse cosine, fast.
    f32_fast_acos f32_fast_acos_block FastAcos(x);
    /// The inverse tangent, fast.
    f32_fast_atan f32_fast_atan_block FastAtan(x);
    /// The hyperbolic sine, fast.
    f32_fast_sinh f32_fast_sinh_block FastSinh(x);
    /// The hyperbolic cosine, fast.
    f32_fast_cosh f32_fast_cosh_block FastCosh(x);
    /// The hyperbolic tangent, fast.
    f32_fast_tanh f32_fast_tanh_block FastTanh(x);
    /// The logistic function, fast.
    f32_fast_sigmoid f32_fast_sigmoid_block FastSigmoid(x);
    /// One by the square root, fast.
    f32_fast_rsqrt f32_fast_rsqrt_block FastRsqrt(x);
    /// The cube root, fast.
    f32_fast_cbrt f32_fast_cbrt_block FastCbrt(x);
    /// The length of the vector (x, y), fast.
    f32_fast_hypot f32_fast_hypot_block FastHypot(x, y);
    /// x to the power of y, fast.
    f32_fast_pow f32_fast_pow_block FastPow(x, y);
    /// The angle of the vector (x, y), fast.
    f32_fast_atan2 f32_fast_atan2_block FastAtan2(y, x);
}
