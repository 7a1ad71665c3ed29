//! The printed CPU functions give the bits of the interpreter, in every width of the machine,
//! serially and over threads.

use gpu_kernels::rt::testing;
use nupp_compile::driver;
use nupp_core::eval::source::{LaneOrder, run};
use nupp_core::ir::samples;
use nupp_core::math::Function;
use nupp_core::verify::source::verify;
use nupp_front::syntax::Source;
use nupp_printed_tests::{KERNELS, samples as printed};
use nupp_testkit::compare::difference;
use nupp_testkit::generate::map_kernel;
use nupp_testkit::inputs::{floats, integers};
use nupp_testkit::random::Random;
use std::sync::{Mutex, MutexGuard};

/// The width is one for the whole process.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn in_each_width(mut test: impl FnMut(&str)) {
    let _turn = one_at_a_time();
    for width in testing::widths() {
        testing::force(Some(width));
        test(&width.to_string());
    }
    testing::force(None);
}

#[test]
fn generated_maps() {
    in_each_width(|width| {
        for &(seed, kernel) in KERNELS {
            let compiled = driver::compile(&Source::from_nupp(&map_kernel(seed)));
            let compiled = compiled.expect("the generator makes valid kernels");
            for len in [0, 1, 5, 33, 100] {
                let mut random = Random::new(seed * 1000 + len as u64);
                let mut spans = vec![
                    floats(&mut random, len),
                    integers(&mut random, len),
                    floats(&mut random, len),
                    integers(&mut random, len),
                    floats(&mut random, 7 + len / 2),
                    floats(&mut random, 2 * len),
                ];
                let scalars = [floats(&mut random, 1)[0], random.below(9), random.below(9)];
                let mut expected = spans.clone();
                let kernel_ir = &compiled.kernels[0].kernel;
                run(kernel_ir, &mut expected, &scalars, LaneOrder::Ascending).expect("it runs");
                let mut threads = spans.clone();
                kernel(&mut spans, scalars, false);
                kernel(&mut threads, scalars, true);
                for (form, actual) in [("serial", &spans), ("parallel", &threads)] {
                    for (expected, actual) in expected.iter().zip(actual) {
                        if let Some(what) = difference(expected, actual) {
                            panic!("seed {seed}, {len} elements, {width}, {form}: {what}");
                        }
                    }
                }
            }
        }
    });
}

fn as_floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&word| f32::from_bits(word)).collect()
}

