//! Compares the functions of `nupp_ir::math` with CORE-MATH, for both ways of carrying `mul_add`: those of
//! one argument on all 2^32 inputs, those of two on 2^28 pairs; of fast ones, how far they are off.
//!
//! `cargo run --release [-- [STEP] NAME ...]` in this folder; without names, every function; a number
//! before them takes one block of so many. It uses all cores. What differs is printed as rows for the
//! exceptions, after a look at why; the hash, of all right values, belongs into
//! `nupp_ir::math::hash`. Ends with 1 where anything differs.

mod every;
mod fast;
mod pairs;
mod reference;

use nupp_ir::math::double::Double;
use nupp_ir::math::plain::{OTHER, Plain, Products, Separate, USUAL, one, settled};
use nupp_ir::math::round::Rounded;
use nupp_ir::math::{Definition, FAR, Function, Visitor};
use std::process::ExitCode;

/// With the machine's fused multiply-add.
#[derive(Clone, Copy)]
struct Fused;

impl Products for Fused {
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn two_prod(a: f32, b: f32) -> Double<f32> {
        let high = a * b;
        let low = a.mul_add(b, -high);
        Double { high, low }
    }
    #[inline(always)]
    fn residual(c: f32, a: f32, b: f32) -> f32 {
        (-a).mul_add(b, c)
    }
}

/// Inputs of one block.
const BLOCK: usize = 256;

type Block = [f32; BLOCK];

/// One function over a block in both forms; the first of the arguments is far out throughout, or
/// nowhere.
type Values = fn([&Block; 2]) -> [Block; 2];

/// Compiles a function for the widest vectors that all testers have.
struct Compiled;

impl Visitor for Compiled {
    type Output = Values;

    fn visit<D: Definition>(self) -> Values {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn wide<D: Definition>(args: [&Block; 2]) -> [Block; 2] {
                both::<D>(args)
            }
            assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"));
            // SAFETY: the machine has just been asked.
            |args| unsafe { wide::<D>(args) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        |args| both::<D>(args)
    }
}

#[inline(always)]
fn both<D: Definition>(args: [&Block; 2]) -> [Block; 2] {
    if D::FUNCTION.arity() == 2 || args[0][0].abs() < FAR {
        [
            lanes::<Separate, D, USUAL>(args),
            lanes::<Fused, D, USUAL>(args),
        ]
    } else {
        [
            lanes::<Separate, D, OTHER>(args),
            lanes::<Fused, D, OTHER>(args),
        ]
    }
}

/// As `plain::block` has it, but that a hard lane stays in its form.
#[inline(always)]
fn lanes<P: Products + Copy, D: Definition, const SELDOM: u8>(args: [&Block; 2]) -> Block {
    let (mut values, mut hard) = ([0.0; BLOCK], [0_u32; BLOCK]);
    let lanes = values.iter_mut().zip(&mut hard);
    for (((value, hard), &x), &y) in lanes.zip(args[0]).zip(args[1]) {
        let rounded = D::core(Plain::<P, SELDOM>::new(), [x, y]);
        *value = rounded.value;
        *hard = u32::from(rounded.hard);
    }
    if hard.iter().fold(0, |all, hard| all | hard) != 0 {
        for n in 0..BLOCK {
            let (value, hard) = (values[n], hard[n] != 0);
            let args = [args[0][n], args[1][n]];
            // Of two arguments, what is hard is decided on a branch.
            values[n] = if hard && D::FUNCTION.arity() == 2 {
                one::<P, D>(args)
            } else {
                settled::<P, SELDOM>(D::FUNCTION, args, Rounded { value, hard })
            };
        }
    }
    values
}

/// The word of a float, of which NaN is one.
fn word(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// How far a value is from the true one, in units of its last place; infinity counts as the number after
/// the greatest.
fn units(value: f32, wide: f64) -> f64 {
    let most = 2.0_f64.powi(128);
    let (value, wide) = (f64::from(value).clamp(-most, most), wide.clamp(-most, most));
    let exponent = (wide.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let unit = 2.0_f64.powi(exponent.clamp(-126, 127) - 23);
    (value - wide).abs() / unit
}

fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn main() -> ExitCode {
    let mut asked: Vec<String> = std::env::args().skip(1).collect();
    let step = asked.first().and_then(|first| first.parse::<usize>().ok());
    asked.drain(..usize::from(step.is_some()));
    let known = |name: &String| Function::ALL.iter().any(|function| function.name() == name);
    if let Some(name) = asked.iter().find(|name| !known(name)) {
        eprintln!("no function is called {name}");
        return ExitCode::from(2);
    }
    let mut failed = false;
    for &function in Function::ALL {
        if asked.is_empty() || asked.iter().any(|name| name == function.name()) {
            let step = step.unwrap_or(1).max(1);
            failed |= !match reference::one(function) {
                Some(right) => every::compare(function, right, step),
                None if function.arity() == 2 => pairs::compare(function, step),
                None => fast::measure(function, step),
            };
        }
    }
    ExitCode::from(u8::from(failed))
}
