//! Each function against its specials, its exceptions, binary64, and the hash of its values.
//!
//! `NUPP_EXHAUSTIVE=1` takes all inputs here too; without it, one of some thousands.

use super::double::Double;
use super::plain::{Plain, Products, Separate, block, one, value};
use super::*;

mod fast;
mod pairs;

/// Rounds once where `Separate` rounds twice; slow where the machine has no such instruction.
#[derive(Clone, Copy)]
struct Fused;

impl Products for Fused {
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    fn two_prod(a: f32, b: f32) -> Double<f32> {
        let high = a * b;
        let low = a.mul_add(b, -high);
        Double { high, low }
    }
    fn residual(c: f32, a: f32, b: f32) -> f32 {
        (-a).mul_add(b, c)
    }
}

/// Coprime to every power of two, so that all exponents and low bits come.
const STRIDE: usize = if cfg!(debug_assertions) { 65_537 } else { 4099 };

/// A function of one argument.
struct Known {
    function: Function,
    /// In binary64, right to a few units in the last place of that.
    wide: fn(f64) -> f64,
}

const fn known(function: Function, wide: fn(f64) -> f64) -> Known {
    Known { function, wide }
}

const KNOWN: &[Known] = &[
    known(Function::Exp, f64::exp),
    known(Function::Exp2, f64::exp2),
    known(Function::Expm1, f64::exp_m1),
    known(Function::Log, f64::ln),
    known(Function::Log2, f64::log2),
    known(Function::Log10, f64::log10),
    known(Function::Log1p, f64::ln_1p),
    known(Function::Sin, f64::sin),
    known(Function::Cos, f64::cos),
    known(Function::Tan, f64::tan),
    known(Function::Asin, f64::asin),
    known(Function::Acos, f64::acos),
    known(Function::Atan, f64::atan),
    known(Function::Sinh, f64::sinh),
    known(Function::Cosh, f64::cosh),
    known(Function::Tanh, f64::tanh),
    known(Function::Sigmoid, logistic),
    known(Function::Rsqrt, |x| x.sqrt().recip()),
    known(Function::Cbrt, f64::cbrt),
];

fn logistic(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 {
        e / (1.0 + e)
    } else {
        (1.0 + e).recip()
    }
}

/// Inputs and values where a function turns.
fn turns(function: Function) -> Vec<(u32, u32)> {
    let lines = include_str!("tests/turns.txt").lines();
    let rows = lines.filter_map(|line| {
        let rest = line.strip_prefix(function.name())?.strip_prefix(' ')?;
        let (input, value) = rest.split_once(' ')?;
        let word = |text| u32::from_str_radix(text, 16).expect("a word");
        Some((word(input), word(value)))
    });
    rows.collect()
}

/// In binary64, right to a few units in the last place of that.
pub(crate) fn wide(function: Function, x: f64, y: f64) -> f64 {
    match function {
        Function::Hypot => x.hypot(y),
        Function::Pow => x.powf(y),
        Function::Atan2 => x.atan2(y),
        _ => {
            let known = KNOWN.iter().find(|known| known.function == function);
            (known.expect("every function is known").wide)(x)
        }
    }
}

/// One lane, by bits, with each way of carrying products.
struct Both([f32; 2]);

impl Visitor for Both {
    type Output = [u32; 2];
    fn visit<D: Definition>(self) -> [u32; 2] {
        [one::<Separate, D>(self.0), one::<Fused, D>(self.0)].map(f32::to_bits)
    }
}

fn both(function: Function, input: u32) -> u32 {
    both_of(function, [input; 2])
}

fn both_of(function: Function, args: [u32; 2]) -> u32 {
    let [separate, fused] = function.visit(Both(args.map(f32::from_bits)));
    assert_eq!(separate, fused, "{function:?} of {args:#010x?}");
    separate
}

fn strided() -> impl Iterator<Item = u32> {
    (0..=u32::MAX).step_by(STRIDE)
}

#[test]
fn math_knows_every_function() {
    let known: Vec<Function> = KNOWN.iter().map(|known| known.function).collect();
    let all = Function::ALL.iter().copied();
    let rounded = all.filter(|function| function.arity() == 1 && !function.is_fast());
    let of_one: Vec<Function> = rounded.collect();
    assert_eq!(known, of_one);
}

#[test]
fn math_turns_where_it_should() {
    for known in KNOWN {
        let turns = turns(known.function);
        assert!(turns.len() > 20, "{:?}", known.function);
        for (input, value) in turns {
            let given = both(known.function, input);
            let name = known.function.name();
            assert_eq!(given, value, "{name} of {input:#010x}: {given:#010x}");
        }
    }
}

#[test]
fn math_exceptions_are_in_order_and_found() {
    for &function in Function::ALL {
        let exceptions = function.exceptions();
        assert!(exceptions.is_sorted_by(|a, b| a.0 < b.0), "{function:?}");
        for &(input, value) in exceptions {
            assert_eq!(both(function, input), value, "{function:?} {input:#010x}");
            let x = f32::from_bits(input);
            assert!(function.core(Plain::<Separate>::new(), [x; 2]).hard);
            assert!(function.core(Plain::<Fused>::new(), [x; 2]).hard);
        }
    }
}

