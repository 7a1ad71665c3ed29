//! The functions of two arguments: special values, hypot against whole numbers, the others against
//! binary64, whose error is 2^-29 of what is allowed, and against their own frozen values.

use super::*;

/// Arguments and values, all signs and orders that matter.
pub(super) type Table = &'static [([f32; 2], f32)];

const INF: f32 = f32::INFINITY;
const NONE: f32 = f32::NAN;
const HALF_PI: f32 = f32::from_bits(0x3fc9_0fdb);
const PI: f32 = f32::from_bits(0x4049_0fdb);
const QUARTER: f32 = f32::from_bits(0x3f49_0fdb);
const THREE_QUARTERS: f32 = f32::from_bits(0x4016_cbe4);
/// The least number above zero.
const LEAST: f32 = f32::from_bits(1);

const HYPOT: Table = &[
    ([0.0, 0.0], 0.0),
    ([-0.0, -0.0], 0.0),
    ([-0.0, 2.5], 2.5),
    ([-2.5, 0.0], 2.5),
    ([3.0, -4.0], 5.0),
    ([INF, 1.0], INF),
    ([1.0, -INF], INF),
    ([-INF, INF], INF),
    ([INF, NONE], INF),
    ([NONE, -INF], INF),
    ([NONE, 1.0], NONE),
    ([0.0, NONE], NONE),
    ([NONE, NONE], NONE),
    ([f32::MAX, 0.0], f32::MAX),
    ([f32::MAX, 1.0], f32::MAX),
    ([f32::MAX, f32::MAX], INF),
    ([LEAST, 0.0], LEAST),
    ([LEAST, LEAST], LEAST),
    ([f32::MAX, LEAST], f32::MAX),
    ([f32::MIN_POSITIVE, LEAST], f32::MIN_POSITIVE),
];

/// In the order of annex F of C.
const POW: Table = &[
    ([0.0, -3.0], INF),
    ([-0.0, -3.0], -INF),
    ([0.0, -2.0], INF),
    ([-0.0, -2.0], INF),
    ([0.0, -2.5], INF),
    ([-0.0, -2.5], INF),
    ([0.0, -INF], INF),
    ([-0.0, -INF], INF),
    ([0.0, 3.0], 0.0),
    ([-0.0, 3.0], -0.0),
    ([0.0, 2.0], 0.0),
    ([-0.0, 2.0], 0.0),
    ([-0.0, 2.5], 0.0),
    ([-0.0, INF], 0.0),
    ([-1.0, INF], 1.0),
    ([-1.0, -INF], 1.0),
    ([1.0, NONE], 1.0),
    ([1.0, INF], 1.0),
    ([1.0, LEAST], 1.0),
    ([NONE, 0.0], 1.0),
    ([NONE, -0.0], 1.0),
    ([INF, 0.0], 1.0),
    ([-0.0, -0.0], 1.0),
    ([-2.0, 0.5], NONE),
    ([-LEAST, -1.5], NONE),
    ([-f32::MAX, LEAST], NONE),
    ([0.5, -INF], INF),
    ([-0.5, -INF], INF),
    ([2.0, -INF], 0.0),
    ([-2.0, -INF], 0.0),
    ([0.5, INF], 0.0),
    ([-0.5, INF], 0.0),
    ([2.0, INF], INF),
    ([-2.0, INF], INF),
    ([-INF, -3.0], -0.0),
    ([-INF, -2.0], 0.0),
    ([-INF, -2.5], 0.0),
    ([-INF, 3.0], -INF),
    ([-INF, 2.0], INF),
    ([-INF, 0.5], INF),
    ([INF, -LEAST], 0.0),
    ([INF, LEAST], INF),
    ([NONE, 1.0], NONE),
    ([2.0, NONE], NONE),
    ([-1.0, 16_777_215.0], -1.0),
    ([-1.0, 16_777_216.0], 1.0),
    ([-1.0, 8_388_607.0], -1.0),
    ([-1.0, 8_388_607.5], NONE),
    ([-2.0, 127.0], -1.701_411_8e38),
    ([2.0, 128.0], INF),
    ([-2.0, 129.0], -INF),
    ([2.0, -149.0], LEAST),
    ([-2.0, -149.0], -LEAST),
    ([2.0, -150.0], 0.0),
    ([-2.0, -151.0], -0.0),
    ([LEAST, 0.5], 3.743_392e-23),
    ([3.0, 2.0], 9.0),
    ([-3.0, 3.0], -27.0),
    ([10.0, 10.0], 1e10),
    ([2.0, f32::MAX], INF),
    ([2.0, -f32::MAX], 0.0),
    ([f32::from_bits(0x3f7f_ffff), f32::MAX], 0.0),
    ([f32::from_bits(0x3f80_0001), f32::MAX], INF),
    ([f32::MAX, LEAST], 1.0),
];

