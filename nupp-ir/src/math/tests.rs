//! Each function against its specials, its exceptions, binary64, and the hash of its values.
//!
//! The hashes are those of a comparison of all 2^32 inputs with CORE-MATH (`tests/math`).
//! `NUPP_EXHAUSTIVE=1` takes all inputs here too; without it, every 4,099th.

use super::double::Double;
use super::plain::{Plain, Products, Separate, block, one};
use super::*;

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
}

/// Coprime to every power of two, so that all exponents and low bits come.
const STRIDE: usize = 4099;

struct Known {
    function: Function,
    /// FNV-1a over the words of every value.
    all: u64,
    /// Inputs and values where the function turns.
    turns: &'static [(u32, u32)],
    /// In binary64, right to a few units in the last place of that.
    wide: fn(f64) -> f64,
}

const KNOWN: &[Known] = &[Known {
    function: Function::Exp,
    all: 0xadf2_83b2_b8a0_4772,
    turns: &[
        (0x0000_0000, 0x3f80_0000),
        (0x8000_0000, 0x3f80_0000),
        (0x0000_0001, 0x3f80_0000),
        (0x8000_0001, 0x3f80_0000),
        // Where 1 ends.
        (0x337f_ffff, 0x3f80_0000),
        (0x3380_0000, 0x3f80_0001),
        (0xb300_0000, 0x3f80_0000),
        (0xb300_0001, 0x3f7f_ffff),
        (0x3f80_0000, 0x402d_f854),
        (0xbf80_0000, 0x3ebc_5ab2),
        // The greatest number, and infinity.
        (0x42b1_7217, 0x7f7f_ff84),
        (0x42b1_7218, 0x7f80_0000),
        (0x42b2_0000, 0x7f80_0000),
        (0x7f7f_ffff, 0x7f80_0000),
        (0x7f80_0000, 0x7f80_0000),
        // Subnormals, the least of them, and zero.
        (0xc2ae_ac4f, 0x0080_0026),
        (0xc2ae_ac50, 0x007f_ffe6),
        (0xc2cf_f1b4, 0x0000_0001),
        (0xc2cf_f1b5, 0x0000_0000),
        (0xc2d2_0000, 0x0000_0000),
        (0xff7f_ffff, 0x0000_0000),
        (0xff80_0000, 0x0000_0000),
        (0x7fc0_0000, 0x7fc0_0000),
        (0xffc0_0000, 0x7fc0_0000),
        (0x7f80_0001, 0x7fc0_0000),
        (0xffff_ffff, 0x7fc0_0000),
    ],
    wide: f64::exp,
}];

fn both(function: Function, input: u32) -> u32 {
    let x = f32::from_bits(input);
    let separate = one::<Separate>(function, x).to_bits();
    let fused = one::<Fused>(function, x).to_bits();
    assert_eq!(separate, fused, "{function:?} of {input:#010x}");
    separate
}

fn strided() -> impl Iterator<Item = u32> {
    (0..=u32::MAX).step_by(STRIDE)
}

fn mixed(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
}

#[test]
fn math_knows_every_function() {
    let known: Vec<Function> = KNOWN.iter().map(|known| known.function).collect();
    assert_eq!(known, Function::ALL);
}

#[test]
fn math_turns_where_it_should() {
    for known in KNOWN {
        for &(input, value) in known.turns {
            let given = both(known.function, input);
            let name = known.function.op().name();
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
            assert!(function.core(Plain::<Separate>::new(), x).hard);
            assert!(function.core(Plain::<Fused>::new(), x).hard);
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
        let exceptions = known.function.exceptions().iter();
        let turns = known.turns.iter();
        let near = exceptions
            .chain(turns)
            .flat_map(|&(x, _)| [x.wrapping_sub(1), x, x.wrapping_add(1)]);
        for input in strided().chain(near) {
            let wide = (known.wide)(f64::from(f32::from_bits(input)));
            let value = both(known.function, input);
            let name = known.function.op().name();
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
            function.core(Plain::<Separate>::new(), x).hard
        };
        let count = strided().filter(hard).count();
        assert!(count < 40, "{function:?}: {count} in a million");
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

#[test]
fn math_blocks_are_their_lanes() {
    for &function in Function::ALL {
        let exceptions = function.exceptions();
        for (n, &(input, _)) in exceptions.iter().enumerate() {
            // One exception among other lanes, and neighbours of it.
            let x: [f32; 16] =
                std::array::from_fn(|l| f32::from_bits(input.wrapping_add((l ^ n & 15) as u32)));
            let values = block::<Separate, 16>(function, &x);
            for (x, value) in x.iter().zip(values) {
                let alone = one::<Separate>(function, *x);
                assert_eq!(value.to_bits(), alone.to_bits(), "{function:?} of {x:e}");
            }
        }
    }
}

#[test]
fn math_has_one_hash_over_all_inputs() {
    if std::env::var_os("NUPP_EXHAUSTIVE").is_none() {
        eprintln!("skipped: NUPP_EXHAUSTIVE=1 takes all 2^32 inputs");
        return;
    }
    for known in KNOWN {
        let hash = (0..=u32::MAX).fold(0xcbf2_9ce4_8422_2325, |hash, input| {
            let x = f32::from_bits(input);
            mixed(hash, one::<Separate>(known.function, x).to_bits())
        });
        let name = known.function.op().name();
        assert_eq!(hash, known.all, "{name}: {hash:#018x}");
    }
}