fn as_words(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn a_gather_with_a_divergent_loop() {
    let verified = verify(samples::map()).expect("valid");
    in_each_width(|width| {
        for len in [0, 1, 8, 16, 31, 32, 100] {
            let mut random = Random::new(len as u64);
            let cursors: Vec<u32> = (0..len).map(|_| random.below(90)).collect();
            let table = floats(&mut random, 70);
            let input = floats(&mut random, len);
            let scale = 0.75_f32;
            let mut spans = vec![vec![7; len], input.clone(), cursors.clone(), table.clone()];
            run(
                &verified,
                &mut spans,
                &[scale.to_bits()],
                LaneOrder::Ascending,
            )
            .expect("it runs");
            let (input, table) = (as_floats(&input), as_floats(&table));
            for parallel in [false, true] {
                let mut output = vec![7.0; len];
                let form = if parallel {
                    printed::sample_map::cpu_parallel
                } else {
                    printed::sample_map
                };
                form(&mut output, &input, &cursors, &table, scale).expect("the guards hold");
                assert_eq!(
                    as_words(&output),
                    spans[0],
                    "{len} elements, {width}, {parallel}"
                );
            }
        }
    });
}

type Outcome = Result<(), gpu_kernels::rt::KernelError>;

/// The map of a function as it is printed for serial calls.
#[derive(Clone, Copy)]
enum Printed {
    One(fn(&mut [f32], &[f32]) -> Outcome),
    Two(fn(&mut [f32], &[f32], &[f32]) -> Outcome),
}

impl Printed {
    fn call(self, output: &mut [f32], x: &[f32], y: &[f32]) {
        let called = match self {
            One(kernel) => kernel(output, x),
            Two(kernel) => kernel(output, x, y),
        };
        called.expect("the guards hold");
    }
}

use Printed::{One, Two};

const PRINTED: &[(Function, Printed)] = &[
    (Function::Exp, One(printed::sample_f32_exp)),
    (Function::Exp2, One(printed::sample_f32_exp2)),
    (Function::Expm1, One(printed::sample_f32_expm1)),
    (Function::Log, One(printed::sample_f32_log)),
    (Function::Log2, One(printed::sample_f32_log2)),
    (Function::Log10, One(printed::sample_f32_log10)),
    (Function::Log1p, One(printed::sample_f32_log1p)),
    (Function::Sin, One(printed::sample_f32_sin)),
    (Function::Cos, One(printed::sample_f32_cos)),
    (Function::Tan, One(printed::sample_f32_tan)),
    (Function::Asin, One(printed::sample_f32_asin)),
    (Function::Acos, One(printed::sample_f32_acos)),
    (Function::Atan, One(printed::sample_f32_atan)),
    (Function::Sinh, One(printed::sample_f32_sinh)),
    (Function::Cosh, One(printed::sample_f32_cosh)),
    (Function::Tanh, One(printed::sample_f32_tanh)),
    (Function::Sigmoid, One(printed::sample_f32_sigmoid)),
    (Function::Rsqrt, One(printed::sample_f32_rsqrt)),
    (Function::Cbrt, One(printed::sample_f32_cbrt)),
    (Function::Hypot, Two(printed::sample_f32_hypot)),
    (Function::Pow, Two(printed::sample_f32_pow)),
    (Function::Atan2, Two(printed::sample_f32_atan2)),
    (Function::FastExp, One(printed::sample_f32_fast_exp)),
    (Function::FastExp2, One(printed::sample_f32_fast_exp2)),
    (Function::FastExpm1, One(printed::sample_f32_fast_expm1)),
    (Function::FastLog, One(printed::sample_f32_fast_log)),
    (Function::FastLog2, One(printed::sample_f32_fast_log2)),
    (Function::FastLog10, One(printed::sample_f32_fast_log10)),
    (Function::FastLog1p, One(printed::sample_f32_fast_log1p)),
    (Function::FastSin, One(printed::sample_f32_fast_sin)),
    (Function::FastCos, One(printed::sample_f32_fast_cos)),
    (Function::FastTan, One(printed::sample_f32_fast_tan)),
    (Function::FastAsin, One(printed::sample_f32_fast_asin)),
    (Function::FastAcos, One(printed::sample_f32_fast_acos)),
    (Function::FastAtan, One(printed::sample_f32_fast_atan)),
    (Function::FastSinh, One(printed::sample_f32_fast_sinh)),
    (Function::FastCosh, One(printed::sample_f32_fast_cosh)),
    (Function::FastTanh, One(printed::sample_f32_fast_tanh)),
    (Function::FastSigmoid, One(printed::sample_f32_fast_sigmoid)),
    (Function::FastRsqrt, One(printed::sample_f32_fast_rsqrt)),
    (Function::FastCbrt, One(printed::sample_f32_fast_cbrt)),
    (Function::FastHypot, Two(printed::sample_f32_fast_hypot)),
    (Function::FastPow, Two(printed::sample_f32_fast_pow)),
    (Function::FastAtan2, Two(printed::sample_f32_fast_atan2)),
];

#[test]
fn every_function() {
    let functions: Vec<Function> = PRINTED.iter().map(|printed| printed.0).collect();
    assert_eq!(functions, Function::ALL);
    in_each_width(|width| {
        for &(function, kernel) in PRINTED {
            let mut random = Random::new(5);
            let mut x = floats(&mut random, 3001);
            // Each exception in whole blocks and in the lanes after them.
            let exceptions = function.exceptions().iter().map(|&(input, _)| input);
            x.extend(exceptions.flat_map(|x| [x - 1, x, x + 1]));
            let y = floats(&mut random, x.len());
            for len in [0, 1, 17, 1000, x.len()] {
                let (x, y) = (&x[x.len() - len..], &y[y.len() - len..]);
                let mut output = vec![7.0; len];
                kernel.call(&mut output, &as_floats(x), &as_floats(y));
                let expected = x.iter().zip(y).map(|(&x, &y)| function.apply([x, y]));
                let expected: Vec<u32> = expected.collect();
                if let Some(what) = difference(&expected, &as_words(&output)) {
                    panic!("{function:?}, {len} elements, {width}: {what}");
                }
            }
        }
    });
}

#[test]
fn a_tree_in_groups() {
    let verified = verify(samples::groups()).expect("valid");
    in_each_width(|width| {
        for len in [0, 255, 256, 1000, 5 * 256] {
            let mut random = Random::new(len as u64);
            let input = floats(&mut random, len);
            let mut spans = vec![vec![7; len], input.clone()];
            run(&verified, &mut spans, &[], LaneOrder::Ascending).expect("it runs");
            let input = as_floats(&input);
            for parallel in [false, true] {
                let mut output: Vec<f32> = as_floats(&vec![7; len]);
                let form = if parallel {
                    printed::sample_groups::cpu_parallel
                } else {
                    printed::sample_groups
                };
                form(&mut output, &input).expect("the guards hold");
                assert_eq!(
                    as_words(&output),
                    spans[0],
                    "{len} elements, {width}, {parallel}"
                );
            }
        }
    });
}

#[test]
fn a_guard_that_fails_is_an_error_with_the_lengths() {
    let error = printed::sample_groups(&mut [0.0; 3], &[0.0; 4]).expect_err("lengths differ");
    let gpu_kernels::KernelError::Guard(guard) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(guard.lengths, [("output", 3), ("input", 4)]);
    assert!(
        error.to_string().contains("(#output is 3, #input is 4)"),
        "{error}"
    );
}