const ATAN2: Table = &[
    ([0.0, 0.0], 0.0),
    ([-0.0, 0.0], -0.0),
    ([0.0, -0.0], PI),
    ([-0.0, -0.0], -PI),
    ([0.0, 1.0], 0.0),
    ([-0.0, LEAST], -0.0),
    ([0.0, -LEAST], PI),
    ([-0.0, -1.0], -PI),
    ([1.0, 0.0], HALF_PI),
    ([LEAST, -0.0], HALF_PI),
    ([-1.0, 0.0], -HALF_PI),
    ([-LEAST, -0.0], -HALF_PI),
    ([1.0, INF], 0.0),
    ([-1.0, INF], -0.0),
    ([1.0, -INF], PI),
    ([-1.0, -INF], -PI),
    ([INF, 1.0], HALF_PI),
    ([-INF, -f32::MAX], -HALF_PI),
    ([INF, INF], QUARTER),
    ([-INF, INF], -QUARTER),
    ([INF, -INF], THREE_QUARTERS),
    ([-INF, -INF], -THREE_QUARTERS),
    ([NONE, 1.0], NONE),
    ([1.0, NONE], NONE),
    ([INF, NONE], NONE),
    ([1.0, 1.0], QUARTER),
    ([LEAST, LEAST], QUARTER),
    ([-f32::MAX, f32::MAX], -QUARTER),
    ([f32::MAX, LEAST], HALF_PI),
    ([LEAST, f32::MAX], 0.0),
    ([-LEAST, 2.0], -0.0),
    ([LEAST, 1.0], LEAST),
    ([f32::from_bits(3), 1.0], f32::from_bits(3)),
    ([LEAST, -f32::MAX], PI),
];

/// The special values of a function.
pub(super) fn table(function: Function) -> Table {
    match function {
        Function::Hypot => HYPOT,
        Function::Pow => POW,
        _ => ATAN2,
    }
}

/// The word of a float, of which NaN is one.
pub(super) fn word(x: f32) -> u32 {
    if x.is_nan() {
        super::super::machine::NAN
    } else {
        x.to_bits()
    }
}

#[test]
fn math_of_two_has_its_special_values() {
    for function in [Function::Hypot, Function::Pow, Function::Atan2] {
        for &(args, value) in table(function) {
            let wanted = word(value);
            let given = both_of(function, args.map(f32::to_bits));
            assert_eq!(given, wanted, "{function:?} of {args:?}: {given:#010x}");
        }
    }
}

/// A small generator of words.
pub(super) struct Words(u64);

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Words(seed)
    }

    pub(super) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// The whole number that times a power of two is a float, and that power's exponent.
fn taken_apart(x: f32) -> (u128, i32) {
    let (fraction, exponent) = (x.to_bits() & 0x007f_ffff, x.to_bits() << 1 >> 24);
    match exponent {
        0 => (u128::from(fraction), -149),
        _ => (u128::from(fraction | 0x0080_0000), exponent as i32 - 150),
    }
}

