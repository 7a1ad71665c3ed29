//! Programs whose kernels scatter: what is distinct gives the bits of the CPU function; lanes that meet
//! are the CPU function's error on a device too, told by whoever waits next, and the context goes on.

use nupp::{
    Context, ContextOptions, DeviceError, KernelError, ModuleForm, OpenError, ScatterError,
    SyncError, TransferError,
};

mod kernels;
mod split;
mod trust;

use crate::{context, context_with};
use kernels::{move_floats, place, sides, turns};

const LEN: usize = 300;

/// A context in each form that the device takes, one that submits every workgroup alone, and one with a
/// cost log.
fn contexts(options: &ContextOptions) -> Vec<Context> {
    let split = options.clone().workgroups_per_submit(1);
    let log = concat!(env!("CARGO_TARGET_TMPDIR"), "/scatter.jsonl");
    let others = [split, options.clone().costs(log)];
    let forms = ModuleForm::ALL.iter();
    let open = |form: &ModuleForm| match Context::open_with(options.clone().form(*form)) {
        Err(OpenError::NoNative { .. }) => None,
        _ => context_with(options.clone().form(*form)),
    };
    let forms = forms.filter_map(open);
    forms
        .chain(others.into_iter().filter_map(context_with))
        .collect()
}

/// The two lanes that a device speaks of.
fn met(kernel: &str, error: DeviceError) -> ScatterError {
    let DeviceError::Earlier { cause } = error else {
        panic!("{error}");
    };
    match *cause {
        DeviceError::Scatter { kernel: of, cause } if of == kernel => cause,
        other => panic!("{other}"),
    }
}

/// What waiting for the device says of a kernel's lanes.
fn told(kernel: &str, context: &Context) -> Option<ScatterError> {
    match context.synchronize_blocking() {
        Ok(()) => None,
        Err(SyncError::Device(error)) => Some(met(kernel, error)),
        Err(other) => panic!("{other}"),
    }
}

/// What the CPU function says of them.
fn meant(outcome: Result<(), KernelError>) -> Option<ScatterError> {
    match outcome {
        Ok(()) => None,
        Err(KernelError::Scatter(error)) => Some(error),
        Err(other) => panic!("{other}"),
    }
}

/// Distinct numbers below 311, and the same with lanes that meet, in ways that tell the first pair from
/// the least element and from the least lane.
fn cursors() -> Vec<Vec<u32>> {
    cursors_of(LEN, 311)
}

/// The same of so many lanes, below a prime.
fn cursors_of(len: usize, prime: u32) -> Vec<Vec<u32>> {
    let distinct: Vec<u32> = (0..len as u32).map(|n| n * 7 % prime).collect();
    let planted = |pairs: &[(usize, usize)]| {
        let mut cursors = distinct.clone();
        pairs
            .iter()
            .for_each(|&(to, from)| cursors[to] = cursors[from]);
        cursors
    };
    vec![
        planted(&[]),
        planted(&[(1, 0)]),
        planted(&[(len - 1, 0)]),
        planted(&[(len - 1, len - 2)]),
        planted(&[(70, 69), (200, 3), (199, 4), (198, 70)]),
        planted(&[(64, 63), (128, 5), (290, 63)]),
        vec![9; len],
    ]
}

fn buffer(context: &Context, words: &[u32]) -> nupp::Buffer<u32> {
    let buffer = context.buffer::<u32>(words.len()).unwrap();
    context.upload(&buffer, words).unwrap();
    buffer
}

