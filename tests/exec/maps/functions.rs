//! The mathematical functions, each through the macro and on every executor, against the definition
//! that is compared with CORE-MATH. `NUPP_EXHAUSTIVE=1` also takes all 2^32 inputs of each correctly
//! rounded one through the CPU function in every width.

use super::{blank, every_input, float_pairs, gate};
use crate::harness::{Case, in_width, kernel};
use nupp::nupp;
use nupp_core::math::{Function, hash};
use nupp_testkit::inputs::FLOATS;
use nupp_testkit::random::Random;

/// The CPU function of a kernel of one argument.
type Map = fn(&mut [f32], &[f32]) -> Result<(), nupp::KernelError>;

/// A list's name; then each function, the names of its kernel and test, and its own.
macro_rules! functions {
    ($list:ident: $( $function:ident $kernel:ident $test:ident $($name:ident).+; )*) => {
        $( nupp! {
            @aot(target = "gpu")
            local function $kernel(
                exclusive output: span.WriteSpan<float>,
                borrows x: span.Span<float>
            ): nil
                assert(#x == #output)
                for index = 1, #output do
                    output[index] = f32.$($name).+(x[index])
                end
            end
        } )*

        $( #[test]
        fn $test() {
            check(Function::$function, |x| Case::new(kernel!($kernel: w f32, r f32)).spans([blank(x.len()), x]));
        } )*

        const $list: &[(Function, Map)] = &[$( (Function::$function, $kernel) ),*];
    };
}

macro_rules! functions_of_two {
    ($list:ident: $( $function:ident $kernel:ident $test:ident $($name:ident).+; )*) => {
        $( nupp! {
            @aot(target = "gpu")
            local function $kernel(
                exclusive output: span.WriteSpan<float>,
                borrows x: span.Span<float>,
                borrows y: span.Span<float>
            ): nil
                assert(#x == #output and #y == #output)
                for index = 1, #output do
                    output[index] = f32.$($name).+(x[index], y[index])
                end
            end
        } )*

        $( #[test]
        fn $test() {
            check_pairs(Function::$function, |x, y| {
                Case::new(kernel!($kernel: w f32, r f32, r f32)).spans([blank(x.len()), x, y])
            });
        } )*

        const $list: &[Function] = &[$( Function::$function ),*];
    };
}

functions! {
    OF_ONE:
    Exp map_exp exp exp;
    Exp2 map_exp2 exp2 exp2;
    Expm1 map_expm1 expm1 expm1;
    Log map_log log log;
    Log2 map_log2 log2 log2;
    Log10 map_log10 log10 log10;
    Log1p map_log1p log1p log1p;
    Sin map_sin sin sin;
    Cos map_cos cos cos;
    Tan map_tan tan tan;
    Asin map_asin asin asin;
    Acos map_acos acos acos;
    Atan map_atan atan atan;
    Sinh map_sinh sinh sinh;
    Cosh map_cosh cosh cosh;
    Tanh map_tanh tanh tanh;
    Sigmoid map_sigmoid sigmoid sigmoid;
    Rsqrt map_rsqrt rsqrt rsqrt;
    Cbrt map_cbrt cbrt cbrt;
}

functions_of_two! {
    OF_TWO:
    Hypot map_hypot hypot hypot;
    Pow map_pow pow pow;
    Atan2 map_atan2 atan2 atan2;
}

functions! {
    FAST_OF_ONE:
    FastExp map_fast_exp fast_exp fast.exp;
    FastExp2 map_fast_exp2 fast_exp2 fast.exp2;
    FastExpm1 map_fast_expm1 fast_expm1 fast.expm1;
    FastLog map_fast_log fast_log fast.log;
    FastLog2 map_fast_log2 fast_log2 fast.log2;
    FastLog10 map_fast_log10 fast_log10 fast.log10;
    FastLog1p map_fast_log1p fast_log1p fast.log1p;
    FastSin map_fast_sin fast_sin fast.sin;
    FastCos map_fast_cos fast_cos fast.cos;
    FastTan map_fast_tan fast_tan fast.tan;
    FastAsin map_fast_asin fast_asin fast.asin;
    FastAcos map_fast_acos fast_acos fast.acos;
    FastAtan map_fast_atan fast_atan fast.atan;
    FastSinh map_fast_sinh fast_sinh fast.sinh;
    FastCosh map_fast_cosh fast_cosh fast.cosh;
    FastTanh map_fast_tanh fast_tanh fast.tanh;
    FastSigmoid map_fast_sigmoid fast_sigmoid fast.sigmoid;
    FastRsqrt map_fast_rsqrt fast_rsqrt fast.rsqrt;
    FastCbrt map_fast_cbrt fast_cbrt fast.cbrt;
}

functions_of_two! {
    FAST_OF_TWO:
    FastHypot map_fast_hypot fast_hypot fast.hypot;
    FastPow map_fast_pow fast_pow fast.pow;
    FastAtan2 map_fast_atan2 fast_atan2 fast.atan2;
}

nupp! {
    @aot(target = "gpu")
    local function waves(
        exclusive output: span.WriteSpan<float>,
        borrows x: span.Span<float>
    ): nil
        assert(#x == #output)
        for index = 1, #output do
            local sum = 0.0
            for turn = 1, 5 do
                sum = sum + f32.sin(x[index] * f32.fromI32(turn))
            end
            output[index] = sum
        end
    end
}

/// A compiler that puts calls in once asked for more memory than there is over a function in a loop.
#[test]
fn a_function_in_a_loop() {
    let sine = |x: f32| f32::from_bits(Function::Sin.apply([x.to_bits(); 2]));
    let wave = |x: f32| (1..=5_u8).fold(0.0, |sum, turn| sum + sine(x * f32::from(turn)));
    let x: Vec<u32> = FLOATS.to_vec();
    let expected = x.iter().map(|&x| gate(wave(f32::from_bits(x)))).collect();
    let case = Case::new(kernel!(waves: w f32, r f32)).spans([blank(x.len()), x]);
    case.large().gives(0, expected);
}

/// Inputs where a function turns, its exceptions, and some of every exponent.
fn inputs(function: Function, stride: usize) -> Vec<u32> {
    let exceptions = function.exceptions().iter().map(|&(input, _)| input);
    let near = FLOATS.iter().copied().chain(exceptions);
    let near = near.flat_map(|x| [x.wrapping_sub(1), x, x.wrapping_add(1)]);
    near.chain((0..=u32::MAX).step_by(stride)).collect()
}

fn check(function: Function, case: impl Fn(Vec<u32>) -> Case) {
    let values = |x: &[u32]| x.iter().map(|&x| function.apply([x; 2])).collect();
    // All of them where they are compiled, and so many that interpreters take no minute.
    let all = inputs(function, 1_000_003);
    let wanted = values(&all);
    case(all).large().gives(0, wanted);
    let some: Vec<u32> = inputs(function, 40_000_003)
        .into_iter()
        .step_by(3)
        .collect();
    let wanted = values(&some);
    case(some).gives(0, wanted);
}

/// Edges among themselves, a whole number beside each, and pairs of like size, of which some lengths
/// come near the middle of two floats.
fn pairs(count: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut x, mut y) = float_pairs();
    let mut random = Random::new(9);
    for n in 0..count {
        let (a, b) = (random.bits() as u32, random.bits() as u32);
        let near = |bits: u32| bits & 0x81ff_ffff | 0x3e00_0000;
        let (a, b) = match n % 4 {
            0 => (a, b),
            1 => (near(a), near(b)),
            2 => (near(a), ((b % 40) as f32 - 20.0).to_bits()),
            _ => (a, middle(a)),
        };
        x.push(a);
        y.push(b);
    }
    (x, y)
}

/// The other leg of a vector whose length is near the middle of two floats above `a`.
fn middle(a: u32) -> u32 {
    let a = f64::from(f32::from_bits(a));
    let above = f64::from(f32::EPSILON) * 0.75 * a.abs();
    ((above * (2.0 * a.abs() + above)).sqrt() as f32).to_bits()
}

fn check_pairs(function: Function, case: impl Fn(Vec<u32>, Vec<u32>) -> Case) {
    let values = |x: &[u32], y: &[u32]| {
        let pairs = x.iter().zip(y);
        pairs.map(|(&x, &y)| function.apply([x, y])).collect()
    };
    let (x, y) = pairs(8000);
    let wanted = values(&x, &y);
    case(x, y).large().gives(0, wanted);
    let (x, y) = pairs(300);
    let [x, y] = [x, y].map(|all| all.into_iter().step_by(17).collect::<Vec<u32>>());
    let wanted = values(&x, &y);
    case(x, y).gives(0, wanted);
}

#[test]
fn every_function_is_tested() {
    let of_one = |list: &[(Function, Map)]| list.iter().map(|&(function, _)| function).collect();
    let tested: [Vec<Function>; 4] = [
        of_one(OF_ONE),
        OF_TWO.to_vec(),
        of_one(FAST_OF_ONE),
        FAST_OF_TWO.to_vec(),
    ];
    assert_eq!(tested.concat(), Function::ALL);
}

#[test]
fn every_input_in_every_width() {
    if !every_input::asked_for() {
        eprintln!("skipped: NUPP_EXHAUSTIVE=1 takes all 2^32 inputs");
        return;
    }
    for width in every_input::widths() {
        for &(function, map) in OF_ONE {
            let part = |first: u32| {
                let x: Vec<f32> = every_input::part(first).map(f32::from_bits).collect();
                let mut output = vec![0.0; x.len()];
                map(&mut output, &x).expect("one length");
                hash::part(output.into_iter().map(f32::to_bits))
            };
            let given = hash::whole(in_width(width, || every_input::in_parts(part)));
            let right = hash::right(function).expect("a hash");
            assert_eq!(given, right, "{function:?} on the CPU in {width}");
            eprintln!("{function:?} on the CPU in {width}: {given:#018x}");
        }
    }
}