/// The true value lies within half a unit of the value, but for what binary64 cannot tell.
fn is_nearest(value: u32, wide: f64) -> bool {
    let float = f32::from_bits(value);
    if wide.is_nan() {
        return value == 0x7fc0_0000;
    }
    if float.is_infinite() || wide.is_infinite() {
        return (wide as f32).to_bits() == value;
    }
    let toward = if wide > f64::from(float) {
        float.next_up()
    } else {
        float.next_down()
    };
    let gap = if toward.is_infinite() {
        // The gap above the greatest number, by which infinity is rounded to.
        f64::from(f32::MAX) - f64::from(f32::MAX.next_down())
    } else {
        (f64::from(toward) - f64::from(float)).abs()
    };
    let doubt = wide.abs() * f64::EPSILON * 4.0;
    (wide - f64::from(float)).abs() <= gap / 2.0 + doubt
}

#[test]
fn math_is_nearest_as_far_as_binary64_tells() {
    for known in KNOWN {
        let turns = turns(known.function);
        let exceptions = known.function.exceptions().iter();
        let near = exceptions
            .chain(&turns)
            .flat_map(|&(x, _)| [x.wrapping_sub(1), x, x.wrapping_add(1)]);
        for input in strided().chain(near) {
            let wide = (known.wide)(f64::from(f32::from_bits(input)));
            let value = both(known.function, input);
            let name = known.function.name();
            assert!(
                is_nearest(value, wide),
                "{name} of {input:#010x} is not {value:#010x}"
            );
        }
    }
    // The comparer can fail.
    assert!(!is_nearest(0x3f80_0001, 1.0) && !is_nearest(0x3f7f_ffff, 1.0));
    assert!(!is_nearest(0x7fc0_0000, 1.0) && !is_nearest(0x3f80_0000, f64::NAN));
}

#[test]
fn math_is_seldom_hard() {
    for &function in Function::ALL {
        let hard = |input: &u32| {
            let x = f32::from_bits(*input);
            let circular = [Function::Sin, Function::Cos, Function::Tan];
            let grade = if function.is_fast() {
                fast::grade_of(function)
            } else {
                function
            };
            let goes_far = circular.contains(&grade);
            let near = !goes_far || x.abs() < FAR;
            near && function.core(Plain::<Separate>::new(), [x; 2]).hard
        };
        let (count, of) = (strided().filter(hard).count(), strided().count());
        assert!(count <= 5 + of / 25_000, "{function:?}: {count} of {of}");
        // What buffers are full of is never hard, or every block would be.
        let common = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            -f32::INFINITY,
            f32::NAN,
        ];
        for x in common {
            assert!(!hard(&x.to_bits()), "{function:?} of {x}");
        }
    }
}

/// Takes 16 lanes at once.
struct Block([f32; 16]);

impl Visitor for Block {
    type Output = [f32; 16];
    fn visit<D: Definition>(self) -> [f32; 16] {
        block::<Fused, D, 16>([&self.0; 2])
    }
}

#[test]
fn math_blocks_are_their_lanes() {
    for &function in Function::ALL {
        let exceptions = function.exceptions();
        for (n, &(input, _)) in exceptions.iter().chain(&turns(function)).enumerate() {
            // One exception among other lanes, and neighbours of it.
            let x: [f32; 16] =
                std::array::from_fn(|l| f32::from_bits(input.wrapping_add((l ^ n & 15) as u32)));
            let values = function.visit(Block(x));
            for (x, lane) in x.iter().zip(values) {
                let alone = value(function, [*x; 2]);
                assert_eq!(lane.to_bits(), alone.to_bits(), "{function:?} of {x:e}");
            }
        }
    }
}

/// The hash of what this machine gives.
fn hash_of_all(function: Function) -> u64 {
    let part = |part: u32| {
        let inputs = (0..hash::PART as u32).map(|n| f32::from_bits(part * hash::PART as u32 + n));
        hash::part(inputs.map(|x| value(function, [x; 2]).to_bits()))
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let of_worker = |worker: u32| {
        let parts = (worker..1 << 12).step_by(workers as usize);
        parts.map(|n| (n, part(n))).collect::<Vec<_>>()
    };
    let mut parts: Vec<(u32, u64)> = std::thread::scope(|scope| {
        let of_worker = &of_worker;
        let handles: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || of_worker(worker)))
            .collect();
        let parts = handles.into_iter().map(|handle| handle.join());
        parts.flat_map(|parts| parts.expect("no panic")).collect()
    });
    parts.sort_unstable();
    hash::whole(parts.into_iter().map(|(_, part)| part))
}

#[test]
fn math_has_one_hash_over_all_inputs() {
    if std::env::var_os("NUPP_EXHAUSTIVE").is_none() {
        eprintln!("skipped: NUPP_EXHAUSTIVE=1 takes all 2^32 inputs");
        return;
    }
    for known in KNOWN {
        let hash = hash_of_all(known.function);
        let name = known.function.name();
        assert_eq!(
            Some(hash),
            hash::right(known.function),
            "{name}: {hash:#018x}"
        );
    }
}