/// The length of a vector of finite numbers, by whole numbers.
fn length(x: f32, y: f32) -> f32 {
    let (a, b) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    let ((a_whole, a_unit), (b_whole, unit)) = (taken_apart(a), taken_apart(b));
    let apart = a_unit - unit;
    if apart > 30 || b == 0.0 {
        return a;
    }
    // Two more bits, and one that says whether anything is left.
    let square = ((a_whole << apart).pow(2) + b_whole.pow(2)) << 4;
    let root = square.isqrt();
    let sticky = root | u128::from(root * root != square);
    // The conversion rounds to nearest; no unit is below that of subnormals.
    let unit = unit - 2;
    let bits = 128 - sticky.leading_zeros() as i32;
    let drop = (bits - 24).max(-149 - unit).max(0);
    let (kept, lost) = (sticky >> drop, sticky & ((1 << drop) - 1));
    let half = (1_u128 << drop) >> 1;
    let up = lost > half || (lost == half && drop > 0 && kept & 1 == 1);
    let whole = (kept + u128::from(up)) as f64;
    (whole * 2.0_f64.powi(unit + drop)) as f32
}

fn check_length(x: f32, y: f32) {
    let wanted = length(x, y).to_bits();
    let given = both_of(Function::Hypot, [x.to_bits(), y.to_bits()]);
    assert_eq!(given, wanted, "hypot({x:e}, {y:e}): {given:#010x}");
}

/// Vectors of every size whose length is a float and a half to within a few units of `b`.
#[test]
fn math_hypot_is_nearest_near_the_middle_of_floats() {
    let count = if cfg!(debug_assertions) {
        3000
    } else {
        100_000
    };
    let mut words = Words(11);
    let mut hard = 0;
    for n in 0..count {
        let a = f64::from(words.next() >> 8 | 0x0080_0000);
        // From one half a unit to all that a leg can add, near 0 as often as far.
        let most = (a * 0.41) as u32;
        let above = (words.next() % most) >> (words.next() % 24);
        let middle = a + f64::from(above) + 0.5;
        let b = ((middle - a) * (middle + a)).sqrt() as f32;
        let scale = [0, 100, -120, -149, -145, -130, 60, -40][n % 8];
        let scaled = |x: f32| (f64::from(x) * 2.0_f64.powi(scale)) as f32;
        for step in -2..=2_i32 {
            let b = f32::from_bits(b.to_bits().wrapping_add_signed(step));
            let (x, y) = (scaled(a as f32), scaled(b));
            let (x, y) = if n & 8 == 0 { (x, y) } else { (-y, x) };
            let rounded = Function::Hypot.core(Plain::<Separate>::new(), [x, y]);
            hard += usize::from(rounded.hard);
            check_length(x, y);
        }
    }
    // The exact comparison is what this looks at.
    assert!(hard > count / 2, "{hard} of {count}");
}

/// Vectors of whole numbers whose length is exactly a float and a half.
#[test]
fn math_hypot_of_a_tie_is_even() {
    let mut found = 0;
    let mut words = Words(5);
    while found < 2000 {
        let (m, n) = (
            u64::from(words.next() % 5793),
            u64::from(words.next() % 5793),
        );
        let (a, b, c) = (m.max(n).pow(2) - m.min(n).pow(2), 2 * m * n, m * m + n * n);
        let exact = |n: u64| (n as f32) as u64 == n;
        let is_middle = (1 << 24..1 << 25).contains(&c) && c % 2 == 1;
        if !is_middle || !exact(a) || !exact(b) || a * b == 0 {
            continue;
        }
        found += 1;
        for scale in [0, -140, 80] {
            let scale = 2.0_f64.powi(scale);
            check_length((a as f64 * scale) as f32, (b as f64 * scale) as f32);
        }
        let given = both_of(
            Function::Hypot,
            [(a as f32).to_bits(), (b as f32).to_bits()],
        );
        assert_eq!(given, ((c - 1 + (c / 2 % 2) * 2) as f32).to_bits());
    }
}

#[test]
fn math_hypot_is_nearest_anywhere() {
    let count = if cfg!(debug_assertions) {
        20_000
    } else {
        500_000
    };
    let mut words = Words(3);
    for _ in 0..count {
        let (x, y) = (words.next(), words.next());
        // Of like size as often as of any.
        let near = x & 0x7f80_0000 | y & 0x807f_ffff;
        for y in [y, near, near.wrapping_add(0x0200_0000), near ^ 0x0080_0000] {
            let (x, y) = (f32::from_bits(x), f32::from_bits(y));
            if x.is_finite() && y.is_finite() {
                check_length(x, y);
            }
        }
    }
}

