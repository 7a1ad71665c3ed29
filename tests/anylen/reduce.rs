//! Sums, least and greatest values and dot products.

use crate::data::{Inputs, some};
use crate::definition::{Value, dot, reduce};
use crate::{LENGTHS, Opened, devices};
use nupp::reduce::{self, Plan, ReduceError};
use nupp::{BindError, Buffer, Context};

/// The four values by the definition, as words.
fn expected<T: Value>(left: &[T], right: &[T]) -> [u32; 4] {
    [
        reduce(left, T::ZERO, T::add).word(),
        reduce(left, T::HIGHEST, T::least).word(),
        reduce(left, T::LOWEST, T::greatest).word(),
        dot(left, right).word(),
    ]
}

/// The second factors: the first ones, from behind.
fn reversed<T: Value>(values: &[T]) -> Vec<T> {
    values.iter().rev().copied().collect()
}

fn on_device<T: Value>(opened: &Opened, left: &[T], right: &[T]) -> [u32; 4] {
    let context = &opened.context;
    let (l, r) = (filled(context, left), filled(context, right));
    [
        reduce::sum(context, &l).expect("sum").word(),
        reduce::min(context, &l).expect("min").word(),
        reduce::max(context, &l).expect("max").word(),
        reduce::dot(context, &l, &r).expect("dot").word(),
    ]
}

pub fn filled<T: Value>(context: &Context, values: &[T]) -> Buffer<T> {
    let buffer = context.buffer::<T>(values.len()).expect("a buffer");
    context.upload(&buffer, values).expect("an upload");
    buffer
}

fn every_length<T: Inputs>() {
    for length in LENGTHS {
        for data in some::<T>(length) {
            let (left, right) = (&data.values, reversed(&data.values));
            let expected = expected(left, &right);
            let what = format!("{} of {length}: sum, min, max, dot", data.name);
            let cpu = [
                reduce::cpu::sum(left).expect("sum").word(),
                reduce::cpu::min(left).expect("min").word(),
                reduce::cpu::max(left).expect("max").word(),
                reduce::cpu::dot(left, &right).expect("dot").word(),
            ];
            assert_eq!(expected, cpu, "{what} on the CPU");
            for opened in devices().iter().filter(|opened| length <= opened.longest) {
                let gpu = on_device(opened, left, &right);
                assert_eq!(expected, gpu, "{what} on {}", opened.name);
            }
        }
    }
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
    let sum = |values: &[f32]| reduce::cpu::sum(values).expect("sum").to_bits();
    let zero = 0.0_f32.to_bits();
    assert_eq!(sum(&[]), zero);
    // Padding is +0.0, so a sum of less than a block of −0.0 loses the sign, and a full block keeps it.
    assert_eq!(sum(&[-0.0]), zero);
    assert_eq!(sum(&[-0.0; 256]), (-0.0_f32).to_bits());
    // The next level is padded again.
    assert_eq!(sum(&[-0.0; 512]), zero);
    assert_eq!(sum(&[f32::from_bits(0xffff_ffff)]), 0x7fc0_0000);
    let least = |values: &[f32]| reduce::cpu::min(values).expect("min").to_bits();
    assert_eq!(least(&[]), f32::INFINITY.to_bits());
    assert_eq!(least(&[0.0, -0.0]), (-0.0_f32).to_bits());
    assert_eq!(least(&[f32::NAN, 1.0]), 0x7fc0_0000);
    assert_eq!(reduce::cpu::max::<i32>(&[]), Ok(i32::MIN));
    assert_eq!(reduce::cpu::max::<u32>(&[]), Ok(0));
    assert_eq!(reduce::cpu::min::<u32>(&[]), Ok(u32::MAX));
    assert!(reduce::cpu::dot(&[1.0], &[1.0, 2.0]).is_err());
}

/// The exponentials of case 24 of the original's evidence: its linear congruence in binary64, and
/// an exponential in binary64 that rounds to the right binary32 for each of these.
fn exponentials() -> Vec<f32> {
    let mut state = 42.0_f64;
    let mut next = || {
        state = (state * 1_103_515_245.0 + 12_345.0) % 2_147_483_648.0;
        let x = (-16.0 * state / 2_147_483_648.0) as f32;
        f64::from(x).exp() as f32
    };
    (0..65_536).map(|_| next()).collect()
}

#[test]
fn the_published_sum() {
    let values = exponentials();
    let sum = |values: &[f32]| reduce::cpu::sum(values).expect("sum").to_bits();
    assert_eq!(sum(&values[..256]), 0x41ab_0f36);
    assert_eq!(sum(&values), 0x4586_e933);
    for Opened { name, context, .. } in devices() {
        let buffer = filled(context, &values);
        let sum = reduce::sum(context, &buffer).expect("sum");
        assert_eq!(sum.to_bits(), 0x4586_e933, "{name}");
    }
}

#[test]
fn the_order_shows() {
    // If the mixed input gave the same bits in any order, the tests above would prove little.
    for length in LENGTHS.into_iter().filter(|&length| length > 200) {
        for data in <f32 as Inputs>::inputs(length) {
            if data.name == "mixed" {
                let tree = reduce(&data.values, 0.0, f32::add).word();
                let straight = data.values.iter().fold(0.0, |sum: f32, &x| sum + x);
                assert_ne!(tree, straight.to_bits(), "{length}");
            }
        }
    }
}

#[test]
fn a_plan_runs_again() {
    for Opened { name, context, .. } in devices() {
        let values = context.buffer::<f32>(1_000).expect("a buffer");
        let plan = Plan::sum(context, &values).expect("a plan");
        for turn in 1..5_u32 {
            let input: Vec<f32> = (0..1_000 * turn)
                .step_by(turn as usize)
                .map(|i| i as f32 * 0.1)
                .collect();
            context.upload(&values, &input).expect("an upload");
            let expected = reduce(&input, 0.0, f32::add).word();
            assert_eq!(
                plan.run().expect("a run").word(),
                expected,
                "{name}, turn {turn}"
            );
            // Recorded twice, without waiting, and read by hand.
            plan.dispatch().expect("a dispatch");
            plan.clone().dispatch().expect("a dispatch");
            let read = context
                .download_blocking(plan.result())
                .expect("a download");
            assert_eq!(read.len(), 1);
            assert_eq!(read[0].word(), expected, "{name}, turn {turn}");
        }
    }
}

#[test]
fn it_can_be_awaited() {
    for Opened { name, context, .. } in devices() {
        let values = filled(context, &[1.5_f32, -2.0, 4.0]);
        let four = async {
            Ok::<_, ReduceError>([
                reduce::sum_async(context, &values).await?,
                reduce::min_async(context, &values).await?,
                reduce::max_async(context, &values).await?,
                reduce::dot_async(context, &values, &values).await?,
            ])
        };
        assert_eq!(wait(four), Ok([3.5, -2.0, 4.0, 22.25]), "{name}");
    }
}

/// Polls a future on this thread until it is done.
fn wait<F: std::future::Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut task = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut task) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let [one, other, ..] = devices() else { return };
    let values = filled(&one.context, &[1.0_f32, 2.0]);
    let fault = reduce::sum(&other.context, &values);
    assert!(
        matches!(
            fault,
            Err(ReduceError::Bind(BindError::OtherContext { .. }))
        ),
        "{fault:?}"
    );
    let longer = filled(&one.context, &[1.0_f32, 2.0, 3.0]);
    let fault = reduce::dot(&one.context, &values, &longer).expect_err("two lengths");
    assert!(
        fault.to_string().contains("two spans of one length"),
        "{fault}"
    );
}
