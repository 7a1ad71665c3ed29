//! The fast grade: `f32.fast`.
//!
//! Single precision throughout, within 2 units in the last place; `docs/numerics.md` has what was
//! measured of each. A fast function is frozen (`frozen::Twice`): its value is what its sequence of
//! operations gives, on every executor, and a change of one is a change of the language. Special
//! values are those of the correctly rounded function. Its cube root and inverse square root are
//! correctly rounded as they are, for less than a single step more would cost.

mod arc;
mod circular;
mod constants;
mod exponential;
mod hyperbolic;
mod logarithm;
mod power;

use super::frozen::Twice;
use super::machine::Machine;
use super::round::Rounded;
use super::{hypot as length, root};

pub use circular::{cos, sin, tan};

macro_rules! functions {
    ($( $(#[$doc:meta])* $name:ident($($arg:ident),+) = $value:path; )*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<M: Machine>(m: M, $($arg: M::Float),+) -> Rounded<M> {
            Rounded::sure(m, $value(Twice(m), $($arg),+))
        }
    )* };
}

functions! {
    /// e to the power of x.
    exp(x) = exponential::exp;
    /// 2 to the power of x.
    exp2(x) = exponential::exp2;
    /// exp(x) - 1.
    expm1(x) = exponential::expm1;
    /// The natural logarithm.
    log(x) = logarithm::log;
    /// The logarithm to base 2.
    log2(x) = logarithm::log2;
    /// The logarithm to base 10.
    log10(x) = logarithm::log10;
    /// log(1 + x).
    log1p(x) = logarithm::log1p;
    /// The inverse sine.
    asin(x) = arc::asin;
    /// The inverse cosine.
    acos(x) = arc::acos;
    /// The inverse tangent.
    atan(x) = arc::atan;
    /// The hyperbolic sine.
    sinh(x) = hyperbolic::sinh;
    /// The hyperbolic cosine.
    cosh(x) = hyperbolic::cosh;
    /// The hyperbolic tangent.
    tanh(x) = hyperbolic::tanh;
    /// The logistic function.
    sigmoid(x) = hyperbolic::sigmoid;
    /// x to the power of y.
    pow(x, y) = power::pow;
    /// The angle of the vector (x, y).
    atan2(y, x) = arc::atan2;
}

/// One by the square root.
#[inline(always)]
pub fn rsqrt<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    Rounded::sure(m, root::rsqrt(m, x).value)
}

/// The cube root.
#[inline(always)]
pub fn cbrt<M: Machine>(m: M, x: M::Float) -> Rounded<M> {
    Rounded::sure(m, root::cbrt(m, x).value)
}

/// The length of a vector, without the exact comparison of the hard cases.
#[inline(always)]
pub fn hypot<M: Machine>(m: M, x: M::Float, y: M::Float) -> Rounded<M> {
    Rounded::sure(m, length::undecided(Twice(m), x, y))
}
