//! Inclusive and exclusive scans.

use crate::data::{Inputs, some};
use crate::definition::{Value, scan, words};
use crate::reduce::filled;
use crate::{LENGTHS, Opened, devices};
use nupp::scan::{self, Plan, ScanError};
use nupp::{BindError, Context};
use nupp_testkit::compare::difference;

fn on_cpu<T: Value>(input: &[T], exclusive: bool) -> Vec<T> {
    let mut output = vec![T::HIGHEST; input.len()];
    let run = match exclusive {
        false => scan::cpu::inclusive,
        true => scan::cpu::exclusive,
    };
    run(&mut output, input).expect("a scan");
    output
}

fn on_device<T: Value>(context: &Context, input: &[T], exclusive: bool) -> Vec<T> {
    let output = filled(context, &vec![T::HIGHEST; input.len()]);
    let input = filled(context, input);
    let run = match exclusive {
        false => scan::inclusive,
        true => scan::exclusive,
    };
    run(context, &output, &input).expect("a scan");
    context.download_blocking(&output).expect("a download")
}

fn every_length<T: Inputs>() {
    for length in LENGTHS {
        for data in some::<T>(length) {
            for exclusive in [false, true] {
                let input = &data.values;
                let expected = words(&scan(input, exclusive));
                let what = format!("{} of {length}, exclusive: {exclusive}", data.name);
                // Compared as stored: a NaN must be the one NaN already.
                let cpu: Vec<u32> = stored(&on_cpu(input, exclusive));
                assert_eq!(difference(&expected, &cpu), None, "{what}, on the CPU");
                for opened in devices().iter().filter(|opened| length <= opened.longest) {
                    let gpu = stored(&on_device(&opened.context, input, exclusive));
                    let fault = difference(&expected, &gpu);
                    assert_eq!(fault, None, "{what}, on {}", opened.name);
                }
            }
        }
    }
}

fn stored<T: Value>(values: &[T]) -> Vec<u32> {
    bytemuck::cast_slice(values).to_vec()
}

#[test]
fn floats() {
    every_length::<f32>();
}

#[test]
fn signed() {
    every_length::<i32>();
}

#[test]
fn unsigned() {
    every_length::<u32>();
}

#[test]
fn what_is_frozen() {
    let zeros = on_cpu(&[-0.0_f32; 600], true);
    let (plus, minus) = (0.0_f32.to_bits(), (-0.0_f32).to_bits());
    let words: Vec<u32> = zeros.iter().map(|zero| zero.to_bits()).collect();
    // Each block begins with +0.0, which takes the sign of the offset; the others keep it.
    let expected: Vec<u32> = (0..600)
        .map(|i| if i % 256 == 0 { plus } else { minus })
        .collect();
    assert_eq!(words, expected);
    let kept = on_cpu(&[-0.0_f32; 600], false);
    assert!(kept.iter().all(|zero| zero.to_bits() == minus));
    assert!(scan::cpu::inclusive(&mut [0; 2], &[1, 2, 3]).is_err());
}

#[test]
fn a_plan_runs_again() {
    for Opened { name, context, .. } in devices() {
        let input = context.buffer::<u32>(70_000).expect("a buffer");
        let output = context.buffer::<u32>(70_000).expect("a buffer");
        let plan = Plan::exclusive(context, &output, &input).expect("a plan");
        for turn in 1..4_u32 {
            let values: Vec<u32> = (0..70_000).map(|i| i * turn).collect();
            context.upload(&input, &values).expect("an upload");
            plan.dispatch().expect("a dispatch");
            let read = context.download_blocking(&output).expect("a download");
            assert_eq!(difference(&scan(&values, true), &read), None, "{name}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let [one, other, ..] = devices() else { return };
    let input = filled(&one.context, &[1_i32, 2]);
    let fault = scan::inclusive(&one.context, &input, &input);
    assert!(matches!(fault, Err(ScanError::Bind(_))), "{fault:?}");
    let longer = filled(&one.context, &[1_i32, 2, 3]);
    let fault = scan::inclusive(&one.context, &longer, &input).expect_err("two lengths");
    assert!(
        fault.to_string().contains("one element for each"),
        "{fault}"
    );
    let output = filled(&one.context, &[0_i32; 2]);
    let fault = scan::exclusive(&other.context, &output, &input);
    assert!(
        matches!(fault, Err(ScanError::Bind(BindError::OtherContext { .. }))),
        "{fault:?}"
    );
}
