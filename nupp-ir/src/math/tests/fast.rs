//! The fast grade: within 2 units in the last place, right where the function has no rounding to do,
//! one value for both ways of carrying products, and the values that were frozen.

use super::pairs::{Words, arguments, units};
use super::*;

/// What all but the two that are correctly rounded are held to.
const BOUND: f64 = 2.0;

/// The function that a fast one is the fast grade of.
pub(super) fn grade_of(function: Function) -> Function {
    let name = function.name().replace("fast.", "");
    let all = Function::ALL.iter();
    let found = all.copied().find(|function| function.name() == name);
    found.expect("every fast function has a grade above it")
}

fn fast() -> impl Iterator<Item = Function> {
    let all = Function::ALL.iter().copied();
    all.filter(|function| function.is_fast())
}

/// Infinity counts as the number after the greatest.
fn finite(x: f64) -> f64 {
    x.clamp(-(2.0_f64.powi(128)), 2.0_f64.powi(128))
}

/// Checks a value, and gives how far it is from the true one.
fn distance(function: Function, args: [u32; 2]) -> f64 {
    let value = f32::from_bits(both_of(function, args));
    let [x, y] = args.map(f32::from_bits);
    let wide = wide(grade_of(function), x.into(), y.into());
    if wide.is_nan() || value.is_nan() {
        assert_eq!(
            value.to_bits(),
            0x7fc0_0000,
            "{function:?} of ({x:e}, {y:e})"
        );
        assert!(wide.is_nan(), "{function:?} of ({x:e}, {y:e})");
        return 0.0;
    }
    if wide == 0.0 || wide.is_infinite() {
        let wanted = (wide as f32).to_bits();
        assert_eq!(value.to_bits(), wanted, "{function:?} of ({x:e}, {y:e})");
    }
    let value = if value.is_infinite() {
        2.0_f64.powi(128).copysign(value.into())
    } else {
        value.into()
    };
    let wide = finite(wide);
    let error = units(value, wide);
    assert!(error <= BOUND, "{function:?} of ({x:e}, {y:e}): {error}");
    error
}

fn inputs(function: Function) -> Vec<u32> {
    let turns = turns(grade_of(function)).into_iter();
    let near = turns.flat_map(|(x, _)| [x.wrapping_sub(1), x, x.wrapping_add(1)]);
    near.chain(strided()).collect()
}

#[test]
fn math_fast_functions_keep_their_bound() {
    for function in fast() {
        let mut most: f64 = 0.0;
        if function.arity() == 1 {
            for input in inputs(function) {
                most = most.max(distance(function, [input; 2]));
            }
        } else {
            let mut words = Words::new(7);
            for _ in 0..4 * strided().count() {
                let args = arguments(grade_of(function), &mut words);
                most = most.max(distance(function, args.map(f32::to_bits)));
            }
        }
        println!("{}: {most:.4}", function.name());
        let rounded = matches!(function, Function::FastRsqrt | Function::FastCbrt);
        assert!(!rounded || most <= 0.500_001, "{function:?}: {most}");
    }
}

#[test]
fn math_fast_functions_have_the_special_values() {
    for function in fast().filter(|function| function.arity() == 2) {
        for &(args, value) in super::pairs::table(grade_of(function)) {
            let exact = value == 0.0 || value.is_nan() || value.is_infinite() || value.abs() == 1.0;
            let given = both_of(function, args.map(f32::to_bits));
            if exact {
                assert_eq!(given, super::pairs::word(value), "{function:?} of {args:?}");
            }
            distance(function, args.map(f32::to_bits));
        }
    }
}

/// Another sequence of operations gives another hash.
#[test]
fn math_fast_functions_stay_as_they_are() {
    let mut words = Words::new(31);
    let mut values = Vec::new();
    for function in fast() {
        if function.arity() == 1 {
            let inputs = (0..=u32::MAX).step_by(65_537);
            values.extend(inputs.map(|x| function.apply([x; 2])));
        } else {
            let grade = grade_of(function);
            let pairs = (0..20_000).map(|_| arguments(grade, &mut words).map(f32::to_bits));
            values.extend(pairs.map(|pair| function.apply(pair)));
        }
    }
    let hash = hash::part(values);
    assert_eq!(hash, 0x4549_865f_44c9_024d, "{hash:#018x}");
}

#[test]
fn math_fast_blocks_are_their_lanes() {
    struct Lanes([[f32; 16]; 2]);
    impl Visitor for Lanes {
        type Output = [f32; 16];
        fn visit<D: Definition>(self) -> [f32; 16] {
            block::<Fused, D, 16>([&self.0[0], &self.0[1]])
        }
    }
    let mut words = Words::new(43);
    for function in fast() {
        for _ in 0..100 {
            let x: [f32; 16] = std::array::from_fn(|_| f32::from_bits(words.next()));
            let y: [f32; 16] = std::array::from_fn(|_| f32::from_bits(words.next()));
            let values = function.visit(Lanes([x, y]));
            for ((x, y), lane) in x.into_iter().zip(y).zip(values) {
                let alone = value(function, [x, y]);
                assert_eq!(
                    lane.to_bits(),
                    alone.to_bits(),
                    "{function:?} of {x:e}, {y:e}"
                );
            }
        }
    }
}
