//! The right values: CORE-MATH's functions, and for what it does not have, binary64 with the inputs
//! where that cannot tell decided by arithmetic of 400 bits.

use nupp_ir::math::Function;

/// What a correctly rounded function of one argument is.
pub fn one(function: Function) -> Option<fn(f32) -> f32> {
    Some(match function {
        Function::Exp => core_math::expf,
        Function::Exp2 => core_math::exp2f,
        Function::Expm1 => core_math::expm1f,
        Function::Log => core_math::logf,
        Function::Log2 => core_math::log2f,
        Function::Log10 => core_math::log10f,
        Function::Log1p => core_math::log1pf,
        Function::Sin => core_math::sinf,
        Function::Cos => core_math::cosf,
        Function::Tan => core_math::tanf,
        Function::Asin => core_math::asinf,
        Function::Acos => core_math::acosf,
        Function::Atan => core_math::atanf,
        Function::Sinh => core_math::sinhf,
        Function::Cosh => core_math::coshf,
        Function::Tanh => core_math::tanhf,
        Function::Sigmoid => sigmoid,
        Function::Rsqrt => core_math::rsqrtf,
        Function::Cbrt => core_math::cbrtf,
        _ => return None,
    })
}

/// A function of two arguments in binary32 and in binary64.
type Two = (fn(f32, f32) -> f32, fn(f64, f64) -> f64);

/// The correctly rounded functions of two arguments.
pub fn two(function: Function) -> Two {
    match function {
        Function::Pow | Function::FastPow => (core_math::powf, core_math::pow),
        Function::Atan2 | Function::FastAtan2 => (core_math::atan2f, core_math::atan2),
        _ => (core_math::hypotf, core_math::hypot),
    }
}

/// What a fast function of one argument is a grade of, in binary64.
pub fn wide(function: Function) -> fn(f64) -> f64 {
    match function {
        Function::FastExp => core_math::exp,
        Function::FastExp2 => core_math::exp2,
        Function::FastExpm1 => core_math::expm1,
        Function::FastLog => core_math::log,
        Function::FastLog2 => core_math::log2,
        Function::FastLog10 => core_math::log10,
        Function::FastLog1p => core_math::log1p,
        Function::FastSin => core_math::sin,
        Function::FastCos => core_math::cos,
        Function::FastTan => core_math::tan,
        Function::FastAsin => core_math::asin,
        Function::FastAcos => core_math::acos,
        Function::FastAtan => core_math::atan,
        Function::FastSinh => core_math::sinh,
        Function::FastCosh => core_math::cosh,
        Function::FastTanh => core_math::tanh,
        Function::FastSigmoid => |x| {
            let e = core_math::exp(-x.abs());
            if x < 0.0 {
                e / (1.0 + e)
            } else {
                1.0 / (1.0 + e)
            }
        },
        Function::FastRsqrt => core_math::rsqrt,
        Function::FastCbrt => core_math::cbrt,
        _ => |_| f64::NAN,
    }
}

/// Through binary64, whose exponential is correctly rounded.
fn sigmoid(x: f32) -> f32 {
    let wide = f64::from(x);
    // Near 0 it is `1/2 + x/4 - x^3/48`: the last term tells on which side of the middle it lies.
    if (1e-8..1.5e-5).contains(&x.abs()) {
        let linear = 0.5 + wide * 0.25;
        let toward = if x > 0.0 {
            linear.next_down()
        } else {
            linear.next_up()
        };
        return toward as f32;
    }
    let e = core_math::exp(-wide.abs());
    let value = if x < 0.0 {
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + e)
    };
    value as f32
}