/// How far a value is from the true one, in units of its last place.
pub(super) fn units(value: f64, wide: f64) -> f64 {
    let exponent = (wide.abs().to_bits() >> 52) as i32 - 1023;
    let unit = 2.0_f64.powi(exponent.max(-126) - 23);
    (value - wide).abs() / unit
}

/// Arguments of each frozen function, near those where it does something.
pub(super) fn arguments(function: Function, words: &mut Words) -> [f32; 2] {
    let (x, y) = (words.next(), words.next());
    let near = |x: u32| f32::from_bits(x & 0x83ff_ffff | 0x3e00_0000 | (x >> 2 & 0x0080_0000));
    let [x, y] = match (function, x % 3) {
        (_, 0) => [x, y].map(f32::from_bits),
        // Results of every exponent.
        (Function::Pow, 1) => {
            let x = near(x).abs();
            [x, near(y) * 100.0 / value(Function::Log2, [x; 2])]
        }
        (Function::Pow, _) => [f32::from_bits(x & 0x7fff_ffff), near(y)],
        (_, 1) => [near(x), near(y)],
        _ => [x, x & 0x7f80_0000 | y & 0x81ff_ffff].map(f32::from_bits),
    };
    [x, y]
}

#[test]
fn math_frozen_functions_keep_their_bound() {
    let count = if cfg!(debug_assertions) {
        50_000
    } else {
        2_000_000
    };
    for function in [Function::Pow, Function::Atan2] {
        let mut words = Words(17);
        let mut most: f64 = 0.0;
        for _ in 0..count {
            let args = arguments(function, &mut words);
            let value = f32::from_bits(both_of(function, args.map(f32::to_bits)));
            let true_value = wide(function, args[0].into(), args[1].into());
            if true_value.is_nan() || value.is_infinite() {
                assert_eq!(
                    value.to_bits(),
                    word(true_value as f32),
                    "{function:?} of {args:?}"
                );
                continue;
            }
            let error = units(value.into(), true_value);
            assert!(error <= 0.500_02, "{function:?} of {args:?}: {error}");
            most = most.max(error);
        }
        println!("{function:?}: {most}");
    }
    // The measure can fail.
    assert!(units(1.0, 1.0 + 0.6 * f64::from(f32::EPSILON)) > 0.59);
}

/// Over arguments that `arguments` gives; another sequence of operations gives another hash.
#[test]
fn math_frozen_functions_stay_as_they_are() {
    let hashes = [
        (Function::Pow, 0xa504_bfd9_217a_6483_u64),
        (Function::Atan2, 0x1788_2292_356c_4918),
    ];
    for (function, wanted) in hashes {
        let mut words = Words(29);
        let pairs = (0..100_000).map(|_| arguments(function, &mut words));
        let hash = hash::part(pairs.map(|pair| value(function, pair).to_bits()));
        assert_eq!(hash, wanted, "{function:?}: {hash:#018x}");
    }
}

#[test]
fn math_blocks_of_pairs_are_their_lanes() {
    struct Block([[f32; 16]; 2]);
    impl Visitor for Block {
        type Output = [f32; 16];
        fn visit<D: Definition>(self) -> [f32; 16] {
            block::<Fused, D, 16>([&self.0[0], &self.0[1]])
        }
    }
    let mut words = Words(41);
    for function in [Function::Hypot, Function::Pow, Function::Atan2] {
        for _ in 0..300 {
            let lanes: [[f32; 2]; 16] = std::array::from_fn(|_| arguments(function, &mut words));
            let args = [0, 1].map(|n| lanes.map(|lane| lane[n]));
            let values = function.visit(Block(args));
            for (args, lane) in lanes.into_iter().zip(values) {
                let alone = value(function, args);
                assert_eq!(lane.to_bits(), alone.to_bits(), "{function:?} of {args:?}");
            }
        }
    }
}