#[test]
fn lanes_of_a_map_meet_as_on_the_cpu() {
    let input: Vec<f32> = (0..LEN).map(|n| n as f32 + 0.25).collect();
    for context in contexts(&ContextOptions::new()) {
        let kernel = move_floats::compile(&context).unwrap();
        assert!(kernel.raw().checks_scatter());
        let copy = context.buffer::<f32>(LEN).unwrap();
        let output = context.buffer::<f32>(305).unwrap();
        let source = context.buffer::<f32>(LEN).unwrap();
        context.upload(&source, &input).unwrap();
        for cursors in cursors() {
            let to = buffer(&context, &cursors);
            let (mut copied, mut moved) = (vec![0.0; LEN], vec![0.0; 305]);
            let meant = meant(move_floats(&mut copied, &mut moved, &input, &cursors));
            context.upload(&output, &[0.0; 305]).unwrap();
            let binding = kernel.bind(&copy, &output, &source, &to).unwrap();
            binding.dispatch().unwrap();
            assert_eq!(told("move_floats", &context), meant);
            if meant.is_none() {
                let found = context.download_blocking(&output).unwrap();
                assert_eq!(bits(&found), bits(&moved));
            }
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn lanes_of_groups_meet_as_on_the_cpu() {
    let values = crate::numbers(LEN);
    // Rows of three workgroups, so that the number of a group is folded.
    for context in contexts(&ContextOptions::new().workgroup_row_limit(3)) {
        let kernel = place::compile(&context).unwrap();
        let source = buffer(&context, &values);
        for cursors in cursors() {
            let (to, output) = (buffer(&context, &cursors), buffer(&context, &[0; 305]));
            let mut placed = vec![0; 305];
            let meant = meant(place(&mut placed, &values, &cursors));
            let binding = kernel.bind(&output, &source, &to).unwrap();
            binding.dispatch().unwrap();
            assert_eq!(told("place", &context), meant);
            if meant.is_none() {
                assert_eq!(context.download_blocking(&output).unwrap(), placed);
            }
        }
    }
}

#[test]
fn spans_are_named() {
    let Some(context) = context() else { return };
    let kernel = sides::compile(&context).unwrap();
    let (low, high) = (buffer(&context, &[0; 400]), buffer(&context, &[0; 500]));
    let copy = buffer(&context, &[0; LEN]);
    let mut spans = Vec::new();
    for (past, skip) in [(0, 0), (1000, 0), (1000, 1)] {
        for mut cursors in cursors() {
            // Every second lane scatters to the other side, or none does.
            cursors
                .iter_mut()
                .skip(skip)
                .step_by(2)
                .for_each(|c| *c += past);
            let to = buffer(&context, &cursors);
            let (mut copied, mut lows, mut highs) = (vec![0; LEN], vec![0; 400], vec![0; 500]);
            let meant = meant(sides(&mut copied, &mut lows, &mut highs, &cursors));
            let binding = kernel.bind(&copy, &low, &high, &to).unwrap();
            binding.dispatch().unwrap();
            assert_eq!(told("sides", &context), meant);
            spans.extend(meant.map(|error| error.span));
        }
    }
    assert!(
        spans.contains(&"low") && spans.contains(&"high"),
        "{spans:?}"
    );
}

#[test]
fn a_lane_may_meet_itself() {
    let Some(context) = context() else { return };
    let kernel = turns::compile(&context).unwrap();
    let cursors: Vec<u32> = (0..100).map(|n| n * 5).collect();
    let (to, copy) = (buffer(&context, &cursors), buffer(&context, &[0; 100]));
    for (step, text) in [
        (1, None),
        (0, Some("index 1 twice scatters to element 1 of `output`")),
        (
            5,
            Some("index 1 and index 2 both scatter to element 6 of `output`"),
        ),
    ] {
        let output = buffer(&context, &[0; 600]);
        let (mut copied, mut turned) = (vec![0; 100], vec![0; 600]);
        let meant = meant(turns(&mut copied, &mut turned, &cursors, step));
        kernel
            .bind(&copy, &output, &to)
            .unwrap()
            .dispatch(step)
            .unwrap();
        let told = told("turns", &context);
        assert_eq!(told, meant);
        assert_eq!(told.map(|error| error.to_string()).as_deref(), text);
        if meant.is_none() {
            assert_eq!(context.download_blocking(&output).unwrap(), turned);
        }
    }
}

#[test]
fn the_second_dispatch_meets_and_the_context_goes_on() {
    let Some(context) = context() else { return };
    let kernel = place::compile(&context).unwrap();
    let values = buffer(&context, &crate::numbers(LEN));
    let [good, bad] = [&cursors()[0], &cursors()[2]].map(|words| buffer(&context, words));
    let [first, second] = [(); 2].map(|()| buffer(&context, &[0; 305]));
    let bind = |output, to| kernel.bind(output, &values, to).unwrap();
    let (right, wrong) = (bind(&first, &good), bind(&second, &bad));
    let whole = |context: &Context| {
        right.dispatch().unwrap();
        context.download_blocking(&first).unwrap()
    };
    let mut placed = vec![0; 305];
    place(&mut placed, &crate::numbers(LEN), &cursors()[0]).unwrap();
    assert_eq!(whole(&context), placed);

    // By a download, of whatever buffer.
    right.dispatch().unwrap();
    wrong.dispatch().unwrap();
    match context.download_blocking(&first) {
        Err(TransferError::Device(error)) => {
            let text = error.to_string();
            assert_eq!(met("place", error).second, LEN as u32 - 1);
            let end = "kernel `place`: lane 0 of group 0 and lane 43 of group 4 both scatter to \
                       element 1 of `output`";
            assert_eq!(text, format!("an earlier operation failed: {end}"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(whole(&context), placed);

    // By a future.
    wrong.dispatch().unwrap();
    right.dispatch().unwrap();
    match awaited(context.synchronize()) {
        Err(SyncError::Device(error)) => assert_eq!(met("place", error).first, 0),
        other => panic!("{other:?}"),
    }
    assert_eq!(told("place", &context), None);
    assert_eq!(whole(&context), placed);

    // By everybody who waits for what the dispatch may have spoilt, whoever is first.
    wrong.dispatch().unwrap();
    let download = context.download(&second);
    assert!(told("place", &context).is_some());
    match awaited(download) {
        Err(TransferError::Device(error)) => assert_eq!(met("place", error).first, 0),
        other => panic!("{other:?}"),
    }
    wrong.dispatch().unwrap();
    let all = context.synchronize();
    assert!(told("place", &context).is_some());
    match awaited(all) {
        Err(SyncError::Device(error)) => assert_eq!(met("place", error).first, 0),
        other => panic!("{other:?}"),
    }
    assert_eq!(whole(&context), placed);

    // Submitted long before somebody waits.
    wrong.dispatch().unwrap();
    context.flush().unwrap();
    right.dispatch().unwrap();
    assert!(told("place", &context).is_some());
    assert_eq!(whole(&context), placed);
}

/// Runs a future to its end on this thread.
fn awaited<F: std::future::Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .build()
        .unwrap()
        .block_on(future)
}

/// More dispatches than a batch has room for, one of which meets.
#[test]
fn one_of_many_dispatches_is_found() {
    for context in [ContextOptions::new(), ContextOptions::new().strict(true)]
        .into_iter()
        .filter_map(context_with)
    {
        let kernel = place::compile(&context).unwrap();
        let values = buffer(&context, &[5; 4]);
        let [good, bad] = [[0, 1, 2, 3], [0, 1, 2, 1]].map(|words| buffer(&context, &words));
        let output = buffer(&context, &[0; 4]);
        let [good, bad] = [good, bad].map(|to| kernel.bind(&output, &values, &to).unwrap());
        for at in [0, 1, 511, 699] {
            for n in 0..700 {
                let binding = if n == at { &bad } else { &good };
                // The dispatches after it may be the ones to tell.
                if let Err(nupp::DispatchError::Device { cause, .. }) = binding.dispatch() {
                    assert_eq!(met("place", cause).slot, 1);
                    assert!(n > at, "{n}");
                    break;
                }
                if n == 699 {
                    let told = told("place", &context).map(|error| (error.slot, error.second));
                    assert_eq!(told, Some((1, 3)));
                }
            }
            assert_eq!(told("place", &context), None);
        }
    }
}

#[test]
fn a_view_is_scattered_into_by_its_own_numbers() {
    let Some(context) = context() else { return };
    let kernel = place::compile(&context).unwrap();
    let values = buffer(&context, &[7, 8, 9]);
    let all = buffer(&context, &[1; 50]);
    let part = all.subview(&[20], &[20]).unwrap();
    let bind = |cursors: &[u32; 3]| {
        let to = buffer(&context, cursors);
        kernel.bind(&part, &values, &to).unwrap()
    };
    bind(&[19, 0, 4]).dispatch().unwrap();
    let found = context.download_blocking(&all).unwrap();
    assert_eq!((found[39], found[20], found[24]), (7, 8, 9));
    assert_eq!(found.iter().filter(|word| **word != 1).count(), 3);
    bind(&[19, 4, 19]).dispatch().unwrap();
    let error = told("place", &context).expect("lanes that meet");
    assert_eq!((error.slot, error.first, error.second), (19, 0, 2));
}

#[test]
fn an_empty_dispatch_meets_nobody() {
    let Some(context) = context() else { return };
    let kernel = place::compile(&context).unwrap();
    let none = context.buffer::<u32>(0).unwrap();
    let other = context.buffer::<u32>(0).unwrap();
    let output = context.buffer::<u32>(0).unwrap();
    kernel
        .bind(&output, &none, &other)
        .unwrap()
        .dispatch()
        .unwrap();
    let [values, to] = [[1, 2], [0, 0]].map(|words| buffer(&context, &words));
    // Nothing is inside the span.
    kernel
        .bind(&output, &values, &to)
        .unwrap()
        .dispatch()
        .unwrap();
    assert_eq!(told("place", &context), None);
}
